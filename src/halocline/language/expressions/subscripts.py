"""What stands in brackets behind a field or an expression: offsets from the cell, a component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.errors import KernelError
from halocline.geometry import AXES
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.spaces.space import Space


def parse_offset(name: str, axes: Sequence[int], dimensions: int, key: Any) -> tuple[int, ...]:
    """Return a subscript, a number for each of some axes, as an offset along all of a grid.

    Raises:
        KernelError: It is none; the message calls what was subscripted by its name.
    """
    if key is Ellipsis:
        return (0,) * dimensions
    offset = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(o, int | np.integer) for o in offset):
        raise KernelError(
            f"'{name}' was read at {key!r}; expected whole numbers relative to the cell.",
            place=user_place(),
        )
    if len(offset) != len(axes):
        names = ", ".join(AXES[axis] for axis in axes)
        whose = "axis of the grid" if len(axes) == dimensions else f"of its axes ({names})"
        raise KernelError(
            f"'{name}' was used with {len(offset)} offsets {offset}; expected {len(axes)}, one "
            f"for each {whose}.",
            hint=f"Write {name}[{', '.join('0' * len(axes))}] for the cell itself.",
            place=user_place(),
        )
    along = dict(zip(axes, map(int, offset), strict=True))
    return tuple(along.get(axis, 0) for axis in range(dimensions))


def parse_offset_of_field(name: str, space: Space, key: Any) -> tuple[int, ...]:
    """Return a subscript of a field as an offset along all axes of its grid."""
    return parse_offset(name, space.axes, len(space.extent), key)


def parse_component(name: str, components: int, key: Any) -> int:
    """Return a subscript as a component, or refuse it."""
    if not isinstance(key, int | np.integer):
        raise KernelError(
            f"'{name}' has {components} components but was subscripted with {key!r}; expected a "
            "component first.",
            hint=f"Write {name}[component][offsets].",
            place=user_place(),
        )
    if not 0 <= key < components:
        raise KernelError(
            f"Component {key} of '{name}' was used; it has components 0 to {components - 1}.",
            place=user_place(),
        )
    return int(key)
