"""Plans of all ranks at once, and counts made without the planner."""

from __future__ import annotations

from itertools import product

import numpy as np

import halocline as hc
from halocline.language.expressions.kernel import reads
from halocline.language.steps.tree import Every, Repeat, Swap
from halocline.plan.pipeline import plan_for
from halocline.plan.value import operations as ops


def plans(problem_or_grid, steps=None, *, ranks=1, check_every=0, **options):
    """Return the plans of all ranks."""
    grid = problem_or_grid if steps is not None else problem_or_grid.grid
    steps = steps if steps is not None else problem_or_grid.steps
    return [
        plan_for(grid, steps, ranks=ranks, rank=rank, check_every=check_every, **options)
        for rank in range(ranks)
    ]


def line(plan) -> list[str]:
    """Return the operations of the first step in words: 'start', 'run diffuse core', …"""
    words = []
    for op in ops.walk(plan.steps[0]):
        match op:
            case ops.Run(launch, zone, _):
                words.append(f"run {plan.launches[launch].kernel.name} {zone}")
            case ops.Start() | ops.Wait() | ops.Poll():
                words.append(type(op).__name__.lower())
            case Swap(first, second):
                words.append(f"swap {first} {second}")
            case Repeat() | Every() | ops.Poison() | ops.Reduce() | ops.CallFunction():
                words.append(type(op).__name__)
    return words


def started(plan, operations) -> list:
    """Return the exchanges started by some operations."""
    return [plan.exchanges[op.exchange] for op in ops.walk(operations) if isinstance(op, ops.Start)]


def fields_of(exchanges) -> set[str]:
    """Return the fields of which anything travels."""
    return {part.field for e in exchanges for part in parts_of(e)}


def parts_of(exchange) -> list:
    received = [part for message in exchange.receives for part in message.parts]
    return [*received, *exchange.copies]


def cells_read_from_other_blocks(kernel, extent, periodic, owner) -> dict[tuple, int]:
    """Count what every pair of blocks must exchange, by looking at every cell and every read.

    Args:
        kernel: Runs on all cells.
        extent: Of the grid.
        periodic: By axis.
        owner: Array (extent) with the number of each cell's block.

    Returns:
        (source, target) -> number of values. A cell seen through different periodic images counts
        for each of them, but along rows that close on themselves, where there is only one.
    """
    found: dict[tuple, set] = {}
    for read in reads(*(s.value for s in kernel.statements)):
        for cell in product(*map(range, extent)):
            seen = tuple(c + o for c, o in zip(cell, read.offset, strict=True))
            at = tuple(s % n for s, n in zip(seen, extent, strict=True))
            is_outside = any(not p and s != a for s, a, p in zip(seen, at, periodic, strict=True))
            if len(set(owner[:, *cell[1:]])) == 1 and periodic[0]:
                seen = (at[0], *seen[1:])
            if is_outside or (seen == at and owner[at] == owner[cell]):
                continue
            key = (int(owner[at]), int(owner[cell]))
            found.setdefault(key, set()).add((read.field, read.component, seen))
    return {key: len(cells) for key, cells in found.items()}


def owners(decomposition: hc.Decomposition) -> np.ndarray:
    """Return the number of each cell's block."""
    result = np.empty(decomposition.extent, int)
    for number in range(decomposition.blocks):
        box = decomposition.block(number).box
        result[tuple(slice(l, u) for l, u in zip(box.lower, box.upper, strict=True))] = number
    return result
