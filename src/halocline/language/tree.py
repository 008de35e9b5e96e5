"""Nested steps: repeated, now and then, swapped; what is nested, the leaves, differs.

The language, the planner and plans have this shape in common.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Node = TypeVar("Node")
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Repeat(Generic[Node]):
    """Done several times within a step.

    If the body consists of tuples, each is one pass, and the passes take turns.
    """

    count: int
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Every(Generic[Node]):
    """Done in every n-th step only."""

    interval: int
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Swap(Generic[Thing]):
    """Two fields, or two storages, exchange their contents, which are not moved for that."""

    first: Thing
    second: Thing


def walk(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield nodes and those inside others, in order."""
    for node in nodes:
        if isinstance(node, tuple):
            yield from walk(node)
            continue
        yield node
        if isinstance(node, Repeat | Every):
            yield from walk(node.body)


def mapped(nodes: Iterable[Any], function: Callable[[Any], Iterable[Any]]) -> tuple[Any, ...]:
    """Return nodes in which each leaf has become those that a function makes of it."""
    result: list[Any] = []
    for node in nodes:
        if isinstance(node, tuple):
            result.append(mapped(node, function))
        elif isinstance(node, Repeat | Every):
            result.append(replace(node, body=mapped(node.body, function)))
        else:
            result += function(node)
    return tuple(result)
