"""Sides of a flow that cannot be, and what a user is told."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_setups import at, build, inlet, named, one, told

from halocline.apps.lbm.boundaries import Outflow, Pressure, PressureDrop, Velocity, Wall

KINDS = (
    "expected a boundary: Wall(…), FreeSlip(…), Velocity(…), Pressure(…), Outflow(…), "
    "PressureDrop(…)."
)
SLOW = "expected a number above -0.57735 and below 0.57735."

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
    "inlet function of one coordinate": (
        inlet(one),
        "'velocity of x-' was given the function 'one'; expected a function of x and y.",
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
    "pressure 0": (
        at(Pressure(0.0)),
        "'density of x-' was given 0.0; expected a number above 0.",
    ),
    "pressure as text": (
        at(Pressure("1")),
        "'density of x-' was given '1'; expected a number above 0.",
    ),
    "outflow that comes in": (
        at(Outflow(-0.1)),
        "'speed of x-' was given -0.1; expected a number above 0 and below 0.57735.",
    ),
    "outflow with a vector": (
        at(Outflow((0.1, 0.0))),
        "'speed of x-' was given (0.1, 0.0); expected a number above 0 and below 0.57735.",
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
    sides = {"x-": Velocity((0.1, 0.0)), "x+": Outflow(0.1)}
    assert told(build, solid=solid, sides=sides) == (
        "Side 'x-' is open, but all of its cells are solid. Leave fluid cells there, or make the "
        "side a wall."
    )


def test_solid_cells_right_behind_an_outflow_are_refused():
    solid = np.zeros((8, 6), bool)
    solid[-2, 3] = True
    sides = {"x-": Velocity((0.1, 0.0)), "x+": Outflow(0.1)}
    assert told(build, solid=solid, sides=sides) == (
        "Side 'x+' is an outflow, but has solid cells right behind it. Leave the last two layers "
        "of cells alike."
    )
