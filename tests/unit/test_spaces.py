"""Fields of related spaces in one program: fewer axes, coarser grids, faces, columns."""

import numpy as np
import pytest
from related import Related

import halocline as hc

CHOICES = [
    {},
    {"blocks": 4, "decomposition": (1, 2, 2)},
    {"blocks": 4, "decomposition": (2, 2, 1), "strategy": hc.Strategy(poison=True)},
    {"blocks": 2, "decomposition": (2, 1, 1), "strategy": hc.Strategy(overlap="rim-first")},
    {"blocks": 2, "decomposition": (1, 1, 2), "strategy": hc.Strategy(overlap="postponed")},
    {"blocks": 4, "decomposition": (2, 2, 1), "strategy": hc.Strategy(neighbours="staged")},
]


def run(problem, steps, **options):
    simulation = hc.Simulation(problem.grid, problem.steps, **{"threads": 1} | options)
    simulation.run(steps, progress=False)
    return simulation


@pytest.mark.parametrize("target", ["numpy", "c++"])
@pytest.mark.parametrize("options", CHOICES)
def test_a_program_on_related_spaces_means_the_same_however_it_is_cut(options, target):
    problem = Related()
    simulation = run(problem, 3, target=target, **options)
    expected = problem.expected(3)
    for name, values in expected.items():
        assert np.allclose(problem.fields[name].gather(), values, rtol=1e-13, atol=1e-13), name
    total = (expected["T"] * expected["depth"][:, :, None]).sum()
    assert simulation.reduce(problem.total) == pytest.approx(total, rel=1e-12)


def test_deep_halos_and_devices_do_the_same():
    found = []
    for options in ({}, {"strategy": hc.Strategy(depth=2, poison=True)}, {"device": "emulated"}):
        problem = Related((16, 16, 8))
        run(problem, 3, blocks=2, decomposition=(1, 2, 1), **options)
        found.append([field.gather().tolist() for field in problem.fields.values()])
    assert found[0] == found[1] == found[2]


def test_values_have_the_shape_of_the_axes_that_a_field_has():
    grid = hc.Grid((4, 3, 2), periodic=(True, False, False))
    surface, u = grid.field("surface", axes="xz"), grid.field("u", location="xy_edge")
    coarse = grid.coarsen((2, 1, 2)).field("coarse")
    surface.set(lambda x, z: x + 10.0 * z)
    u.set(1.0)
    hc.Simulation(grid, [lambda: None], target="numpy", blocks=2).run(0)
    assert surface.gather()[:, 1].tolist() == [15.5, 16.5, 17.5, 18.5]
    # A face more along y, which does not close.
    assert (u.gather().shape, coarse.gather().shape) == ((4, 4, 2), (2, 3, 1))


def test_a_swept_axis_is_cut_only_if_the_others_do_not_suffice():
    problem = Related((8, 8, 4))
    simulation = hc.Simulation(problem.grid, problem.steps, target="numpy", blocks=4)
    assert simulation.decomposition.shape[2] == 1


def test_blocks_hold_whole_cells_of_coarser_grids():
    grid = hc.Grid((12, 12))
    grid.coarsen(4)
    simulation = hc.Simulation(grid, [lambda: None], target="numpy", blocks=2)
    assert simulation.decomposition.cuts[1] in ((0, 4, 12), (0, 12))


def test_grids_of_one_family_are_found_again():
    grid = hc.Grid((8, 12), spacing=0.5)
    coarse = grid.coarsen((2, 3))
    assert coarse.extent == (4, 4)
    assert coarse.spacing == (1.0, 1.5)
    assert coarse.refine((2, 3)) is grid
    assert grid.coarsen((2, 3)) is coarse


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("axis", range(3))
def test_a_sweep_solves_tridiagonal_systems_along_each_axis(axis, sign):
    n = (5, 6, 7)
    grid = hc.Grid(n)
    a, b, c, d = (grid.field(name) for name in "abcd")
    random = np.random.default_rng(0)
    values = {field: random.random(n) for field in (a, b, c, d)}
    values[b] += 3.0
    for field, given in values.items():
        field.set(given)
    forward, backward = ("xyz"[axis] + way for way in ("+-" if sign > 0 else "-+"))

    @hc.sweep(forward)
    def eliminate(before, a, b, c, d):
        c_before, d_before = before
        pivot = 1.0 / (b[0, 0, 0] - a[0, 0, 0] * c_before)
        c[0, 0, 0] = c[0, 0, 0] * pivot
        d[0, 0, 0] = (d[0, 0, 0] - a[0, 0, 0] * d_before) * pivot
        return c, d

    @hc.sweep(backward)
    def substitute(after, c, d):
        d[0, 0, 0] = d[0, 0, 0] - c[0, 0, 0] * after
        return d

    steps = [eliminate(a, b, c, d, start=(0.0, 0.0)), substitute(c, d)]
    shape = [1, 1, 1]
    shape[axis] = 2
    hc.Simulation(grid, steps, blocks=2, decomposition=tuple(shape), threads=1).run(1)
    columns = {field: np.moveaxis(given, axis, 2)[:, :, ::sign] for field, given in values.items()}
    found = np.moveaxis(d.gather(), axis, 2)[:, :, ::sign]
    for place in np.ndindex(found.shape[:2]):
        one = {field: given[place] for field, given in columns.items()}
        matrix = np.diag(one[b]) + np.diag(one[a][1:], -1) + np.diag(one[c][:-1], 1)
        assert np.allclose(matrix @ found[place], one[d])


