"""Sides of a flow that cannot be, and what a user is told."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_setups import WALLS, at, build, inlet, named, told

from halocline.lbm import (
    Inflow,
    Outflow,
    Pressure,
    PressureDrop,
    Sponge,
    Velocity,
    Wall,
    regularised,
    trt,
)

KINDS = (
    "expected a boundary: Wall(…), FreeSlip(…), Velocity(…), Inflow(…), Pressure(…), Outflow(…), "
    "PressureDrop(…)."
)
AT_REST = "1 is at rest; a pressure p above that makes it 1 + 3 p [lattice units]."
DENSITY = f"expected a number above 0.5 and below 2. {AT_REST}"
PLACES = (
    "expected a function of some of x, y and t. Arguments go by these names: coordinates are those "
    "of the grid, with its 'spacing' and 'origin', t is the time."
)
SLOW = "expected a number above -0.57735 and below 0.57735."

SPONGE = Sponge(2, (0.0, 0.0))

MISTAKES = {
    "sides as a list": (
        {"sides": [Wall()]},
        "'sides' was given [Wall(velocity=())]; expected a dictionary, as {'y-': Wall(), 'y+': "
        "Wall()}.",
    ),
    "side of another axis": (
        {"sides": {"z-": Wall(), "z+": Wall()}},
        "'sides' was given 'z-'; expected one of: x-, x+, y-, y+.",
    ),
    "side without the other": (
        {"sides": {"x-": Wall()}},
        "Side 'x-' was given a boundary, but 'x+' none. Give both sides of an axis boundaries, or "
        "none for a periodic axis.",
    ),
    "side of an unknown name beside a side without the other": (
        {"sides": {"x-": Wall(), "right": Wall()}},
        "'sides' was given 'right'; expected one of: x-, x+, y-, y+.",
    ),
    "boundary not called": (
        {"sides": {"y-": Wall, "y+": Wall()}},
        f"'sides['y-']' was given the class 'Wall'; {KINDS}",
    ),
    "boundary as text": (
        {"sides": {"y-": "wall", "y+": Wall()}},
        f"'sides['y-']' was given 'wall'; {KINDS}",
    ),
    "velocity of one component": (
        inlet((0.1,)),
        "'velocity of x-' was given (0.1,); expected 2 numbers, one an axis.",
    ),
    "velocity of three components": (
        inlet((0.1, 0.0, 0.0)),
        "'velocity of x-' was given (0.1, 0.0, 0.0); expected 2 numbers, one an axis.",
    ),
    "velocity as a number": (
        inlet(0.1),
        "'velocity of x-' was given 0.1; expected 2 numbers, one an axis.",
    ),
    "velocity as text": (
        inlet(("a", 0.0)),
        f"'velocity of x- along x' was given 'a'; {SLOW}",
    ),
    "velocity above that of sound": (
        inlet((5.0, 0.0)),
        f"'velocity of x- along x' was given 5.0; {SLOW}",
    ),
    "velocity not a number": (
        inlet((0.0, float("nan"))),
        f"'velocity of x- along y' was given nan; {SLOW}",
    ),
    "inlet function of a third coordinate": (
        inlet(lambda y, z: (y * z, 0.0)),
        f"'velocity of x-' was given the function '<lambda>' of z; {PLACES}",
    ),
    "inlet function of nameless coordinates": (
        inlet(lambda *x: (x[1], 0.0)),
        f"'velocity of x-' was given the function '<lambda>' of *x; {PLACES}",
    ),
    "inlet function of time spelled out": (
        at(Inflow(lambda time: (0.1 * time, 0.0))),
        f"'velocity of x-' was given the function '<lambda>' of time; {PLACES}",
    ),
    "pressure function of a third coordinate": (
        at(Pressure(lambda z: z)),
        f"'density of x-' was given the function '<lambda>' of z; {PLACES}",
    ),
    "pressure function of two components": (
        at(Outflow(lambda y: (y, y))),
        "'<lambda>' returned 2 value(s); expected 1 number.",
    ),
    "inlet function of one component": (
        inlet(named((0.1,))),
        "'mine' returned 1 value(s); expected 2 numbers, one for each axis.",
    ),
    "inlet function without result": (
        inlet(named(None)),
        "'mine' returned None; expected 2 numbers, one for each axis.",
    ),
    "inlet function of text": (
        inlet(named(("a", 0.0))),
        "'mine' returned ('a', 0.0); expected 2 numbers, one for each axis.",
    ),
    "wall with a function": (
        {"sides": {"y-": Wall(named((0.1, 0.0))), "y+": Wall()}},
        "'velocity of y-' was given the function 'mine'; expected 2 numbers, one an axis.",
    ),
    "wall of one component": (
        {"sides": {"y-": Wall((0.1,)), "y+": Wall()}},
        "'velocity of y-' was given (0.1,); expected 2 numbers, one an axis.",
    ),
    "wall that moves into the fluid": (
        {"sides": {"y-": Wall((0.0, 0.1)), "y+": Wall()}},
        "The wall at side 'y-' was given the velocity 0.1 along y; expected 0, as walls move "
        "within their own planes. Fluid enters and leaves through 'Velocity'.",
    ),
    "pressure 0": (at(Pressure(0.0)), f"'density of x-' was given 0.0; {DENSITY}"),
    "pressure as text": (at(Pressure("1")), f"'density of x-' was given '1'; {DENSITY}"),
    "outflow with a speed": (at(Outflow(0.1)), f"'density of x-' was given 0.1; {DENSITY}"),
    "outflow that never comes back": (
        at(Outflow(relaxation=0.0)),
        "'relaxation of x-' was given 0.0; expected a number above 0 and below 1.",
    ),
    "inflow that comes back at once": (
        at(Inflow((0.1, 0.0), 1.0)),
        "'relaxation of x-' was given 1.0; expected a number above 0 and below 1.",
    ),
    "inflow of one component": (
        at(Inflow((0.1,))),
        "'velocity of x-' was given (0.1,); expected 2 numbers, one an axis.",
    ),
    "inlet that is too fast": (
        inlet((0.2, 0.15)),
        "The velocity of side 'x-' is 0.25 cells a step; expected at most 0.2, about a third of "
        "the speed of sound. 0.1 is usual, 0.05 more accurate: make steps shorter, or cells "
        "larger.",
    ),
    "lid that is too fast for its viscosity": (
        {"sides": {"y-": Wall(), "y+": Wall((0.1, 0.0))}, "omega": 1.98, "collision": trt()},
        "The velocity of side 'y+', 0.1 cells a step, over the viscosity 0.00168 is a Reynolds "
        "number of 59.4 a cell; at most 48 are stable with collision 'trt'. Take omega up to "
        "1.975, a lower speed, or another collision, as smagorinsky(0.15).",
    ),
    "outflow with BGK and a small viscosity": (
        {**at(Outflow()), "omega": 1.9},
        "Side 'x-' is an outflow, and 'omega' is 1.9 with collision 'bgk'; expected at most 1.8, "
        "beyond which noise along the side grows. Use trt(), which is stable there, or Pressure().",
    ),
    "sponges as a list": (
        {"sponges": [SPONGE]},
        "'sponges' was given [Sponge(width=... strength=0.2)]; expected a dictionary, as "
        "{'x+': Sponge(…)}.",
    ),
    "sponge as a number": (
        {**at(Pressure()), "sponges": {"x+": 3}},
        "'sponges['x+']' was given 3; expected a sponge, as Sponge(20, velocity).",
    ),
    "sponge at a periodic side": (
        {**at(Pressure()), "sides": WALLS, "sponges": {"x+": SPONGE}},
        "Side 'x+' was given a sponge, but is periodic; expected one with a boundary. A sponge "
        "stands before a wall or an open side.",
    ),
    "sponge that is too wide": (
        {**at(Pressure()), "sponges": {"x+": Sponge(9, (0.0, 0.0))}},
        "'width of the sponge at x+' was given 9; expected a whole number of at least 1 and at "
        "most 8.",
    ),
    "sponge that is too strong": (
        {**at(Pressure()), "sponges": {"x+": Sponge(3, (0.0, 0.0), strength=1.5)}},
        "'strength of the sponge at x+' was given 1.5; expected a number above 0 and at most 1.",
    ),
    "sponge with a pressure": (
        {**at(Pressure()), "sponges": {"x+": Sponge(3, (0.0, 0.0), 0.0)}},
        f"'density of the sponge at x+' was given 0.0; {DENSITY}",
    ),
    "sponge with a velocity of one component": (
        {**at(Pressure()), "sponges": {"x+": Sponge(3, (0.1,))}},
        "'velocity of the sponge at x+' was given (0.1,); expected 2 numbers, one an axis.",
    ),
    "pressure drop as text": (
        at(PressureDrop("1")),
        "'difference of x-' was given '1'; expected a number above -1 and below 1.",
    ),
    "pressure drops that are alike": (
        {"sides": {"x-": PressureDrop(0.01), "x+": PressureDrop(0.01)}},
        "Side 'x-' was given PressureDrop(difference=0.01), but 'x+' PressureDrop(difference=0.01);"
        " expected the opposite pressure drop. What leaves through one side comes in through the "
        "other: give 'x+' PressureDrop(-0.01).",
    ),
    "pressure drop against a wall": (
        {"sides": {"x-": PressureDrop(0.01), "x+": Wall()}},
        "Side 'x-' was given PressureDrop(difference=0.01), but 'x+' Wall(velocity=()); expected "
        "the opposite pressure drop. What leaves through one side comes in through the other: give "
        "'x+' PressureDrop(-0.01).",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_side_that_cannot_be_is_refused_in_one_message(mistake):
    changes, message = MISTAKES[mistake]
    assert told(build, **changes) == message


def test_an_open_side_that_is_solid_is_refused():
    solid = np.zeros((8, 6), bool)
    solid[0] = True
    sides = {"x-": Velocity((0.1, 0.0)), "x+": Outflow()}
    assert told(build, solid=solid, sides=sides) == (
        "Side 'x-' is open, but all of its cells are solid. Leave fluid cells there, or make the "
        "side a wall."
    )


def test_solid_cells_right_behind_an_outflow_are_refused():
    solid = np.zeros((8, 6), bool)
    solid[-2, 3] = True
    sides = {"x-": Velocity((0.1, 0.0)), "x+": Outflow()}
    assert told(build, solid=solid, sides=sides) == (
        "Side 'x+' is an outflow, but has solid cells right behind it. Leave the last two layers "
        "of cells alike."
    )


@pytest.mark.parametrize("collision", [trt(0.25), regularised])
def test_a_collision_of_which_no_limit_is_known_is_not_refused(collision):
    build(sides={"y-": Wall(), "y+": Wall((0.1, 0.0))}, omega=1.98, collision=collision)


def test_an_open_side_may_have_a_function_of_time_alone_and_of_nothing():
    build(**at(Inflow(lambda t: (0.01 * t, 0.0))))
    build(**at(Pressure(lambda: 1.01)))
