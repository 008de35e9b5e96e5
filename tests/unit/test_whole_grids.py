"""Whole grids: every block has all cells; what is made of cut fields for them is gathered."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from whole import STEPS, Whole, bits, differences
from whole_or_cut import digest

import halocline as hc
from halocline.errors import GridError, KernelError, PlanError
from halocline.io import checkpoint
from halocline.plan.pipeline import plan_for
from halocline.plan.value import operations as ops

STRATEGIES = {
    "core first": {"overlap": "core-first", "poison": True},
    "rim first": {"overlap": "rim-first", "poison": True},
    "postponed": {"overlap": "postponed", "poison": True},
    "no overlap": {"overlap": "none", "width": "full"},
    "staged": {"neighbours": "staged", "poison": True},
    "depth 2": {"depth": 2, "poison": True},
    "depth 3": {"depth": 3},
}


@pytest.mark.parametrize("decomposition", [(1, 1), (1, 5), (3, 2)])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_as_numpy_with_every_strategy(strategy, decomposition):
    given, blocks = hc.Strategy(**STRATEGIES[strategy]), prod(decomposition)
    assert differences(strategy=given, decomposition=decomposition, blocks=blocks) == []


@pytest.mark.parametrize(
    "options",
    [
        {"blocks": 5},
        {"target": "numpy", "blocks": 3},
        {"device": "emulated:3"},
        {"device": "emulated:1", "blocks": 3},
        {"decomposition": hc.Bisection(np.arange(480.0).reshape(24, 20)), "blocks": 5},
        {
            "decomposition": hc.Decomposition.of_blocks(
                (24, 20),
                (True, False),
                1,
                [hc.Box((0, 0), (8, 20)), hc.Box((8, 0), (24, 4)), hc.Box((8, 4), (24, 20))],
            )
        },
    ],
)
def test_the_bits_are_the_same(options):
    assert differences(**options) == []
    assert bits(**options) == bits()


@pytest.fixture(scope="module")
def cut():
    return digest(is_replicated=False)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"blocks": 6},
        {"decomposition": (2, 1, 2), "blocks": 4},
        {"target": "numpy", "blocks": 3},
        {"device": "emulated:5", "blocks": 2},
        *({"strategy": hc.Strategy(**given), "blocks": 4} for given in STRATEGIES.values()),
    ],
)
def test_whole_grids_have_the_bits_of_cut_ones(cut, options):
    assert digest(is_replicated=True, **options) == cut


def test_blocks_are_replaced_on_the_way():
    problem = Whole()
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1, blocks=2)
    simulation.run(1, progress=False)
    simulation.rebuild(blocks=5)
    simulation.run(STEPS - 1, progress=False)
    assert problem.differences(simulation) == []


def test_a_plan_from_a_file_computes_the_same(tmp_path):
    problem = Whole()
    made = hc.Simulation(problem.grid, problem.steps, threads=1, blocks=3, strategy=hc.Strategy())
    made.write_plan(tmp_path / "whole.plan")
    again = Whole()
    plan = tmp_path / "whole.plan"
    simulation = hc.Simulation(again.grid, again.steps, threads=1, plan=plan)
    simulation.run(STEPS, progress=False)
    assert again.differences(simulation) == []
    assert str(simulation.plan) == str(made.plan)


def test_a_run_goes_on_from_a_checkpoint(tmp_path):
    first = Whole()
    simulation = hc.Simulation(first.grid, first.steps, threads=1, blocks=2)
    simulation.run(1, progress=False)
    checkpoint.save(simulation, tmp_path / "whole.npz")
    second = Whole()
    simulation = hc.Simulation(second.grid, second.steps, threads=1, blocks=3)
    checkpoint.load(simulation, tmp_path / "whole.npz")
    simulation.run(STEPS - 1, progress=False)
    assert second.differences(simulation) == []


def test_a_whole_grid_is_one_of_the_family():
    grid = hc.Grid((8, 8))
    whole = grid.coarsen(2).replicated()
    assert whole.replicated() is whole
    assert grid.coarsen(2).replicated() is whole
    assert whole.coarsen(2).is_replicated
    assert not grid.coarsen(2).is_replicated
    assert whole.refine(2) is grid.replicated()


@pytest.mark.parametrize("blocks", [1, 3])
def test_boundaries_and_stretched_axes_are_those_of_cut_fields(blocks):
    found = []
    for is_replicated in (False, True):
        grid = hc.Grid((8, 12), spacing=(1.0, np.linspace(1, 2, 12)))
        w, v = ((grid.replicated() if is_replicated else grid).field(name) for name in "wv")
        w.set(np.random.default_rng(1).random((8, 12)))
        w.boundary("x-", hc.Dirichlet(np.arange(12.0)))
        w.boundary("x+", hc.Robin(1.0, 2.0, 3.0))
        w.boundary("y-", hc.Dirichlet(lambda x, t: hc.sin(x) + t))
        w.boundary("y+", hc.Dirichlet(0.5))
        w.boundary("y+", hc.Neumann(0.5), where=lambda x: x > 3)

        @hc.kernel
        def diffuse(w, v):
            v[0, 0] = w[0, 0] + 0.1 * hc.laplacian(w) + 0.01 * hc.coordinate("y")

        steps = [diffuse(w, v), hc.swap(w, v)]
        hc.Simulation(grid, steps, threads=1, blocks=blocks).run(3, progress=False)
        found.append(w.gather().tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("decomposition", [(1, 1), (1, 3), (3, 1)])
def test_diagonals_alone_are_read_across_the_ends_of_rows_and_beyond_sides(decomposition):
    grid = hc.Grid((12, 9), periodic=(True, False))
    w, u = grid.coarsen((2, 3)).replicated().field("w"), grid.field("u")
    w.boundary("y-", hc.Dirichlet(0.5))
    w.boundary("y+", hc.Neumann(0.0))
    w.set(lambda x, y: x * x + 10 * y)

    @hc.kernel
    def corners(w, u):
        u[0, 0] = w[1, -1] + 100 * w[-1, 1]

    blocks = prod(decomposition)
    given = {"decomposition": decomposition, "blocks": blocks, "check_every": 0}
    strategy = hc.Strategy(poison=True)
    hc.Simulation(grid, [corners(w, u)], strategy=strategy, threads=1, **given).run(1)
    W = np.concatenate([1.0 - w[:][:, :1], w[:], w[:][:, -1:]], axis=1)
    expected = np.roll(W, -1, 0)[:, :-2] + 100 * np.roll(W, 1, 0)[:, 2:]
    assert np.array_equal(u[:], expected.repeat(2, 0).repeat(3, 1))


@pytest.mark.parametrize("decomposition", [(1, 1), (3, 2)])
def test_a_finer_whole_grid_is_made_of_cut_cells(decomposition):
    grid = hc.Grid((6, 4), periodic=True)
    u, w = grid.field("u"), grid.refine((2, 3)).replicated().field("w")
    u.set(lambda x, y: x + 10 * y)
    given = {"decomposition": decomposition, "blocks": prod(decomposition), "threads": 1}
    simulation = hc.Simulation(grid, [hc.prolong(u, w, order=1)], **given)
    simulation.run(1, progress=False)
    expected = u[:].repeat(2, 0).repeat(3, 1)
    assert all(np.array_equal(one, expected) for one in w.local())


def test_each_cell_counts_once():
    grid = hc.Grid((8, 8))
    u, w = grid.field("u"), grid.replicated().field("w")
    w.set(np.arange(64.0).reshape(8, 8))
    simulation = hc.Simulation(grid, [lambda: None], threads=1, blocks=4)
    assert simulation.reduce(hc.sum(w)) == 63 * 32
    assert simulation.reduce(hc.sum(2 * w)) == 63 * 64
    u.set(2.0)
    assert simulation.reduce(hc.sum(u * w)) == 63 * 64
    np.testing.assert_array_equal(w.gather(), np.arange(64.0).reshape(8, 8))


def test_a_region_or_a_mask_leaves_the_other_cells():
    @hc.kernel
    def copy(u, w):
        w[0, 0] = u[0, 0]

    grid = hc.Grid((8, 6))
    u, mask = grid.field("u"), grid.field("mask", dtype="bool")
    w, v = (grid.replicated().field(name) for name in "wv")
    values = np.random.default_rng(1).random((8, 6))
    u.set(values)
    mask.set(values > 0.5)
    for field in (w, v):
        field.set(-1.0)
    box = hc.Box((2, 1), (7, 5))
    steps = [copy(u, w, on=box), copy(u, v, on=mask)]
    hc.Simulation(grid, steps, threads=1, blocks=4).run(1, progress=False)
    expected = np.full((8, 6), -1.0)
    expected[2:7, 1:5] = values[2:7, 1:5]
    assert all(np.array_equal(one, expected) for one in w.local())
    assert all(np.array_equal(one, np.where(values > 0.5, values, -1.0)) for one in v.local())


def test_points_lie_in_whole_fields_as_in_others():
    found = []
    for is_replicated in (False, True):
        grid = hc.Grid((8, 8), periodic=True)
        w = (grid.replicated() if is_replicated else grid).field("w")
        w.set(np.random.default_rng(1).random((8, 8)))
        points = hc.Points([[0.2, 0.3], [3.9, 4.1], [7.5, 2.0]])
        record = points.record(w)
        steps = [points.inject(0.5, into=w), record]
        simulation = hc.Simulation(grid, steps, threads=1, blocks=4)
        simulation.run(3, progress=False)
        assert not is_replicated or all(np.array_equal(one, w.gather()) for one in w.local())
        found.append((w.gather(), record.values))
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


def test_faces_surfaces_and_components_are_gathered():
    @hc.kernel
    def copy(u, s, f, w, t, g):
        w[0, 0, 0] = u[0, 0, 0]
        for q in range(2):
            g[q][0, 0, 0] = f[q][0, 0, 0]

    @hc.kernel
    def copy_surface(s, t):
        t[0, 0] = s[0, 0]

    grid = hc.Grid((6, 4, 4))
    random, pairs = np.random.default_rng(1), []
    for name, options in {
        "u": {"location": "x_face"},
        "s": {"axes": "xy"},
        "f": {"components": 2, "layout": "aos"},
    }.items():
        cut = grid.field(name, **options)
        cut.set(random.random(((2,) if name == "f" else ()) + cut.space.shape))
        pairs.append((cut, grid.replicated().field(f"{name}_whole", **options)))
    (u, w), (s, t), (f, g) = pairs
    steps = [copy(u, s, f, w, t, g), copy_surface(s, t)]
    simulation = hc.Simulation(grid, steps, threads=1, decomposition=(2, 2, 2), blocks=8)
    simulation.run(1, progress=False)
    for cut, whole in pairs:
        expected = cut.gather()
        assert all(np.array_equal(one, expected) for one in whole.local())


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 13])
def test_ranks_double_what_they_have_with_each_exchange(ranks):
    """Plans of all ranks, executed here with sets of cells."""
    grid = hc.Grid((26, 4))
    u, w = grid.field("u"), grid.replicated().field("w")

    @hc.kernel
    def copy(u, w):
        w[0, 0] = u[0, 0]

    plans = [plan_for(grid, [copy(u, w)], ranks=ranks, rank=r, blocks=2) for r in range(ranks)]
    have = {b.number: set(_cells(b.box)) for plan in plans for b in plan.blocks}
    count = (ranks - 1).bit_length()
    numbers = sorted({exchange.number for plan in plans for exchange in plan.exchanges})
    assert all(sum(len(e.sends) for e in plan.exchanges) == count for plan in plans)
    for number in numbers:
        exchanges = [e for plan in plans for e in plan.exchanges if e.number == number]
        sent = {part for e in exchanges for m in e.sends for part in m.parts}
        assert sent == {part for e in exchanges for m in e.receives for part in m.parts}
        parts = sent.union(*(e.copies for e in exchanges))
        assert all(have[part.source].issuperset(_cells(part.box)) for part in parts)
        for part in parts:
            have[part.target].update(_cells(part.box))
    assert all(cells == set(_cells(grid.domain)) for cells in have.values())
    waits = [op for op in plans[0].operations() if isinstance(op, ops.Wait)]
    assert len(waits) == len(plans[0].exchanges)


def _cells(box):
    return [(x, y) for x in range(*_ends(box, 0)) for y in range(*_ends(box, 1))]


def _ends(box, axis):
    return box.lower[axis], box.upper[axis]


def _mistake(name):
    grid = hc.Grid((8, 8))
    u, w = grid.field("u"), grid.replicated().field("w")
    total = grid.replicated().field("total", axes="x")

    @hc.kernel
    def both(u, w):
        u[0, 0] = 1.0
        w[0, 0] = 1.0

    @hc.kernel
    def beside(u, w):
        w[1, 0] = u[0, 0]

    @hc.kernel
    def copy(u, w):
        w[0, 0] = u[0, 0]

    match name:
        case "both":
            both(u, w)
        case "beside":
            beside(u, w)
        case "layer":
            copy(u, w, on="x-")
        case "sweep":
            hc.sum(u, over="y", into=total)
        case "swap":
            hc.swap(u, w)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("both", "a field on 'xy' of 8x8 replicated cells; expected fields with the same cells"),
        ("beside", "assigns at an offset to give a replicated field values of fields that are cut"),
        ("layer", "runs beyond a side to give a replicated field values"),
        ("sweep", "sweeps to give a replicated field values of fields that are cut into blocks"),
        ("swap", "'w' of 8x8 replicated cells on 'xy'; expected fields with the same cells"),
    ],
)
def test_what_blocks_cannot_share_is_refused(name, message):
    with pytest.raises((GridError, KernelError, PlanError)) as error:
        _mistake(name)
    assert message in str(error.value)


def test_cuts_within_a_cell_are_refused():
    grid = hc.Grid((12, 12))
    w = grid.replicated().coarsen(2).field("w")
    u = grid.field("u")
    simulation = hc.Simulation(grid, [lambda: None], decomposition=(4, 1), blocks=4, threads=1)
    simulation.run(0, progress=False)
    with pytest.raises(PlanError, match=r"cut along x at 3, within a cell of a grid of 6x6 cells"):
        simulation.execute(hc.restrict(u, w))
