"""Regions: where what is done in many cells is done in all of them, and where only some of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeVar

from halocline.geometry import Box

T = TypeVar("T")


def with_common(groups: Mapping[Box, Sequence[T]]) -> Iterator[tuple[Box, list[T]]]:
    """Yield boxes with what is done there, which may be done in one go: that of all groups.

    Beside the cells where all is done, which are most of the domain, each group is done by itself.

    Args:
        groups: What is done, by the cells where that is possible.
    """
    filled = {box: found for box, found in groups.items() if not box.is_empty}
    common = reduce(Box.intersect, filled) if filled else None
    if common is not None and not common.is_empty:
        yield common, [one for found in filled.values() for one in found]
    for box, found in filled.items():
        for piece in [box] if common is None else box.subtract(common):
            yield piece, list(found)