def test_sums_and_extremes_over_axes():
    grid = hc.Grid((4, 5, 6))
    T, column, profile = grid.field("T"), grid.field("column", axes="xy"), grid.field("p", axes="z")
    least = grid.field("least", axes="y")
    values = np.random.default_rng(0).integers(0, 99, (4, 5, 6)).astype(float)
    T.set(values)
    steps = [
        hc.sum(2.0 * T, over="z", into=column),
        hc.max(T, over="xy", into=profile),
        hc.min(T + profile, over="xz", into=least),
    ]
    hc.Simulation(grid, steps, target="numpy", blocks=6, decomposition=(1, 2, 3)).run(1)
    assert np.array_equal(column.gather(), 2.0 * values.sum(2))
    assert np.array_equal(profile.gather(), values.max((0, 1)))
    assert np.array_equal(least.gather(), (values + values.max((0, 1))).min((0, 2)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_extremes_of_whole_numbers_over_axes(dtype):
    grid = hc.Grid((4, 5, 6))
    n, rows = grid.field("n", dtype=dtype), grid.field("rows", dtype=dtype, axes="x")
    column = grid.field("column", dtype=dtype, axes="xy")
    limits = np.iinfo(dtype)
    values = np.random.default_rng(0).integers(limits.min, limits.max, (4, 5, 6), endpoint=True)
    values[0], values[1] = limits.min, limits.max
    n.set(values)
    steps = [hc.max(n, over="yz", into=rows), hc.min(n, over="z", into=column)]
    hc.Simulation(grid, steps, target="numpy", blocks=2, decomposition=(1, 1, 2)).run(1)
    assert np.array_equal(rows.gather(), values.max((1, 2)))
    assert np.array_equal(column.gather(), values.min(2))


@pytest.mark.parametrize("ratio", [2, 3])
@pytest.mark.parametrize("location", ["center", "y_face"])
def test_transfers_of_second_order_keep_linear_functions(location, ratio):
    grid = hc.Grid((6 * ratio, 6 * ratio), spacing=0.5)
    coarse_grid = grid.coarsen(ratio)
    fine, back = (grid.field(name, location=location) for name in ("fine", "back"))
    coarse = coarse_grid.field("coarse", location=location)

    def linear(x, y):
        return 1.0 + 2.0 * x - 3.0 * y

    fine.set(linear)
    for field, slope in ((fine, 1.0), (coarse, 1.0)):
        for side, outward in (("x-", -2.0), ("x+", 2.0), ("y-", 3.0), ("y+", -3.0)):
            if not (location == "y_face" and side[0] == "y" and field is coarse):
                field.boundary(side, hc.Neumann(slope * outward))
    steps = [hc.restrict(fine, coarse), hc.prolong(coarse, back, order=2)]
    hc.Simulation(grid, steps, target="numpy", blocks=2).run(1)
    exact = fine.gather()
    inner = (slice(ratio, -ratio),) * 2
    assert np.allclose(back.gather()[inner], exact[inner])


def test_transfers_of_first_order_are_means_and_copies():
    grid = hc.Grid((4, 6))
    fine, copied = grid.field("fine"), grid.field("copied")
    coarse = grid.coarsen((2, 3)).field("coarse")
    values = np.arange(24.0).reshape(4, 6)
    fine.set(values)
    steps = [hc.restrict(fine, coarse), hc.prolong(coarse, copied)]
    hc.Simulation(grid, steps, target="numpy").run(1)
    means = values.reshape(2, 2, 2, 3).mean((1, 3))
    assert np.array_equal(coarse.gather(), means)
    assert np.array_equal(copied.gather(), means.repeat(2, 0).repeat(3, 1))


def test_what_is_known_of_a_plan_needs_no_run():
    problem = Related((16, 16, 8))
    from halocline.plan.pipeline import plan_for

    plans = [plan_for(problem.grid, problem.steps, ranks=8, rank=rank) for rank in range(8)]
    for plan in plans:
        for exchange in plan.exchanges:
            for message in exchange.sends:
                other = plans[message.target].exchanges
                mirrored = [m for e in other for m in e.receives if m.tag == message.tag]
                assert [m.parts for m in mirrored if m.source == plan.rank] == [message.parts]
