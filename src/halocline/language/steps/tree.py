"""Nested steps: repeated, now and then, swapped; what is nested, the leaves, differs.

The language, the planner and plans have this shape in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec.structs import replace

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from halocline.language.expressions.parameters import Formula, Parameter

Node = TypeVar("Node")
Thing = TypeVar("Thing")


class Repeat(Frozen, Generic[Node]):
    """Done several times within a step.

    If the body consists of tuples, each is one pass, and the passes take turns.
    """

    count: int
    body: tuple[Node, ...]


class Every(Frozen, Generic[Node]):
    """Done in every n-th step only."""

    interval: int
    body: tuple[Node, ...]


class Until(Frozen, Generic[Node]):
    """Done again and again within a step, until a condition holds after an iteration.

    Attributes:
        condition: When to stop.
        body: An iteration.
        max_iterations: The largest number of iterations.
        iterations: Gets their number.
        is_strict: Whether it is an error if the condition does not hold then.
        before_error: What is done before that error is told.
    """

    condition: Formula
    body: tuple[Node, ...]
    max_iterations: int
    iterations: Parameter
    is_strict: bool = True
    before_error: tuple[Node, ...] = ()


class Swap(Frozen, Generic[Thing]):
    """Two fields, or two storages, exchange their contents, which are not moved for that."""

    first: Thing
    second: Thing


class OnLevels(Frozen, Generic[Node], eq=False):
    """Done on all levels of a forest.

    Attributes:
        forest: The forest.
        levels: What is done on each level; several steps if they are tuples.
        beyond: What is done instead in cells beyond the level's own; None if it is the same.
    """

    forest: Any
    levels: tuple[Node, ...]
    beyond: tuple[Node, ...] | None = None


class Assign(Frozen, eq=False):
    """Give a parameter the value that a formula has then."""

    parameter: Parameter
    value: Parameter


def walk(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield nodes and those inside others, in order; not what is done before an error."""
    for node in nodes:
        if isinstance(node, tuple):
            yield from walk(node)
            continue
        yield node
        if isinstance(node, Repeat | Every | Until):
            yield from walk(node.body)


def mapped(nodes: Iterable[Any], function: Callable[[Any], Iterable[Any]]) -> tuple[Any, ...]:
    """Return nodes in which each leaf has become those that a function makes of it."""
    result: list[Any] = []
    for node in nodes:
        if isinstance(node, tuple):
            result.append(mapped(node, function))
        elif isinstance(node, Repeat | Every):
            result.append(replace(node, body=mapped(node.body, function)))
        elif isinstance(node, Until):
            body, before_error = (mapped(part, function) for part in (node.body, node.before_error))
            result.append(replace(node, body=body, before_error=before_error))
        else:
            result += function(node)
    return tuple(result)
