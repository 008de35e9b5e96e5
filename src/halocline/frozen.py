"""Classes whose objects keep the values that they were made with: see docs/decisions/0071."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, dataclass_transform

from msgspec import NODEFAULT, Struct, StructMeta, field

if TYPE_CHECKING:
    from inspect import Signature


class FrozenType(StructMeta):
    """The type of such classes, which gives them a signature.

    That of msgspec looks types up, of which many are known to a type checker alone.
    """

    @property
    def __signature__(cls) -> Signature:  # noqa: N805 (a class is made of it)
        """The fields, with types as they are written."""
        from inspect import Parameter, Signature, get_annotations

        bases = map(get_annotations, reversed(cls.__mro__))
        types = {name: kind for base in bases for name, kind in base.items()}
        every = defaults(cls)
        # What has no default after what has one can only be given by name, and all behind it.
        given = [default is not NODEFAULT for default in every.values()]
        first = given.index(True) if any(given) else len(given)
        named = given.index(False, first) if not all(given[first:]) else len(given)
        return Signature(
            [
                Parameter(
                    name,
                    Parameter.KEYWORD_ONLY if n >= named else Parameter.POSITIONAL_OR_KEYWORD,
                    default=Parameter.empty if default is NODEFAULT else default,
                    annotation=types[name],
                )
                for n, (name, default) in enumerate(every.items())
            ]
        )


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen(Struct, metaclass=FrozenType, frozen=True):
    """A base of classes with fields that are given once, compare by content and cannot be set.

    A subclass lists its fields with their types and defaults, like a data class. Options follow
    the base: 'eq=False' compares by identity, 'dict=True' has room for cached properties.

    Example:
        >>> from halocline.frozen import Frozen
        >>> class Point(Frozen):
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0)
        (Point(x=1, y=0), True)
    """


def has_fields(kind: Any) -> bool:
    """Return whether something is a class of this kind, or a data class."""
    return isinstance(kind, type) and (issubclass(kind, Struct) or is_dataclass(kind))


def defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a class in order, each with its default, or NODEFAULT.

    Args:
        kind: A class of this kind, or a data class.

    Example:
        >>> from halocline.frozen import Frozen, defaults
        >>> class Point(Frozen):
        ...     x: int
        ...     y: int = 0
        >>> defaults(Point)
        {'x': NODEFAULT, 'y': 0}
    """
    if is_dataclass(kind):
        every = {f.name: (f.default, f.default_factory) for f in fields(kind) if f.init}
        found = {n: one if make is MISSING else make() for n, (one, make) in every.items()}
        return {n: NODEFAULT if one is MISSING else one for n, one in found.items()}
    names = kind.__struct_fields__
    given = [one.factory() if hasattr(one, "factory") else one for one in kind.__struct_defaults__]
    return dict(zip(names, [NODEFAULT] * (len(names) - len(given)) + given, strict=True))
