"""How threads of a device share cells follows from what a cell reads."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
import stencils

from halocline.analysis.threads import THREADS, Threads, threads_for
from halocline.language.expressions.expr import Binary, Read
from halocline.language.expressions.kernel import FieldType, Kernel, Statement
from halocline.lbm import Setup, Wall, bgk, make_flow
from halocline.plan.pipeline import plan_for

SECTOR = 32


def kernels():
    """Return the kernels of the tests' problems, as devices get them."""
    problems = [stencils.make(name, "none", "float64") for name in stencils.PROBLEMS]
    plans = [plan_for(problem.grid, problem.steps) for problem in problems]
    return [launch.code for plan in plans for launch in plan.launches]


def star(dimensions, dtype="float32"):
    """Return a kernel that reads its neighbours along all axes."""
    zero = (0,) * dimensions
    steps = [
        tuple(s * (a == b) for b in range(dimensions)) for a in range(dimensions) for s in (1, -1)
    ]
    value = Read("a", 0, zero)
    for step in steps:
        value = Binary("add", value, Read("a", 0, step))
    fields = (FieldType("a", dtype, 1), FieldType("b", dtype, 1))
    return Kernel("star", dimensions, fields, (), (Statement("b", 0, value, zero),))


def flow_kernel(**more):
    sides = {axis + sign: Wall() for axis in "xyz" for sign in "-+"}
    setup = Setup((8, 8, 8), "D3Q19", 1.6, bgk, sides, dtype="float32", **more)
    flow = make_flow(setup)
    return next(
        launch.code
        for launch in plan_for(flow.grid, flow.steps).launches
        if launch.kernel.name.startswith("collide")
    )


def fetched(kernel, threads):
    """Return how many sectors hold what a block of threads reads, found cell by cell."""
    tile = [b * c for b, c in zip(threads.block, threads.cells, strict=True)]
    found = set()
    for name, component, offset in kernel.read:
        size = {"float64": 8, "float32": 4}[kernel.field(name).dtype]
        x_step, y_step, z_step = (*offset, 0, 0)[:3]
        for x, y, z in product(*map(range, tile)):
            place = (x + x_step) * size // SECTOR
            found.add((name, component, place, y + y_step, z + z_step))
    return len(found)


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.name)
def test_a_block_is_whole_warps_along_x_and_a_run_lies_along_the_last_axis(kernel):
    found = threads_for(kernel)
    assert prod(found.block) == THREADS
    assert found.block[0] % 32 == 0
    assert all(size == 1 for size in found.block[kernel.dimensions :])
    run = [axis for axis, cells in enumerate(found.cells) if cells > 1]
    assert run in ([], [kernel.dimensions - 1])
    assert 0 not in run


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_block_that_fetches_least_is_taken(dimensions, dtype):
    kernel = star(dimensions, dtype)
    found = threads_for(kernel)
    blocks = [b for b in product([1, 2, 4, 32, 64, 128], repeat=3) if prod(b) == THREADS]
    blocks = [b for b in blocks if b[0] >= 32 and prod(b[dimensions:]) == 1]
    least = min(fetched(kernel, Threads(block, found.cells)) for block in blocks)
    assert fetched(kernel, found) == least


def test_short_kernels_get_runs():
    assert threads_for(star(3)).cells == (1, 1, 8)
    assert threads_for(star(2)).cells == (1, 8, 1)
    assert threads_for(star(1)).cells == (1, 1, 1)
    # Twice as many registers for each value.
    assert threads_for(star(3, "float64")).cells == (1, 1, 4)


def test_what_a_cell_assigns_is_not_read_by_one_after_it_in_the_same_thread():
    fields = (FieldType("a", "float32", 1),)
    twice = Binary("add", Read("a", 0, (0, 0)), Read("a", 0, (0, 0)))
    kernel = Kernel("twice", 2, fields, (), (Statement("a", 0, twice, (0, 0)),))
    assert threads_for(kernel) == Threads()


@pytest.mark.parametrize("streaming", ["two-grids", "in-place"])
def test_lattices_have_a_cell_a_thread_and_blocks_along_rows(streaming):
    assert threads_for(flow_kernel(streaming=streaming)) == Threads((THREADS, 1, 1), (1, 1, 1))
