"""Components of fields: what 'field[…]' means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.language.expressions.expr import Read
from halocline.language.expressions.operators import Value
from halocline.language.expressions.subscripts import parse_component, parse_offset_of_field

if TYPE_CHECKING:
    from halocline.language.spaces.space import Space


def access(name: str, components: int, space: Space, key: Any) -> Any:
    """Return what 'field[key]' means: a component of several, or the value at an offset."""
    if components == 1:
        return Value(Read(name, 0, parse_offset_of_field(name, space, key)))
    return _Component(name, parse_component(name, components, key), space)


class _Component(Value):
    """One component of a field outside of a kernel; its subscript is an offset of the field."""

    def __init__(self, name: str, component: int, space: Space) -> None:
        super().__init__(Read(name, component, (0,) * len(space.extent)))
        self._name, self._component, self._space = name, component, space

    def __getitem__(self, offset: Any) -> Value:
        """Return its value at an offset."""
        place = parse_offset_of_field(self._name, self._space, offset)
        return Value(Read(self._name, self._component, place))
