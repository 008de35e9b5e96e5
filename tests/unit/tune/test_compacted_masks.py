"""What a kernel in the cells of a mask takes follows from these cells, not from the boxes."""

from __future__ import annotations

import numpy as np
import pytest
from toy import toy

import halocline as hc
from halocline.plan.program.program import Masked
from halocline.tune.compacted_masks import CompactedMask, CompactedMasks
from halocline.tune.machine import LINE_BYTES, Overheads
from halocline.tune.work import Placement, Work

WIDTH = 40


@hc.kernel
def double(a, b):
    b[0, 0] = 2.0 * a[0, 0]


def simulated(cells, **options):
    """Return a simulation that doubles values in some cells, and has begun."""
    grid = hc.Grid(cells.shape)
    a, b, mask = grid.field("a"), grid.field("b"), grid.field("mask", dtype="bool")
    mask.set(cells)
    a.set(1.0)
    found = hc.Simulation(grid, [double(a, b, on=mask)], threads=1, target="numpy", **options)
    found.run(1, progress=False)
    return found


def work_of(simulation, machine, *, is_known=True):
    masks = CompactedMasks(simulation.selection.executor.slots) if is_known else None
    work = Work(simulation.plan, machine, Placement(1), masks)
    (run,) = [op for op in simulation.plan.operations() if hasattr(op, "boxes")][:1]
    return work, run


def test_cells_runs_and_lines_are_counted():
    cells = np.zeros((20, 3), bool)
    cells[[0, 1, 2, 9, 15, 16], 0] = cells[[7, 8], 1] = True
    found = CompactedMask(cells, 0)
    assert (found.cells, found.runs) == (8, 4)
    # Rows begin with a line: cells 0 to 7, 8 to 15, 16 to 19.
    assert found.pieces(8) == 3 + 2
    assert found.pieces(1) == found.cells
    assert CompactedMask(cells, 1).pieces(8) == 3 + 1, "7 and 8 lie beside each other in one line"


@pytest.mark.parametrize("blocks", [1, 3])
def test_a_masked_kernel_moves_the_lines_of_its_cells(blocks):
    cells = np.zeros((WIDTH, 12), bool)
    cells[3], cells[20:30, 5] = True, True
    work, run = work_of(simulated(cells, decomposition=(1, blocks), blocks=blocks), toy())
    # Column 3 lies in a line each; 20 to 29 in two (16 to 23, 24 to 31). Both fields are doubles.
    lines = 2 * (12 + 2)
    assert work.compute_s(run) == pytest.approx(lines * LINE_BYTES / 1e9)
    work, run = work_of(
        simulated(cells, decomposition=(1, blocks), blocks=blocks), toy(), is_known=False
    )
    assert work.compute_s(run) == pytest.approx(2 * 8 * WIDTH * 12 / 1e9)


def test_each_run_of_cells_is_a_row():
    cells = np.zeros((WIDTH, 12), bool)
    cells[::2, 4] = True
    machine = toy(overheads=Overheads(1.0, 10.0, 100.0, 0.0))
    work, run = work_of(simulated(cells), machine)
    assert work.overhead_s(run) == 1 + 10 + WIDTH / 2 * 100


def test_masks_that_kernels_change_are_looked_at_in_every_cell():
    grid = hc.Grid((WIDTH, 12))
    a, b, mask = grid.field("a"), grid.field("b"), grid.field("mask", dtype="uint8")

    @hc.kernel
    def spread(mask):
        mask[0, 0] = mask[0, 0] + 1

    steps = [double(a, b, on=mask), spread(mask)]
    simulation = hc.Simulation(grid, steps, threads=1, target="numpy")
    simulation.run(1, progress=False)
    launch = next(one for one in simulation.plan.launches if isinstance(one.body, Masked))
    run = next(op for op in simulation.plan.operations() if hasattr(op, "boxes"))
    assert CompactedMasks(simulation.selection.executor.slots).of(launch, run.boxes[0]) is None
