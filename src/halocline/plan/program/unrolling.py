"""Unroll: swaps become names of storages.

What steps do to the order of fields is a permutation, so after some steps every field lies where it
did: these are a round. In each of them a kernel names the storages that its fields lie in. A loop
is unrolled likewise, to the passes that take turns. What is done now and then only, or nobody knows
how often, ends with swaps that take the contents of storages to where the rest expects them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.steps.tree import Every, Repeat, Swap, Until, walk
from halocline.plan.program.arrangement import INITIAL, Arrangement
from halocline.plan.program.program import Called, Checked, Computed, Launch, Reduced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.plan.program.program import Item

Items = tuple["Item", ...]


def unrolled(items: Items) -> tuple[tuple[Items, ...], tuple[Arrangement, ...]]:
    """Return the steps of a round, and where fields lie after each.

    Args:
        items: A step on fields, with swaps.
    """
    return _turns(items, INITIAL, None)


def swapped_groups(items: Iterable[Item]) -> dict[str, frozenset[str]]:
    """Return, for each field that is ever swapped, the fields whose values its storage may hold."""
    groups: dict[str, frozenset[str]] = {}
    for swap in walk(items):
        if isinstance(swap, Swap):
            names = (swap.first, swap.second)
            union = frozenset(names).union(*(groups.get(name, ()) for name in names))
            groups.update(dict.fromkeys(union, union))
    return groups


def _turns(
    items: Items, where: Arrangement, most: int | None
) -> tuple[tuple[Items, ...], tuple[Arrangement, ...]]:
    """Return items done again and again, until fields lie as at first or 'most' times."""
    turns: list[Items] = []
    ends: list[Arrangement] = []
    while len(turns) != most:
        done, end = _placed(items, ends[-1] if ends else where)
        turns.append(done)
        ends.append(end)
        if end == where:
            break
    return tuple(turns), tuple(ends)


def _placed(items: Items, where: Arrangement) -> tuple[Items, Arrangement]:
    """Return items on storages, and where fields lie after them."""
    result: list[Item] = []
    for item in items:
        match item:
            case Swap():
                where = where.after(item)
            case Launch():
                result.append(item.at(where))
            case Reduced():
                result.append(item.at(where))
            case Called() | Checked():
                result.append(replace(item, where=where))
            case Computed():
                result.append(item)
            case Every(interval, body):
                inner, end = _placed(body, where)
                result.append(Every(interval, (*inner, *end.swaps_to(where))))
            case Until(_, body):
                inner, end = _placed(body, where)
                body = (*inner, *end.swaps_to(where))
                result.append(replace(item, body=body, before_error=where.swaps_to(INITIAL)))
            case Repeat(count, body):
                passes, ends = _turns(body, where, count)
                result.append(Repeat(count, passes))
                where = ends[(count - 1) % len(ends)]
    return tuple(result), where
