"""Lattice Boltzmann flows: the names that programs use.

    import halocline as hc
    import halocline.lbm as lbm

    sides = {"y-": lbm.Wall(), "y+": lbm.Wall((0.05, 0.0))}
    flow = lbm.make_flow(lbm.Setup((64, 32), "D2Q9", omega=1.6, collision=lbm.trt(), sides=sides))
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt)

Where a name is defined inside of 'halocline.apps.lbm' may change.
"""

from halocline.apps.comparison import Comparison
from halocline.apps.lbm.cases import profiles
from halocline.apps.lbm.cases.flow_case import FlowCase, FlowResult
from halocline.apps.lbm.cases.flow_pictures import FlowFigure, Plane
from halocline.apps.lbm.cases.refined_case import RefinedCase
from halocline.apps.lbm.cases.steady_case import SteadyCase
from halocline.apps.lbm.collision.central_moments import central
from halocline.apps.lbm.collision.cumulant import cumulant
from halocline.apps.lbm.collision.relaxation import (
    Collision,
    bgk,
    mrt,
    regularised,
    smagorinsky,
    trt,
)
from halocline.apps.lbm.flow.body_force import BodyForce, body_force
from halocline.apps.lbm.flow.flow import Flow, make_flow
from halocline.apps.lbm.flow.kernels import (
    collide_stream,
    compare_velocity,
    macroscopic,
)
from halocline.apps.lbm.lattice.populations import equilibrium, moments
from halocline.apps.lbm.lattice.velocity_set import VelocitySet, velocity_set
from halocline.apps.lbm.setup.bodies import Body
from halocline.apps.lbm.setup.geometry_file import read_geometry, read_surface
from halocline.apps.lbm.setup.refinement import Refinement
from halocline.apps.lbm.setup.setup import Setup
from halocline.apps.lbm.setup.sides import (
    FreeSlip,
    Inflow,
    Outflow,
    Pressure,
    PressureDrop,
    Sponge,
    Velocity,
    Wall,
)
from halocline.io.plots import Plot

__all__ = [  # noqa: RUF022 (by subject)
    # A flow.
    "Setup",
    "Refinement",
    # Sides.
    "Wall",
    "FreeSlip",
    "Velocity",
    "Pressure",
    "Inflow",
    "Outflow",
    "PressureDrop",
    "Sponge",
    # Solids.
    "Body",
    "read_geometry",
    "read_surface",
    # Collisions.
    "Collision",
    "bgk",
    "trt",
    "mrt",
    "central",
    "cumulant",
    "regularised",
    "smagorinsky",
    # Its fields and steps; the force on a body.
    "make_flow",
    "Flow",
    "body_force",
    "BodyForce",
    # Cases of your own.
    "FlowCase",
    "SteadyCase",
    "RefinedCase",
    "FlowResult",
    "Comparison",
    "FlowFigure",
    "Plane",
    "Plot",
    "profiles",
    # Kernels and lattices, for steps of your own.
    "velocity_set",
    "VelocitySet",
    "equilibrium",
    "moments",
    "collide_stream",
    "compare_velocity",
    "macroscopic",
]
