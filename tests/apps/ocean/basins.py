"""Basins of which the answer is known, and how to run them."""

from __future__ import annotations

import numpy as np

import halocline as hc
from halocline.apps.ocean.model import make_model
from halocline.apps.ocean.physics.drag import LinearDrag
from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.setup.domain import Domain
from halocline.apps.ocean.setup.setup import Setup

G = 9.81
FRICTIONLESS = LinearDrag(0.0)
# Of deep water, which never becomes shallow.
DEEP = {"drying_limiter": False, "drying": Drying(0.05, 0.2)}


def flat(nx, ny, width, depth, **more):
    """Return a closed domain of constant depth."""
    return Domain(np.full((nx, ny), float(depth)), (float(width), float(width)), **more)


class Run:
    """A model under way.

    Args:
        setup: What it is.
        options: Of the simulation.
    """

    def __init__(self, setup: Setup, **options):
        self.setup = setup
        self.model = make_model(setup)
        self.simulation = hc.Simulation(
            self.model.grid, self.model.steps, dt=setup.macro_step, **{"threads": 1, **options}
        )
        self.simulation.run(0)

    def start(self, U=None, V=None):
        """Set the transports."""
        if U is not None:
            self.model.U.set(U)
        if V is not None:
            self.model.V.set(V)
        return self

    def steps(self, count):
        """Do macro steps."""
        self.simulation.run(count, progress=False)
        return self

    @property
    def zeta(self):
        """The elevation of all cells."""
        return self.model.zeta.gather()

    @property
    def U(self):
        """The transport along x at all U points."""
        return self.model.U.gather()

    @property
    def V(self):
        """The transport along y at all V points."""
        return self.model.V.gather()

    @property
    def volume(self):
        """Of all water, over the area of a cell."""
        return float(np.sum(self.zeta[self.setup.domain.is_wet] + self._bed))

    @property
    def _bed(self):
        return self.setup.domain.depth[self.setup.domain.is_wet]
