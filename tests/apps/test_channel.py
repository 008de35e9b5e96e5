"""Flow between walls, against exact solutions: of the equations, and of the discrete scheme."""

from __future__ import annotations

import numpy as np
import pytest

import halocline as hc
from halocline.apps.lbm.collision.by_name import COLLISIONS, lattice_for
from halocline.lbm import FreeSlip, Setup, Wall, bgk, make_flow, smagorinsky, trt, velocity_set


def steady_profile(
    name,
    cells,
    tau,
    *,
    force=0.0,
    lid=0.0,
    collision=bgk,
    dtype="float64",
    top="lid",
    streaming="two-grids",
):
    """Return u(y) of a channel that is periodic in x (and z), driven by a force or a lid."""
    d = velocity_set(name).dimensions
    upper = Wall((lid, 0.0, 0.0)[:d] if lid else ()) if top == "lid" else FreeSlip()
    flow = make_flow(
        Setup(
            (2, cells, 2)[:d],
            name,
            1.0 / tau,
            collision,
            {"y+": upper, "y-": Wall()},
            force=(force, 0.0, 0.0)[:d] if force else (),
            streaming=streaming,
            dtype=dtype,
        )
    )
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    # The slowest mode decays with nu pi²/H²: 40 such times leave nothing.
    viscosity = (tau - 0.5) / 3.0
    across = cells if top == "lid" else 2 * cells
    steps = int(40 * across**2 / (np.pi**2 * viscosity))
    simulation.run(steps // flow.lattice_steps, progress=False)
    simulation.execute(flow.observe)
    u = flow.velocity.gather()[0].reshape(2, cells, -1)
    assert np.ptp(u, axis=(0, 2)).max() < 1e-6
    return u[0, :, 0]


def poiseuille(cells, force, viscosity, magic):
    """Return the exact discrete solution at the cell centres (Ginzburg et al. 2008)."""
    y = np.arange(cells) + 0.5
    return force / (2 * viscosity) * (y * (cells - y) + (16 * magic - 3) / 12)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q19"])
@pytest.mark.parametrize("tau", [0.6, 0.9, 1.5])
def test_poiseuille_flow_with_one_rate_is_the_exact_discrete_solution(name, tau):
    cells, force = 8, 1e-6
    expected = poiseuille(cells, force, (tau - 0.5) / 3.0, (tau - 0.5) ** 2)
    found = steady_profile(name, cells, tau, force=force)
    assert np.abs(found / expected - 1.0).max() < 1e-10


@pytest.mark.parametrize("magic", [3 / 16, 1 / 4, 1 / 12])
def test_poiseuille_flow_with_two_rates_is_the_exact_discrete_solution(magic):
    cells, force, tau = 8, 1e-6, 0.7
    found = steady_profile("D2Q9", cells, tau, force=force, collision=trt(magic))
    expected = poiseuille(cells, force, (tau - 0.5) / 3.0, magic)
    assert np.abs(found / expected - 1.0).max() < 1e-10


def test_poiseuille_flow_converges_at_second_order():
    tau, errors = 0.9, []
    for cells in (8, 16, 32):
        viscosity, force = (tau - 0.5) / 3.0, 1e-3 / cells**3
        exact = poiseuille(
            cells, force, viscosity, 3 / 16
        )  # without the wall's shift: the parabola
        found = steady_profile("D2Q9", cells, tau, force=force)
        errors.append(np.abs(found - exact).max() / exact.max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 1.8) & (orders < 2.2)), (errors, orders)


@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
def test_a_moving_wall_gives_the_exact_couette_profile(name):
    cells, lid = 7, 0.05
    found = steady_profile(name, cells, 0.8, lid=lid)
    exact = lid * (np.arange(cells) + 0.5) / cells
    assert np.abs(found / exact - 1.0).max() < 1e-10


def test_couette_profile_in_single_precision_is_exact_to_its_rounding():
    cells, lid = 8, 0.05
    found = steady_profile("D2Q9", cells, 0.8, lid=lid, dtype="float32")
    exact = lid * (np.arange(cells) + 0.5) / cells
    assert np.abs(found / exact - 1.0).max() < 1e-4


@pytest.mark.parametrize("name", ["D2Q9", "D3Q15", "D3Q19", "D3Q27"])
def test_half_a_channel_under_free_slip_is_half_of_the_whole(name):
    cells, force = 6, 1e-5
    whole = steady_profile(name, 2 * cells, 0.8, force=force, collision=trt())
    half = steady_profile(name, cells, 0.8, force=force, collision=trt(), top="free slip")
    assert half == pytest.approx(whole[:cells], rel=1e-9)


def mixing_length_profile(cells, viscosity, force, constant):
    """Return u(y) where eddies add (constant du/dy)² to the stress: a quadratic for the slope."""
    finer = 200
    y = (np.arange(cells * finer) + 0.5) / finer
    drive = force * (cells / 2 - y)
    eddies = constant**2
    slope = (np.sqrt(viscosity**2 + 4 * eddies * np.abs(drive)) - viscosity) / (2 * eddies)
    return (np.cumsum(np.sign(drive) * slope) / finer)[finer // 2 - 1 :: finer]


@pytest.mark.parametrize("collision", sorted(COLLISIONS))
def test_eddies_drag_as_a_mixing_length_does(collision):
    cells, tau, force, constant = 24, 0.502, 1.26e-6, 0.17
    viscosity = (tau - 0.5) / 3.0
    expected = mixing_length_profile(cells, viscosity, force, constant)
    lattice = lattice_for(collision, 2 if collision != "cumulant" else 3)
    flow = make_flow(
        Setup(
            (2, cells, 2)[: int(lattice[1])],
            lattice,
            1.0 / tau,
            smagorinsky(constant, COLLISIONS[collision]),
            {"y+": Wall(), "y-": Wall()},
            force=(force, 0.0, 0.0)[: int(lattice[1])],
        )
    )
    still = (0.0,) * (int(lattice[1]) - 1)
    flow.start(1.0, (lambda _x, y, *_z: np.interp(y, np.arange(cells) + 0.5, expected), *still))
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)
    simulation.run(200_000, progress=False)
    simulation.execute(flow.observe)
    found = flow.velocity.gather()[0].reshape(2, cells, -1)[0, :, 0]
    eddy_viscosity = constant**2 * np.gradient(expected)[0]
    assert eddy_viscosity > 0.5 * viscosity
    assert found.mean() == pytest.approx(expected.mean(), rel=0.01)
