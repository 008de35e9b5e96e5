"""Steps of forests give the values of a plain model in NumPy, and keep what they should."""

from __future__ import annotations

import numpy as np
import pytest
from plain_forests import PlainForest
from unit.forests.test_leaves import random_wanted

import halocline as hc

POISON = hc.Strategy(poison=True)


@hc.kernel
def heat(T, T_new, *, a):
    """Reads its neighbours along all axes."""
    near = 0.0
    for axis in range(T.dimensions):
        for step in (-1, 1):
            beside = tuple(step if n == axis else 0 for n in range(T.dimensions))
            near = near + (T[beside] - T[T.here])
    T_new[T.here] = T[T.here] + a * near


def heated(plain, a):
    def kernel(T, level):
        near = sum(plain.beside(T, axis, step) - T for axis in range(T.ndim) for step in (-1, 1))
        return T + a * 2**level * near

    return kernel


def start(*at):
    return sum(np.sin(0.7 * (n + 1) * x + n) for n, x in enumerate(at))


def values(field, plain):
    """Return the arrays of all levels, and check that they have the leaves' cells."""
    result = []
    for level, grid_field in enumerate(field.levels):
        found = np.full(plain.is_leaf[level].shape, np.nan)
        for block, array in zip(grid_field.storage.blocks, grid_field.local(), strict=True):
            found[block.box.slices((0,) * found.ndim)] = array
        assert (np.isnan(found) == ~plain.is_leaf[level]).all()
        result.append(found)
    return result


def simulated(forest, substeps=2):
    T, T_new = forest.field("T"), forest.field("T_new")
    for side in forest.sides:
        T.boundary(side, hc.Neumann(0.0))
    a = hc.PerLevel(lambda level: 0.01 * 2**level)
    steps = [heat(T, T_new, a=a), hc.swap(T, T_new)]
    return hc.Simulation(forest, steps, strategy=POISON), T


@pytest.mark.parametrize(("dimensions", "seed"), [(1, 0), (2, 0), (2, 1), (2, 2), (3, 0), (3, 3)])
@pytest.mark.parametrize("substeps", [1, 2])
def test_random_forests_have_the_values_of_a_plain_model(dimensions, seed, substeps):
    extent, periodic = (16, 24, 16)[:dimensions], (True, False, True)[:dimensions]
    wanted = random_wanted(seed, extent)
    forest = hc.Forest(
        extent, block=8, finest=3, refine=wanted, periodic=periodic, substeps=substeps
    )
    plain = PlainForest(extent, 8, 3, wanted, periodic, substeps)
    simulation, T = simulated(forest)
    T.set(start)
    simulation.run(3, progress=False)
    expected = [np.asarray(start(*plain.places(level))) for level in range(plain.finest + 1)]
    for _ in range(3):
        plain.step(expected, heated(plain, 0.01))
    for found, right, is_leaf in zip(values(T, plain), expected, plain.is_leaf, strict=True):
        assert np.allclose(found[is_leaf], right[is_leaf], rtol=0, atol=1e-14)


@hc.kernel
def ahead(T, T_new):
    """Reads two cells ahead along all axes."""
    beyond = 0.0
    for axis in range(T.dimensions):
        beyond = beyond + T[tuple(2 if n == axis else 0 for n in range(T.dimensions))]
    T_new[T.here] = T[T.here] + 0.02 * (beyond - T.dimensions * T[T.here])


def once(plain, T, kernel):
    """Return the values after a kernel that is done once on each level."""
    for l in reversed(range(plain.finest)):
        T[l] = np.where(plain.is_refined[l], plain.restricted(T[l + 1]), T[l])
    for l in range(plain.finest):
        inner = plain.is_leaf[l + 1] | plain.is_refined[l + 1]
        T[l + 1] = np.where(inner, T[l + 1], plain.prolonged(T[l]))
    return [kernel(values, l) for l, values in enumerate(T)]


