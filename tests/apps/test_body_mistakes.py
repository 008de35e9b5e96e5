"""Bodies of which no walls can be made, and what a user is told."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_setups import WALLS, build, told

from halocline.apps.lbm.setup.surface import Surface
from halocline.lbm import Body, body_force, read_surface


def circle(x, y):
    return np.hypot(x - 4.1, y - 3.0) - 1.4


def far(x, y):
    return np.hypot(x - 40.0, y - 3.0) - 1.4


def plate(x, y):
    return np.abs(x - 3.6) - 0.4 + 0.0 * y


def left(x, y):
    return x - 3.2 + 0.0 * y


def still(x, y):
    return (0.0, 0.0)


def one(x):
    return x


def mine(value):
    """Return a distance called 'distance' that is this everywhere."""

    def distance(x, y):
        return value

    return Body(distance)


SETUP = "Compute with the arrays of coordinates that it is given."
DISTANCE = "expected the distance from the surface, negative inside."
NONE = (
    "It lies outside of the domain, is thinner than a cell, or its coordinates are not those of "
    "the grid, with its 'spacing' and 'origin'."
)

MISTAKES = {
    "a function": (
        {"bodies": circle},
        "'bodies' was given the function 'circle'; expected a sequence of bodies, as "
        "(Body(distance),).",
    ),
    "functions": (
        {"bodies": (circle,)},
        "'bodies[0]' was given the function 'circle'; expected a body, as Body(distance).",
    ),
    "an array": (
        {"bodies": (Body(np.zeros((8, 6))),)},
        "'surface of body' was given an array of float64 with the shape (8, 6); expected a "
        "function of the coordinates, or a surface that was read. An array of solid cells is the "
        "'solid' of a setup.",
    ),
    "a velocity of one number": (
        {"bodies": (Body(circle, velocity=0.1),)},
        "'velocity of body' was given 0.1; expected 2 numbers, one an axis.",
    ),
    "no velocity at all": (
        {"bodies": (Body(circle, velocity=None),)},
        "'velocity of body' was given None; expected 2 numbers, one an axis.",
    ),
    "of one coordinate": (
        {"bodies": (Body(one, name="wing"),)},
        "'surface of wing' was given the function 'one'; expected a function of x and y.",
    ),
    "a surface in a plane": (
        {"bodies": (Body(Surface(np.zeros((0, 3, 3)))),)},
        "The body 'body' is a surface in space; expected a function of x and y in a flow of 2 "
        "axes.",
    ),
    "of another shape": (
        {"bodies": (mine(np.zeros(5)),)},
        "'distance' returned an array of float64 with the shape (5,); expected one number for each "
        f"of (8, 6) cells. {SETUP}",
    ),
    "None": (
        {"bodies": (mine(None),)},
        f"'distance' returned None; expected one number for each of (8, 6) cells. {SETUP}",
    ),
    "not a number": (
        {"bodies": (Body(lambda x, y: np.sqrt(x - 2.0) + 0.0 * y),)},
        f"'<lambda>' returned nan in the middle of cell (0, 0); {DISTANCE}",
    ),
    "a mask": (
        {"bodies": (Body(lambda x, y: np.hypot(x - 4.0, y - 3.0) < 1.4),)},
        f"'<lambda>' returned True and False; {DISTANCE} An array of solid cells is the 'solid' of "
        "a setup.",
    ),
    "outside of the domain": (
        {"bodies": (Body(far, name="far"),), "spacing": 0.5, "origin": (-1.0, 2.0)},
        "No centre of a cell lies in the body 'far'; expected some in the domain, from (-1, 2) to "
        f"(3, 5). {NONE}",
    ),
    "everywhere": (
        {"bodies": (mine(-1.0),)},
        "'solid' leaves no fluid cell. It is true where cells are solid.",
    ),
    "thinner than a cell": (
        {"bodies": (Body(plate, name="plate"),)},
        "The body 'plate' is nowhere thicker than 0.8 cells; expected at least 1. Use smaller "
        "cells, or a thicker body: fluid would flow through it.",
    ),
    "a velocity of one component": (
        {"bodies": (Body(circle, velocity=(0.1,)),)},
        "'velocity of body' was given (0.1,); expected 2 numbers, one an axis.",
    ),
    "a velocity of one coordinate": (
        {"bodies": (Body(circle, velocity=one),)},
        "'velocity of body' was given the function 'one'; expected a function of x and y.",
    ),
    "a velocity with another count": (
        {"bodies": (Body(circle, velocity=lambda x, y: (0.1, 0.0, 0.0)),)},
        "'<lambda>' returned 3 value(s); expected 2 numbers, one for each axis.",
    ),
    "moving at a side": (
        {"bodies": (Body(left, velocity=still, name="left"),), "sides": WALLS},
        "The wall of the body 'left' moves, but reaches fluid cells at a side of the domain or "
        "at a border between levels. Leave a layer of cells between them, make the side periodic, "
        "or refine all around the body.",
    ),
}


@pytest.mark.parametrize(("changes", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_body_that_has_no_walls(changes, message):
    assert told(build, **changes) == message


def test_too_many_bodies():
    assert told(build, bodies=(Body(circle),) * 256) == (
        "256 bodies were given; expected at most 255. One function may describe several: the least "
        "of their distances."
    )


def test_the_force_on_a_body_that_is_not_in_the_flow():
    flow = build(bodies=(Body(circle),))
    assert told(body_force, flow, Body(circle, name="other"), (0.0, 0.0)) == (
        "The body 'other' is none of the flow's. Give it to the setup, too: Setup(…, "
        "bodies=[body])."
    )


def test_a_surface_that_is_not_there():
    assert told(read_surface, "nowhere.stl") == "There is no geometry file 'nowhere.stl'."


def test_a_unit_of_no_length():
    assert told(read_surface, "part.stl", 0.0) == (
        "'unit' was given 0.0; expected a number above 0."
    )
