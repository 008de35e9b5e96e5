"""With coupling="quadratic" levels see parabolas across borders, and refining does no harm."""

from __future__ import annotations

import numpy as np
import pytest
from unit.forests.test_leaves import random_wanted

import halocline as hc

POISON = hc.Strategy(poison=True)


@hc.kernel
def far(T, S):
    """Reads two cells away along each axis, and along diagonals."""
    S[T.here] = sum(
        T[tuple(2 * w if n == axis else w for n in range(T.dimensions))]
        for axis in range(T.dimensions)
        for w in (-1, 1)
    )


def parabola(*at):
    x = [a - 7.3 for a in at]
    return 1.0 + sum((n + 1) * a + (2 - n) * a * a for n, a in enumerate(x)) + x[0] * x[-1]


def seen_far(*at, width):
    """Return what 'far' makes of the parabola."""
    return sum(
        parabola(*(a + (2 * w if n == axis else w) * width for n, a in enumerate(at)))
        for axis in range(len(at))
        for w in (-1, 1)
    )


@pytest.mark.parametrize("is_loop", [False, True], ids=["sub-cycled", "once"])
@pytest.mark.parametrize(
    ("dimensions", "seed", "block"), [(1, 0, 8), (2, 1, 8), (2, 2, 6), (3, 0, 8)]
)
def test_kernels_read_parabolas_across_borders(dimensions, seed, block, is_loop):
    extent = (4 * block, 3 * block, 3 * block)[:dimensions]
    wanted = random_wanted(seed, extent)
    forest = hc.Forest(extent, block=block, finest=2, refine=lambda *at: np.minimum(wanted(*at), 2))
    T, S = forest.field("T", coupling="quadratic"), forest.field("S")
    T.boundary(forest.sides, hc.Dirichlet(0.0))
    T.set(parabola)
    step = far(T, S)
    steps = [hc.repeat(1, step)] if is_loop else [step]
    hc.Simulation(forest, steps, strategy=POISON).run(1, progress=False)
    origin, beside = (0,) * dimensions, (-6,) * dimensions
    for level, field in enumerate(S.levels):
        domain = field.grid.domain
        right = seen_far(*field.grid.coordinates("center", domain), width=0.5**level)
        for box in forest.leaves.boxes(level):
            # Beside sides a boundary says something else.
            cells = box.intersect(domain.grow(beside, beside)).slices(origin)
            assert np.allclose(field[...][cells], right[cells], rtol=1e-12)


def test_a_constant_is_kept_to_the_bit():

    def wanted(*at):
        return np.minimum(random_wanted(5, (16, 16))(*at), 2)

    forest = hc.Forest((16, 16), block=4, finest=2, refine=wanted, periodic=True)
    T, S = forest.field("T", coupling="quadratic"), forest.field("S")
    T.set(0.1)
    hc.Simulation(forest, [average(T, S), hc.swap(T, S)], strategy=POISON).run(3, progress=False)
    assert all((one == 0.1).all() for field in T.levels for one in field.local())


@hc.kernel
def average(T, S):
    S[T.here] = 0.5 * (T[-1, 0] + T[0, 1])


@hc.kernel
def conduct(T, Fx, Fy, *, k):
    Fx[0, 0] = -k * (T[0, 0] - T[-1, 0])
    Fy[0, 0] = -k * (T[0, 0] - T[0, -1])


@hc.kernel
def heat(T, Fx, Fy, *, share):
    T[0, 0] = T[0, 0] - share * (Fx[1, 0] - Fx[0, 0] + Fy[0, 1] - Fy[0, 0])


@hc.kernel
def heat_directly(T, T_new, *, k):
    T_new[0, 0] = T[0, 0] + k * (T[1, 0] + T[-1, 0] + T[0, 1] + T[0, -1] - 4 * T[0, 0])


def error(cells, finest, *, is_flux=True, substeps=2):
    """Return the greatest error of a wave that has decayed, with a refined ball."""

    def wanted(x, y):
        return np.where(np.hypot(x - 0.4, y - 0.6) < 0.25, finest, 0)

    def wave(x, y):
        return np.sin(2 * np.pi * x + 0.3) * np.sin(2 * np.pi * y + 1.1)

    forest = hc.Forest(
        (cells,) * 2,
        **{"block": 8, "finest": finest, "refine": wanted},
        **{"periodic": True, "spacing": 1 / cells, "substeps": substeps},
    )
    T, T_new = (forest.field(name, coupling="quadratic") for name in ("T", "T_new"))
    Fx, Fy = (forest.field(f"F{a}", location=f"{a}_face", coupling="flux") for a in "xy")
    T.set(wave)
    share = hc.PerLevel(lambda level: (2 / substeps) ** level)
    rate = hc.PerLevel(lambda level: 0.05 * 2**level)
    both = hc.PerLevel(lambda level: 0.05 * (4 / substeps) ** level)
    steps = [conduct(T, Fx, Fy, k=rate), heat(T, Fx, Fy, share=share)]
    if not is_flux:
        steps = [heat_directly(T, T_new, k=both), hc.swap(T, T_new)]
    count = cells**2 // 10
    hc.Simulation(forest, steps, strategy=hc.Strategy()).run(count, progress=False)
    decayed = np.exp(-8 * np.pi**2 * 0.05 * count / cells**2)
    return max(
        abs(one - decayed * wave(*field.grid.coordinates("center", box))).max(initial=0.0)
        for field in T.levels
        for box, one in zip(field.own_boxes(), field.local(), strict=True)
    )


@pytest.mark.parametrize("substeps", [1, 2])
def test_refining_a_smooth_field_leaves_order_and_error_as_they_were(substeps):
    whole, half = error(32, 0), error(64, 0)
    assert whole == pytest.approx(4 * half, rel=0.05)
    assert error(32, 1, substeps=substeps) < 1.02 * whole
    assert error(64, 1, substeps=substeps) < 1.02 * half


@pytest.mark.parametrize("substeps", [1, 2])
def test_without_fluxes_the_error_is_of_second_order_too(substeps):
    whole, half = (error(cells, 1, is_flux=False, substeps=substeps) for cells in (32, 64))
    assert whole > 3.9 * half
    assert whole < 1.4 * error(32, 0)


@pytest.mark.parametrize(
    "options", [{"location": "x_face"}, {"dtype": "int32"}], ids=["on faces", "integers"]
)
def test_what_has_no_parabola_is_refused(options):
    forest = hc.Forest((16, 16), block=8, refine=lambda x, y: x + y < 8, periodic=True)
    u, S = forest.field("u", coupling="quadratic", **options), forest.field("S")
    what = f"Field 'u' of {u.dtype} values at '{options.get('location', 'center')}' was given"
    with pytest.raises(hc.HaloclineError, match=f"{what} the coupling 'quadratic'; expected floa"):
        hc.Simulation(forest, [far(u, S)])