def moved_ahead(plain):
    def kernel(T, level):
        twice = [plain.beside(plain.beside(T, axis, 1), axis, 1) for axis in range(T.ndim)]
        return T + 0.02 * (sum(twice) - T.ndim * T)

    return kernel


# Steps that are done three times.
LOOPS = {
    "repeat": lambda T, *body: hc.repeat(3, *body),
    "nested": lambda T, *body: hc.repeat(3, hc.repeat(1, *body)),
    "until": lambda T, *body: hc.until(
        hc.max(T) < -9, *body, max_iterations=3, on_failure="ignore"
    ),
    "every": lambda T, *body: [hc.every(1, *body)] * 3,
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("is_first", [True, False], ids=["sub-cycled first", "loops alone"])
@pytest.mark.parametrize(("dimensions", "seed"), [(1, 0), (2, 1), (3, 3)])
def test_kernels_in_loops_have_the_values_of_a_plain_model(dimensions, seed, is_first, loop):
    extent, periodic = (16, 24, 16)[:dimensions], (True,) * dimensions
    wanted = random_wanted(seed, extent)
    forest = hc.Forest(extent, block=8, finest=3, refine=wanted, periodic=periodic)
    plain = PlainForest(extent, 8, 3, wanted, periodic)
    T, T_new = forest.field("T"), forest.field("T_new")
    a = hc.PerLevel(lambda level: 0.01 * 2**level)
    first = [heat(T, T_new, a=a), hc.swap(T, T_new)] if is_first else []
    body = (ahead(T, T_new), hc.swap(T, T_new))
    simulation = hc.Simulation(forest, [*first, LOOPS[loop](T, *body)], strategy=POISON)
    T.set(start)
    simulation.run(2, progress=False)
    expected = [np.asarray(start(*plain.places(level))) for level in range(plain.finest + 1)]
    for _ in range(2):
        if is_first:
            plain.step(expected, heated(plain, 0.01))
        for _ in range(3):
            expected = once(plain, expected, moved_ahead(plain))
    for found, right, is_leaf in zip(values(T, plain), expected, plain.is_leaf, strict=True):
        assert np.allclose(found[is_leaf], right[is_leaf], rtol=0, atol=1e-14)


def test_a_constant_state_stays_constant_to_the_bit():
    wanted = random_wanted(5, (16, 16, 16))
    forest = hc.Forest((16, 16, 16), block=4, finest=3, refine=wanted, periodic=True)
    simulation, T = simulated(forest)
    T.set(0.1)
    simulation.run(5, progress=False)
    for field in T.levels:
        assert all((array == 0.1).all() for array in field.local())


@hc.kernel
def fluxes(T, Fx, Fy, *, k):
    Fx[0, 0] = -k * (T[0, 0] - T[-1, 0])
    Fy[0, 0] = -k * (T[0, 0] - T[0, -1])


@hc.kernel
def balance(T, Fx, Fy):
    T[0, 0] = T[0, 0] - (Fx[1, 0] - Fx[0, 0] + Fy[0, 1] - Fy[0, 0])


def content_changed(*, periodic, coupling, substeps=2, strategy=POISON):
    """Return by how much the content of a domain changes in some steps, relatively."""
    forest = hc.Forest(
        (32, 32),
        block=8,
        finest=2,
        periodic=periodic,
        substeps=substeps,
        refine=lambda x, y: np.where(x * y < 9, 2, 0),
    )
    T = forest.field("T")
    Fx = forest.field("Fx", location="x_face", coupling=coupling)
    Fy = forest.field("Fy", location="y_face", coupling=coupling)
    for side in forest.sides:
        T.boundary(side, hc.Neumann(0.0))
        (Fx if side[0] == "x" else Fy).boundary(side, hc.Dirichlet(0.0))
    k = hc.PerLevel(lambda level: 0.05 * 2**level)
    steps = [fluxes(T, Fx, Fy, k=k), balance(T, Fx, Fy)]
    simulation = hc.Simulation(forest, steps, strategy=strategy)
    T.set(lambda x, y: 2.0 + np.sin(37.0 * x * x + 1) * np.cos(21.3 * y * y + 3 * x))
    simulation.run(0, progress=False)

    def content():
        return sum(a.sum() / 4**level for level, f in enumerate(T.levels) for a in f.local())

    before = content()
    simulation.run(50, progress=False)
    return abs(content() / before - 1)


@pytest.mark.parametrize("periodic", [True, False])
def test_flux_correction_keeps_the_content(periodic):
    assert content_changed(periodic=periodic, coupling="flux") < 1e-14


@pytest.mark.parametrize("substeps", [1, 2])
def test_fluxes_are_corrected_where_results_of_neighbours_may_be_computed_again(substeps):
    given = {"periodic": True, "coupling": "flux", "substeps": substeps}
    free = hc.Strategy(poison=True, recompute="fewest-bytes")
    assert content_changed(**given, strategy=free) == content_changed(**given)


def test_without_flux_correction_content_is_lost():
    assert content_changed(periodic=True, coupling="none") > 1e-5


@pytest.mark.parametrize("loop", [hc.repeat, hc.every])
def test_fluxes_in_loops_are_refused(loop):
    forest = hc.Forest((16, 16), block=8, refine=lambda x, y: np.where(x < 4, 1, 0) + 0 * y)
    T = forest.field("T")
    Fx, Fy = (forest.field(f"F{a}", location=f"{a}_face", coupling="flux") for a in "xy")
    body = fluxes(T, Fx, Fy, k=0.1), balance(T, Fx, Fy)
    with pytest.raises(
        hc.HaloclineError, match="Kernel 'balance' reads the flux 'Fx' of a neighbour"
    ):
        hc.Simulation(forest, [loop(2, *body)])


@hc.kernel
def copy(T, copied):
    copied[0, 0] = T[0, 0]


def refined_on_the_left(substeps):
    return hc.Forest(
        (16, 16),
        block=8,
        periodic=True,
        substeps=substeps,
        refine=lambda x, y: np.where(x < 4, 1, 0) + 0 * y,
    )


UNCOUPLED = "Field 'T' has the coupling 'none', its values change, and the next step reads them"


@pytest.mark.parametrize("substeps", [1, 2])
def test_fields_without_coupling_are_not_carried_across_borders_from_step_to_step(substeps):
    forest = refined_on_the_left(substeps)
    T, T_new = (forest.field(name, coupling="none") for name in ("T", "T_new"))
    kept, other = forest.field("kept", coupling="none"), forest.field("other")
    steps = [heat(T, T_new, a=0.1), hc.swap(T, T_new)]
    with pytest.raises(hc.HaloclineError, match=UNCOUPLED):
        hc.Simulation(forest, steps)
    with pytest.raises(hc.HaloclineError, match=UNCOUPLED):
        hc.Simulation(forest, [copy(T_new, T), hc.every(2, heat(T, T_new, a=0.1))])
    # What no step changes, and what is assigned before, may be read anywhere.
    simulation = hc.Simulation(forest, [heat(kept, T, a=0.1), heat(T, T_new, a=0.1)])
    with pytest.raises(hc.HaloclineError, match="'kept' has the coupling 'none', its values chang"):
        simulation.execute(copy(T, kept))
    simulation.execute(copy(kept, other))


@pytest.mark.parametrize("substeps", [1, 2])
def test_what_a_kernel_makes_of_another_ones_results_is_read_across_borders(substeps):
    forest = refined_on_the_left(substeps)
    T, twice, copied, near = (forest.field(name) for name in ("T", "twice", "copied", "near"))
    T.set(1.0)

    @hc.kernel
    def double(T, twice):
        twice[0, 0] = 2 * T[0, 0]

    @hc.kernel
    def look(copied, near):
        near[0, 0] = copied[-1, 0] + copied[1, 0]

    steps = [double(T, twice), copy(twice, copied), look(copied, near)]
    hc.Simulation(forest, steps, strategy=POISON).run(1, progress=False)
    assert all((array == 4).all() for field in near.levels for array in field.local())


def test_reductions_count_cells_by_their_volume_and_steps_can_be_done_once():
    forest = hc.Forest(
        (16, 16), block=8, finest=2, refine=lambda x, y: np.where(x < 4, 2, 1) + 0 * y
    )
    T, twice = forest.field("T"), forest.field("twice")
    T.set(lambda x, y: x + 10 * y)

    @hc.kernel
    def double(T, twice):
        twice[0, 0] = 2 * T[0, 0]

    simulation = hc.Simulation(forest, [double(T, twice), hc.every(2, hc.max(twice))])
    assert simulation.reduce(hc.sum(T)) == pytest.approx(16 * 16 * 88)
    simulation.execute(double(T, twice))
    assert simulation.reduce(hc.max(twice)) == 2 * max(a.max() for f in T.levels for a in f.local())
    simulation.run(2, progress=False)


def test_kernels_in_loops_read_next_door_across_borders():
    """Nothing else that is done reads there."""
    forest = hc.Forest(
        (32, 32), block=8, finest=1, periodic=True, refine=lambda x, y: np.where(x * y < 64, 1, 0)
    )
    T, copied, slope = (forest.field(name) for name in ("T", "copied", "slope"))
    T.set(lambda x, y: 3 * y + 0 * x)

    @hc.kernel
    def steepness(copied, slope):
        slope[0, 0] = copied[0, 3] - copied[0, -3]

    steps = [copy(T, copied), hc.every(1, steepness(copied, slope))]
    simulation = hc.Simulation(forest, steps)
    simulation.run(1, progress=False)
    for level, boxes in enumerate(forest.leaves.boxes(n) for n in range(2)):
        values, rows = slope.level(level)[...], 32 * 2**level
        for box in boxes:
            found = values[box.slices((0, 0))]
            inner = [3 <= y < rows - 3 for y in range(box.lower[1], box.upper[1])]
            assert np.allclose(found[:, inner], 18 / 2**level)


def test_what_no_forest_can_do_is_refused():
    forest = hc.Forest(
        (16, 16), block=4, finest=1, refine=lambda x, y: np.where(x < 4, 1, 0) + 0 * y
    )
    other = hc.Forest((16, 16), block=4, finest=0, refine=lambda x, y: 0 * x * y)
    T, F, N = forest.field("T"), forest.field("F", coupling="flux"), forest.field("N")
    with pytest.raises(hc.HaloclineError, match="of another forest; expected fields of one forest"):
        hc.swap(T, other.field("U"))
    with pytest.raises(hc.HaloclineError, match="was set to ndarray; expected a number or a func"):
        T.set(np.zeros((16, 16)))
    with pytest.raises(hc.HaloclineError, match="coupling 'flux' and the location 'center'"):
        hc.Simulation(forest, [heat(T, F, a=0.1), heat(F, T, a=0.1)])

    odd = forest.field("odd", coupling="quintic")
    with pytest.raises(hc.HaloclineError, match="unknown coupling 'quintic'"):
        hc.Simulation(forest, [heat(odd, N, a=0.1)])


def test_what_patches_do_not_store_is_refused_where_a_kernel_would_use_it():
    forest = refined_on_the_left(2)
    T, T_new, twice = (forest.field(name) for name in ("T", "T_new", "twice"))
    simulation = hc.Simulation(forest, [heat(T, T_new, a=0.1), hc.swap(T, T_new)])
    simulation.execute(heat(T, twice, a=0.1))
    simulation.execute(copy(T_new, twice))
    # Two sub-steps later the values lie in 'T': nobody ever reads 'T_new' under finer levels.
    with pytest.raises(hc.HaloclineError) as refused:
        simulation.execute(heat(T_new, twice, a=0.1))
    assert str(refused.value) == (
        "Field 'T_new_level1' would be used along borders of levels, where it is not stored. Put "
        "the kernel into the steps of the simulation, then its halo is known."
    )
