"""Results kept for as long as the object that they belong to.

Functions of values are kept by 'functools.cache', attributes by 'functools.cached_property'; this
is for what these cannot do: methods with arguments, and functions of one object and arguments.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

if TYPE_CHECKING:
    from collections.abc import Callable

Owner = TypeVar("Owner")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class MemoSlot:
    """A base of classes with '__slots__' that have memoised methods."""

    __slots__ = ("_memo",)


def memoised(
    function: Callable[Concatenate[Owner, Arguments], Result],
) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Keep the results of a method on its object, one for each value of the arguments.

    Arguments must be hashable and are compared by '=='; an argument given by name is another one
    than the same given by position. The object, which may be frozen, neither compares nor prints
    its results. An exception is not kept. Of a function the first argument is the object.

    Example:
        >>> from halocline.memo import memoised
        >>> class Squares:
        ...     @memoised
        ...     def of(self, number: int) -> int:
        ...         print("computed")
        ...         return number**2
        >>> squares = Squares()
        >>> squares.of(3), squares.of(3)
        computed
        (9, 9)
    """

    @wraps(function)
    def recall(owner: Owner, /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        try:
            memo: dict[Any, Result] = owner._memo  # type: ignore[attr-defined]
        except AttributeError:
            memo = {}
            if isinstance(owner, Struct):
                force_setattr(owner, "_memo", memo)
            else:
                object.__setattr__(owner, "_memo", memo)
        # Not the function itself: pickle finds this one by its name.
        key = (recall, arguments, *named.items())
        try:
            return memo[key]
        except KeyError:
            memo[key] = result = function(owner, *arguments, **named)
            return result

    return recall
