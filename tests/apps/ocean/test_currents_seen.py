"""The currents that files and pictures of oceans show, and their energy, beside steep beds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import halocline as hc
from halocline.apps.cases import make_case
from halocline.apps.ocean.cases.layered_case import LayeredCase
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup
from halocline.apps.ocean.setup.sigma import Sigma

# Through each metre of the channel [m²/s].
FLOW = 2.0


@dataclass(frozen=True)
class Shoal(LayeredCase):
    """A flow round a periodic channel, of which a half is 100 m deep, and a half 1 m."""

    layers: int = 4

    @property
    def setup(self):
        depth = np.repeat([100.0, 1.0], 4)[:, np.newaxis] * np.ones(3)
        domain = Domain(depth, (1e3, 1e3), periodic=(True, True))
        return Setup(
            domain, 1.0, 1, drying_limiter=False, drag=LinearDrag(0.0), layers=Sigma(self.layers)
        )

    def start(self, model):
        model.U.set(FLOW)
        model.layers.columns["x"].transport.set(FLOW / self.layers)


@pytest.fixture(scope="module")
def problem():
    problem = Shoal().problem()
    simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
    simulation.execute(*problem.refresh, *(integral.reduction for integral in problem.integrals))
    return problem


@pytest.mark.parametrize("name", ["u", "layer_eastward"])
def test_a_current_is_the_mean_of_those_at_the_faces_of_a_cell(problem, name):
    (seen,) = (q.gather().values for q in problem.quantities if q.name == name)
    # The transport over the depth of the cell would be 2 m/s beside the deep water, too.
    faces = FLOW / np.array([50.5, 100.0, 100.0, 100.0, 50.5, 1.0, 1.0, 1.0])
    expected = 0.5 * (faces + np.roll(faces, -1))
    for along in seen.reshape(8, -1).T:
        assert along == pytest.approx(expected, rel=1e-12)


def test_what_is_seen_changes_nothing():
    case = make_case("lock-exchange", {"cells": 8, "layers": 3})
    bits = []
    for looks in (0, 3):
        problem = case.problem()
        simulation = hc.Simulation(problem.grid, problem.steps, dt=problem.dt, threads=1)
        for _ in range(3):
            simulation.run(2, progress=False)
            for _ in range(looks):
                simulation.execute(*problem.refresh)
        names = ("U", "V", "zeta", "p", "q", "temperature")
        bits.append([problem.grid.fields[name].gather() for name in names])
    assert all(np.array_equal(*pair) for pair in zip(*bits, strict=True))
    assert np.abs(bits[0][0]).max() > 0.0


def test_the_energy_of_a_flow_counts_the_water_around_each_face(problem):
    (energy,) = (one.value for one in problem.integrals if one.name == "energy")
    squares = FLOW**2 * (3 / 100.0 + 2 / 50.5 + 3 / 1.0)
    assert energy == pytest.approx(0.5 * 1025.0 * 1e6 * 3 * squares, rel=1e-12)
