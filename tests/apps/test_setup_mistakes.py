"""Setups that are no flows, and what a user is told: the argument, what was found, what to do."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_setups import at, build, inlet, named, one, told

import halocline as hc
from halocline.lbm import PressureDrop, Velocity, cumulant, mrt, smagorinsky, trt

HALF = np.zeros((8, 6))
HALF[3, 2] = 0.5
BETWEEN = "expected a number above 0 and below 2. The viscosity is (1/omega - 1/2) / 3."
COLLISIONS = (
    "Collisions are bgk, trt(), central(), mrt(), regularised, cumulant, smagorinsky(0.15), "
    "or yours."
)
FOUR = f"expected a function of velocity set, populations, omega and force. {COLLISIONS}"
NAMES = "expected one of: D2Q9, D3Q15, D3Q19, D3Q27."
SOLID = "True or 1 where a cell is solid, False or 0 elsewhere."
ALL = "Write solid=array != 0 if all else means solid."

MISTAKES = {
    "omega above 2": ({"omega": 2.1}, f"'omega' was given 2.1; {BETWEEN}"),
    "omega 0": ({"omega": 0}, f"'omega' was given 0; {BETWEEN}"),
    "omega not a number": ({"omega": float("nan")}, f"'omega' was given nan; {BETWEEN}"),
    "omega as text": ({"omega": "1.8"}, f"'omega' was given '1.8'; {BETWEEN}"),
    "omega as a truth value": ({"omega": True}, f"'omega' was given True; {BETWEEN}"),
    "omega a wrong parameter": (
        {"omega": hc.Parameter(2.5)},
        f"'omega' was given 2.5; {BETWEEN}",
    ),
    "extent of one number": (
        {"extent": 8},
        "'extent' was given 8; expected whole numbers above 0, one an axis.",
    ),
    "extent with 0": (
        {"extent": (8, 0)},
        "'extent' was given (8, 0); expected whole numbers above 0, one an axis.",
    ),
    "extent of a truth value": (
        {"extent": (8, True)},
        "'extent' was given (8, True); expected whole numbers above 0, one an axis.",
    ),
    "solid with masked cells": (
        {"solid": np.ma.masked_equal(np.eye(8, 6), 1.0)},
        "'solid' was given an array of float64 with the shape (8, 6), 6 of its values masked; "
        f"expected an array of {SOLID}",
    ),
    "extent of floats": (
        {"extent": (8.0, 6.0)},
        "'extent' was given (8.0, 6.0); expected whole numbers above 0, one an axis.",
    ),
    "extent of other dimensions": (
        {"extent": (4, 4, 4)},
        "The lattice D2Q9 has 2 dimensions, but the extent is (4, 4, 4). Give as many numbers of "
        "cells, or choose another lattice.",
    ),
    "lattice unknown": ({"lattice": "d2q9"}, f"'lattice' was given 'd2q9'; {NAMES}"),
    "lattice None": ({"lattice": None}, f"'lattice' was given None; {NAMES}"),
    "collision as text": (
        {"collision": "trt"},
        f"'collision' was given 'trt'; expected a function. {COLLISIONS}",
    ),
    "collision not called": (
        {"collision": trt},
        f"'collision' was given the function 'trt'; {FOUR}",
    ),
    "collision of one argument": (
        {"collision": one},
        f"'collision' was given the function 'one'; {FOUR}",
    ),
    "collision on another lattice": (
        {"collision": cumulant},
        "Collision 'cumulant' was asked for on D2Q9; it needs D3Q27. Choose velocity set D3Q27, or "
        "collision 'regularised'.",
    ),
    "force of one component": (
        {"force": (1e-5,)},
        "'force' was given (1e-05,); expected 2 numbers, one an axis.",
    ),
    "force as a number": (
        {"force": 1e-5},
        "'force' was given 1e-05; expected 2 numbers, one an axis.",
    ),
    "force None": (
        {"force": None},
        "'force' was given None; expected 2 numbers, one an axis.",
    ),
    "force as text": (
        {"force": ("a", 0.0)},
        "'force along x' was given 'a'; expected a finite number.",
    ),
    "force function of a third coordinate": (
        {"force": lambda x, z: (x, z)},
        "'force' was given the function '<lambda>' of z; expected a function of some of x, y and "
        "t. Arguments go by these names: coordinates are those of the grid, with its 'spacing' and "
        "'origin', t is the time.",
    ),
    "force function of one component": (
        {"force": one},
        "'one' returned an expression; expected 2 numbers, one for each axis.",
    ),
    "streaming unknown": (
        {"streaming": "inplace"},
        "'streaming' was given 'inplace'; expected one of: two-grids, in-place.",
    ),
    "dtype as a class": (
        {"dtype": np.float32},
        "'dtype' was given the class 'float32'; expected one of: float64, float32, float16.",
    ),
    "dtype unknown": (
        {"dtype": "int32"},
        "'dtype' was given 'int32'; expected one of: float64, float32, float16.",
    ),
    "spacing 0": (
        {"spacing": 0.0},
        "'spacing' was given 0.0; expected a number above 0. Cells of a lattice are cubes.",
    ),
    "spacing along each axis": (
        {"spacing": (0.5, 0.25)},
        "'spacing' was given (0.5, 0.25); expected a number above 0. Cells of a lattice are cubes.",
    ),
    "step time 0": (
        {"step_time": 0.0},
        "'step_time' was given 0.0; expected a number above 0.",
    ),
    "solid of another shape": (
        {"solid": np.zeros((6, 8), bool)},
        "'solid' has the shape (6, 8); expected (8, 6), that of the grid. Axes come in the order "
        "x, y, z.",
    ),
    "solid with halves": (
        {"solid": HALF},
        f"'solid' was given 0.5 in cell (3, 2); expected {SOLID} {ALL}",
    ),
    "solid as an image": (
        {"solid": np.full((8, 6), 255, np.uint8)},
        f"'solid' was given 255 in cell (0, 0); expected {SOLID} {ALL}",
    ),
    "solid not a number": (
        {"solid": np.full((8, 6), np.nan)},
        f"'solid' was given nan in cell (0, 0); expected {SOLID} {ALL}",
    ),
    "solid as a function": (
        {"solid": one},
        f"'solid' was given the function 'one'; expected an array of {SOLID}",
    ),
    "solid of rows of different lengths": (
        {"solid": [[0, 1], [1]]},
        f"'solid' was given [[0, 1], [1]]; expected an array of {SOLID}",
    ),
    "no fluid": (
        {"solid": np.ones((8, 6), bool)},
        "'solid' leaves no fluid cell. It is true where cells are solid.",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_setup_that_is_no_flow_is_refused_in_one_message(mistake):
    changes, message = MISTAKES[mistake]
    assert told(build, **changes) == message


def test_a_collision_that_loses_populations_is_refused():
    def mine(lattice, populations, omega, force):
        return populations[1:]

    assert told(build, collision=mine) == (
        "'mine' returned 8 value(s); expected 9 numbers, one for each population."
    )


RATE = "expected a number above 0 and below 2."


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (trt, {"magic": 0}, "'magic' was given 0; expected a number above 0."),
        (trt, {"magic": "3/16"}, "'magic' was given '3/16'; expected a number above 0."),
        (mrt, {"energy": 2.0}, f"'energy' was given 2.0; {RATE}"),
        (mrt, {"higher": float("nan")}, f"'higher' was given nan; {RATE}"),
        (mrt, {"odd": 0}, "'odd' was given 0; expected a number above 0 and below 2."),
        (trt, {"least": 2}, "'least' was given 2; expected a number of at least 0 and below 2."),
        (
            smagorinsky,
            {"constant": -0.1},
            "'constant' was given -0.1; expected a number above 0 and below 1. 0.1 to 0.17 are "
            "usual.",
        ),
        (
            smagorinsky,
            {"constant": trt},
            "'constant' was given the function 'trt'; expected a number above 0 and below 1. 0.1 "
            "to 0.17 are usual.",
        ),
        (
            smagorinsky,
            {"constant": 0.1, "collision": trt},
            f"'collision' was given the function 'trt'; {FOUR}",
        ),
    ],
)
def test_rates_and_constants_of_collisions_are_checked(make, arguments, message):
    assert told(make, **arguments) == message


PROFILE = "expected a number or a function of the coordinates."
HINT = "Every rank asks for its own cells: write a function of the coordinates."
REST = "expected a number above 0.5 and below 2."
PAIR = "expected 2 numbers or functions of the coordinates, one an axis."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"density": "a"}, f"'density' was given 'a'; {PROFILE} {HINT}"),
        ({"density": float("nan")}, f"'density' was given nan; {REST}"),
        ({"density": -1.0}, f"'density' was given -1.0; {REST}"),
        (
            {"velocity": (0.0, 2.0)},
            "'velocity along y' was given 2.0; expected a number above -0.57735 and below 0.57735.",
        ),
        (
            {"density": np.ones((8, 6))},
            f"'density' was given an array of float64 with the shape (8, 6); {PROFILE} {HINT}",
        ),
        (
            {"density": one},
            "'density' was given the function 'one'; expected a function of x and y.",
        ),
        ({"velocity": (0.1,)}, f"'velocity' was given (0.1,); {PAIR}"),
        ({"velocity": one}, f"'velocity' was given the function 'one'; {PAIR}"),
        ({"velocity": ("a", 0.0)}, f"'velocity along x' was given 'a'; {PROFILE} {HINT}"),
        (
            {"gradient": ((0.0, 0.0),)},
            "'gradient' was given ((0.0, 0.0),); expected 2 rows, one an axis.",
        ),
        ({"gradient": ((0.0,), (0.0, 0.0))}, f"'gradient of x' was given (0.0,); {PAIR}"),
    ],
)
def test_a_start_that_is_no_state_is_refused(arguments, message):
    assert told(build().start, **arguments) == message


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (np.zeros(3), "an array of float64 with the shape (3,)"),
        (None, "None"),
        (1j, "1j"),
        ("a", "'a'"),
    ],
)
def test_a_start_function_that_returns_no_numbers_is_refused(result, found):
    flow = build()
    simulation = hc.Simulation(flow.grid, flow.steps, threads=1)

    def begin():
        flow.start(named(result))
        simulation.run(1, progress=False)

    assert told(begin) == (
        f"'mine' returned {found}; expected one number for each of (8, 6) cells. Compute with the "
        "arrays of coordinates that it is given."
    )


def test_functions_of_a_setup_may_use_numpy():
    def profile(x, y):
        return (np.where(y > 3.0, 0.05, 0.0), 0.0)

    build(**inlet(profile), force=lambda t: (1e-5 * np.sin(t), 0.0))


def test_numbers_may_be_parameters_and_vectors_lists_or_arrays():
    drop = hc.Parameter(0.01), hc.Parameter(-0.01)
    build(omega=hc.Parameter(1.2), sides={"x-": PressureDrop(drop[0]), "x+": PressureDrop(drop[1])})
    build(extent=[8, 6], force=np.array([1e-5, 0.0]), **at(Velocity([hc.Parameter(0.1), 0.0])))
    build(solid=np.zeros((8, 6), int).tolist(), **inlet(np.array([0.1, 0.0])))
