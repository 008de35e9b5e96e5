"""Reports say from which caches, or from memory, comes what a cell moves."""

import stencils
from in_caches import small_caches

import halocline as hc
from halocline.report.levels import level_lines
from halocline.runtime.caches import Cache

KIB = 1 << 10
CACHES = (Cache(1, 32 * KIB, 1), Cache(2, 64 * KIB, 1), Cache(3, 256 * KIB, 2))


def lines_of(cells, caches=CACHES, threads=1, threads_on_node=1, **choices):
    problem = stencils.heat((cells, cells, cells), True)
    with small_caches(64 * KIB):
        simulation = hc.Simulation(
            problem.grid, problem.steps, threads=1, strategy=hc.Strategy(**choices), check_every=0
        )
        return level_lines(simulation.plan, caches, threads, threads_on_node)


def test_what_misses_a_cache_comes_from_the_next():
    (line,) = lines_of(40)
    assert line == "diffuse: bytes a cell 16 from memory, 16 from the third, 32 from the second"


def test_what_a_cache_holds_does_not_come_from_beyond_it():
    (line,) = lines_of(12)
    assert line == "diffuse: bytes a cell 0 from memory, 0 from the third, 16 from the second"


def test_threads_share_what_serves_several():
    """Of 256 KB of the third level one thread of two has half."""
    (alone,), (shared,) = lines_of(22), lines_of(22, threads_on_node=2)
    assert "0 from memory" in alone
    assert "16 from memory" in shared


def test_several_steps_at_once_share_what_comes_from_memory():
    (line,) = lines_of(40, steps_in_cache=4)
    name, moved = line.split(": ")
    assert name == "diffuse x4"
    # Read, and written where it was read before: three times 8 bytes; rows between tiles twice.
    assert 24 / 4 <= float(moved.split()[0]) < 16


def test_nothing_is_said_of_unknown_caches():
    assert lines_of(16, caches=()) == ()


def test_kernels_that_run_on_all_blocks_of_a_forest_are_told_of():
    """What a boundary prescribes on a side itself is done at the end of a step, on all levels."""
    forest = hc.Forest((32,), block=8, refine=lambda x: x < 8)
    flow = forest.field("flow", location="x_face", coupling="flux")
    flow.boundary(forest.sides, hc.Dirichlet(0.0))

    @hc.kernel
    def let_flow(flow):
        flow[0] = 1.0

    simulation = hc.Simulation(forest, [let_flow(flow)], threads=1)
    lines = level_lines(simulation.plan, CACHES, 1, 1)
    assert any(line.startswith("boundary_xlow_0: bytes a cell") for line in lines)
