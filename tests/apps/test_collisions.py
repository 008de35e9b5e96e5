"""Collisions conserve what they must, leave equilibrium alone, and contain each other."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm.collision.relaxation import odd_rate, stress
from halocline.apps.lbm.flow import kernels
from halocline.errors import CaseError
from halocline.lbm import (
    bgk,
    central,
    cumulant,
    equilibrium,
    mrt,
    regularised,
    smagorinsky,
    trt,
    velocity_set,
)

OMEGA = 1.3
FORCE = (1e-3, -2e-3, 5e-4)
ANY = {
    "bgk": bgk,
    "trt": trt(),
    "regularised": regularised,
    "smagorinsky": smagorinsky(0.15),
    "smagorinsky trt": smagorinsky(0.15, trt()),
}
CASES = [
    *((name, c) for name in ("D2Q9", "D3Q15", "D3Q19", "D3Q27") for c in ANY.values()),
    ("D2Q9", mrt()),
    ("D3Q19", mrt()),
    ("D3Q27", cumulant),
    *((name, central()) for name in ("D2Q9", "D3Q19", "D3Q27")),
]


def random_state(lattice, seed=3):
    """Return populations of some cells, as deviations from rest, each a tenth of its weight."""
    random = np.random.default_rng(seed)
    return [0.2 * w * (random.random(50) - 0.5) for w in lattice.weights]


def momentum(lattice, populations):
    return np.einsum("ia,ic->ac", np.array(lattice.velocities, float), np.array(populations))


def force_of(lattice, is_forced):
    return FORCE[: lattice.dimensions] if is_forced else ()


@pytest.mark.parametrize(("name", "collision"), CASES)
@pytest.mark.parametrize("is_forced", [False, True])
def test_mass_is_conserved_and_momentum_grows_by_the_force(name, collision, is_forced):
    lattice = velocity_set(name)
    f, force = random_state(lattice), force_of(lattice, is_forced)
    result = collision(lattice, f, OMEGA, force)
    assert np.sum(result, axis=0) == pytest.approx(np.sum(f, axis=0), abs=1e-15)
    gained = momentum(lattice, result) - momentum(lattice, f)
    expected = np.array(force or (0.0,) * lattice.dimensions)[:, None] + 0.0 * gained
    assert gained == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("name", "collision"), CASES)
def test_rest_and_slow_equilibrium_stay(name, collision):
    lattice = velocity_set(name)
    speed = 1e-4
    u = [np.array([0.0, speed, -0.5 * speed])] * lattice.dimensions
    f = equilibrium(lattice, np.array([1.0, 1.0, 1.02]), u)
    # The cumulant's equilibrium has terms of third order in the velocity.
    assert np.array(collision(lattice, f, OMEGA, ())) == pytest.approx(np.array(f), abs=speed**2)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("is_forced", [False, True])
def test_two_equal_rates_are_one(name, is_forced):
    lattice = velocity_set(name)
    f, force = random_state(lattice), force_of(lattice, is_forced)
    magic = (1 / OMEGA - 0.5) ** 2
    assert odd_rate(OMEGA, magic) == pytest.approx(OMEGA)
    expected = bgk(lattice, f, OMEGA, force)
    assert np.array(trt(magic)(lattice, f, OMEGA, force)) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize("is_forced", [False, True])
def test_moments_with_the_rate_of_the_stress_are_two_rates(name, is_forced):
    lattice = velocity_set(name)
    f, force = random_state(lattice), force_of(lattice, is_forced)
    found = mrt(energy=OMEGA, higher=OMEGA, odd=1e-3)(lattice, f, OMEGA, force)
    assert np.array(found) == pytest.approx(np.array(trt()(lattice, f, OMEGA, force)))
    other = mrt()(lattice, f, OMEGA, force)
    assert np.abs(np.array(other) - found).max() > 1e-5


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
def test_odd_moments_never_relax_more_slowly_than_the_least_rate(name):
    lattice = velocity_set(name)
    f = random_state(lattice)
    magic_of_least = (1 / OMEGA - 0.5) * (1 / 1.2 - 0.5)
    found = mrt(energy=OMEGA, higher=OMEGA)(lattice, f, OMEGA, ())
    assert np.array(found) == pytest.approx(np.array(trt(magic_of_least)(lattice, f, OMEGA, ())))
    assert odd_rate(0.8) > 1.2
    assert np.array_equal(trt(least=1.2)(lattice, f, 0.8, ()), trt()(lattice, f, 0.8, ()))


@pytest.mark.parametrize("collision", [trt, mrt])
def test_among_eddies_odd_moments_never_relax_more_slowly_than_at_a_tenth(collision):
    lattice = velocity_set("D2Q9")
    f = [1e-3 * values for values in random_state(lattice)]
    rate = {trt: "least", mrt: "odd"}[collision]
    slow, usual = (collision(**{rate: value}) for value in (1e-3, 0.1))
    alone, among_eddies = (
        [np.array(relax(lattice, f, 1.99, ())) for relax in pair]
        for pair in ((slow, usual), (smagorinsky(0.15, slow), smagorinsky(0.15, usual)))
    )
    assert not np.array_equal(*alone)
    assert np.array_equal(*among_eddies)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("is_forced", [False, True])
def test_two_equal_rates_of_central_moments_are_one(name, is_forced):
    lattice = velocity_set(name)
    f, force = random_state(lattice), force_of(lattice, is_forced)
    found = central((1 / OMEGA - 0.5) ** 2)(lattice, f, OMEGA, force)
    expected = bgk(lattice, f, OMEGA, force)
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-15)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_in_a_fluid_at_rest_central_moments_are_two_rates(name):
    lattice = velocity_set(name)
    f = np.array(random_state(lattice))
    # Without momentum, all that is odd and left is of third order and above.
    c = np.array(lattice.velocities, float)
    f = f - 3 * np.array(lattice.weights)[:, None] * (c @ momentum(lattice, f))
    found = central()(lattice, list(f), OMEGA, ())
    assert np.array(found) == pytest.approx(np.array(trt()(lattice, list(f), OMEGA, ())), abs=1e-15)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19", "D3Q27"])
def test_odd_central_moments_relax_at_their_rate_in_a_moving_fluid(name):
    lattice = velocity_set(name)
    f = np.array(random_state(lattice)) + np.array(lattice.weights)[:, None] * 0.3
    c = np.array(lattice.velocities, float)
    density = 1.0 + f.sum(axis=0)
    u = momentum(lattice, f) / density
    rest = equilibrium(lattice, density, list(u))

    def of_third_order(populations):
        """Return the central moment x² y of what is not in equilibrium."""
        x, y = (c[:, axis, None] - u[axis] for axis in (0, 1))
        return (x**2 * y * (np.array(populations) - np.array(rest))).sum(axis=0)

    found = of_third_order(central()(lattice, list(f), OMEGA, ()))
    assert found == pytest.approx((1 - odd_rate(OMEGA)) * of_third_order(f), abs=1e-15)
    assert np.abs(found).min() > 1e-8


@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
@pytest.mark.parametrize("is_forced", [False, True])
def test_what_is_regularised_once_stays_so(name, is_forced):
    """With omega = 0 only the projection is left; BGK of what it leaves is regularised BGK."""
    lattice = velocity_set(name)
    f, force = random_state(lattice), force_of(lattice, is_forced)
    projected = np.array(regularised(lattice, f, 0.0, force))
    if force:
        # Take back the force that the collision has added.
        projected = projected - (np.array(bgk(lattice, f, 0.0, force)) - np.array(f))
    again = np.array(regularised(lattice, list(projected), OMEGA, force))
    assert again == pytest.approx(np.array(bgk(lattice, list(projected), OMEGA, force)), abs=1e-14)
    assert again == pytest.approx(np.array(regularised(lattice, f, OMEGA, force)), abs=1e-14)


@pytest.mark.parametrize("collision", [bgk, trt(), central(), mrt(), regularised])
def test_the_stress_relaxes_at_its_rate(collision):
    lattice = velocity_set("D3Q19")
    f = random_state(lattice)
    before, after = (stress(lattice, g) for g in (f, collision(lattice, f, OMEGA, ())))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert after[a, b] == pytest.approx((1 - OMEGA) * before[a, b], abs=1e-15)
    difference = {time: s[0, 0] - s[1, 1] for time, s in (("before", before), ("after", after))}
    assert difference["after"] == pytest.approx((1 - OMEGA) * difference["before"], abs=1e-15)


def test_eddies_make_the_fluid_more_viscous():
    lattice = velocity_set("D3Q19")
    f = random_state(lattice)
    rates = []

    def note(_lattice, populations, omega, _force):
        rates.append(omega)
        return populations

    for constant in (0.0, 0.1, 0.2):
        smagorinsky(constant, note)(lattice, f, OMEGA, ())
    assert rates[0] == pytest.approx(np.full(50, OMEGA))
    assert np.all(rates[1] < rates[0])
    assert np.all(rates[2] < rates[1])


def test_a_lattice_that_a_collision_does_not_know_is_refused():
    f = random_state(velocity_set("D3Q15"))
    with pytest.raises(CaseError, match="'mrt' was asked for on D3Q15; it knows the moments of D2"):
        mrt()(velocity_set("D3Q15"), f, OMEGA, ())
    with pytest.raises(CaseError, match="'central' was asked for on D3Q15; it is known on D2Q9, "):
        central()(velocity_set("D3Q15"), f, OMEGA, ())
    with pytest.raises(CaseError, match="'cumulant' was asked for on D3Q15; it needs D3Q27"):
        cumulant(velocity_set("D3Q15"), f, OMEGA, ())


def test_a_collision_of_ones_own_runs_as_any_other():
    def slower(lattice, populations, omega, force):
        return bgk(lattice, populations, 0.5 * omega, force)

    found = []
    for collision, omega in ((slower, OMEGA), (bgk, 0.5 * OMEGA)):
        lattice = velocity_set("D2Q9")
        grid = hc.Grid((8, 8), periodic=True)
        f, f_next = (grid.field(n, components=9) for n in ("f", "f_next"))
        step = kernels.collide_stream(
            f, f_next, velocity_set=lattice, omega=omega, collision=collision
        )
        simulation = hc.Simulation(grid, [step, hc.swap(f, f_next)], threads=1)
        f.set(lambda x, y: np.stack([1e-2 * np.sin(i + x + 2 * y) for i in range(9)]))
        simulation.run(5, progress=False)
        found.append(f.gather())
    assert found[0].tobytes() == found[1].tobytes()
