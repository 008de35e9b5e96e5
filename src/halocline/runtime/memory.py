"""Memory: what fields and messages take, and what there is, asked before anything is stored."""

from __future__ import annotations

import os
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from halocline.errors import OutOfMemoryError
from halocline.free_memory import free_memory, size_text
from halocline.frozen import Frozen
from halocline.language.series.filling import Fill
from halocline.runtime import _core
from halocline.runtime.storage import stored_field, three

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from halocline.plan.blocks.decomposition import BlockView, Decomposition
    from halocline.plan.cells.block import Block
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.runtime.device import OpenDevice
    from halocline.runtime.job import Job
    from halocline.runtime.storage import BlockStorage

# How many fields a message lists.
_LISTED = 5
_MESSAGES, _SERIES = "messages", "series"
_MOVING = "fields on their way to other blocks"


class Memory(Frozen):
    """Some memory that ranks share.

    Attributes:
        where: What it belongs to; the same for all who share it.
        free: Free memory [bytes]; infinite where that is not known.
    """

    where: str
    free: float


def check_memory(
    layouts: Sequence[FieldLayout],
    plan: Plan,
    device: OpenDevice,
    job: Job,
    before: Mapping[str, BlockStorage] = MappingProxyType({}),
) -> None:
    """Refuse fields that do not fit into memory before any is stored; collective.

    Args:
        layouts: How they would be stored.
        plan: Says where, and what is sent.
        device: Where kernels run; fields are then stored there, too.
        job: The ranks.
        before: Where they are so far, by name: each is given up when it has moved.

    Raises:
        OutOfMemoryError: They do not fit, on all ranks.
    """
    needed = bytes_needed(layouts, plan, device.alignment)
    if before:
        needed = {_MOVING: bytes_to_move(layouts, needed, before, is_alone=job.size == 1)}
    memories = [Memory(f"node '{os.uname().nodename}'", free_memory())]
    if isinstance(device.handle, _core.CudaDevice):
        where = f"{device.handle.name} of {memories[0].where}"
        memories.append(Memory(where, device.handle.memory[0]))
    for memory in memories:
        users: dict[str, list[tuple[Memory, Mapping[str, int]]]] = {}
        for needed_there in job.everywhere((memory, needed)):
            users.setdefault(needed_there[0].where, []).append(needed_there)
        for where, ranks in users.items():
            free = min(memory_there.free for memory_there, _ in ranks)
            _check(Memory(where, free), [of_rank for _, of_rank in ranks], plan.decomposition)


def _check(memory: Memory, ranks: list[Mapping[str, int]], decomposition: Decomposition) -> None:
    together = {name: sum(of_rank[name] for of_rank in ranks) for name in ranks[0]}
    total = sum(together.values())
    if total <= memory.free:
        return
    largest = sorted(filter(itemgetter(1), together.items()), key=itemgetter(1), reverse=True)
    listed = [f"{name} {size_text(size)}" for name, size in largest[:_LISTED]]
    more = len(largest) - _LISTED
    most = max(sum(of_rank.values()) for of_rank in ranks)
    raise OutOfMemoryError(
        f"Fields and messages take {size_text(total)} on {memory.where} ({len(ranks)} rank(s), at "
        f"most {size_text(most)} each), where {size_text(memory.free)} are free: "
        + ", ".join(listed)
        + (f" and {more} more." if more > 0 else ".")
        + _levels(decomposition),
        hint="Use more nodes or devices, a smaller grid, dtype='float32' or 'float16', or for a "
        "flow streaming='in-place'.",
    )


def _levels(decomposition: Decomposition) -> str:
    """Return how many cells the levels of a forest have, as a sentence; nothing of a grid."""
    levels = decomposition.levels
    if not decomposition.is_forest:
        return ""
    cells = [0] * (levels.finest + 1)
    for role, numbers in levels.by_role(levels.having(lambda role: role.kind == "leaf")):
        cells[role.level] = int(levels.boxes.take(numbers).cells.sum())
    listed = ", ".join(f"{n} of level {level}" for level, n in enumerate(cells) if n)
    return f" The forest has {sum(cells)} cells: {listed}."


def bytes_needed(layouts: Iterable[FieldLayout], plan: Plan, alignment: int) -> dict[str, int]:
    """Return what each field, with halo and padding, and packed messages take on a rank [bytes]."""
    messages = [m for exchange in plan.exchanges for m in (*exchange.sends, *exchange.receives)]
    fields = {
        layout.name: _field_bytes(layout, slot, plan, alignment)
        for slot, layout in enumerate(layouts)
    }
    messages_take = sum(plan.bytes_of(message.parts) for message in messages)
    return {**fields, _SERIES: _series_bytes(layouts, plan), _MESSAGES: messages_take}


def _field_bytes(layout: FieldLayout, slot: int, plan: Plan, alignment: int) -> int:
    """Return what a field takes on the blocks of a rank [bytes]."""
    space, of_cell = layout.space, layout.components * layout.bytes_per_value
    alike = _alike(plan.decomposition.on(space), plan.rank)
    field = stored_field(layout, [block for block, _ in alike], alignment)
    total = 0
    for number, (block, count) in enumerate(alike):
        extent, cells = three(space.flat(block.box).extent, 1), layout.stored(block).cells
        # The runtime counts up to 64 bits.
        total += count * max(field.bytes_on_block(number, extent, slot), cells * of_cell)
    return total


def _alike(view: BlockView, rank: int) -> list[tuple[Block, int]]:
    """Return a rank's block for each role and extent with cells, and how many are like it."""
    every, blocks = view.table(view.decomposition.numbers_of(rank)), view.blocks_of(rank)
    places = np.flatnonzero(every.box.has_cells)
    kind = view.decomposition.levels.kind_of(every.number)
    columns = kind, *(every.box.upper - every.box.lower)
    found: dict[tuple[int, ...], list[int]] = {}
    for place, *alike in zip(
        places.tolist(), *(one[places].tolist() for one in columns), strict=True
    ):
        found.setdefault(tuple(alike), []).append(place)
    return [(blocks[some[0]], len(some)) for some in found.values()]


def _series_bytes(layouts: Iterable[FieldLayout], plan: Plan) -> int:
    """Return what the values take that fields are filled with, of a rank's cells [bytes]."""
    layout_of = {layout.name: layout for layout in layouts}
    fillings = {
        launch.body: launch.names[0] for launch in plan.launches if isinstance(launch.body, Fill)
    }
    total = 0
    for fill, name in fillings.items():
        if name in layout_of:
            layout, rows = layout_of[name], fill.series.rows
            cells = int(plan.cells_stored(layout).sum())
            total += rows.shape[0] * np.dtype(rows.dtype).itemsize * layout.components * cells
    return total


def bytes_to_move(
    layouts: Iterable[FieldLayout],
    needed: Mapping[str, int],
    before: Mapping[str, BlockStorage],
    *,
    is_alone: bool,
) -> int:
    """Return what moving fields one by one takes at most, beside what they take already [bytes].

    Args:
        layouts: How they are to be stored.
        needed: What that takes, by name, and messages.
        before: Where they are so far.
        is_alone: Whether there is one rank only; else a component of a field at a time is also in
            messages, on both sides.
    """
    beside = most = 0
    for layout in layouts:
        new, old = needed[layout.name], 0
        if layout.name in before:
            old = before[layout.name].bytes_stored
        beside += new
        sent = 0 if is_alone else (new + old) // layout.components
        most = max(most, beside + sent)
        beside -= old
    return max(most, beside + needed[_MESSAGES])
