"""Mistakes with fields of related spaces, grids of one family, sweeps and transfers."""

from __future__ import annotations

import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import HaloclineError

GRID = hc.Grid((8, 6, 4))
T, P, u = GRID.field("T"), GRID.field("P"), GRID.field("u", location="x_face")
s, p = GRID.field("s", axes="xy"), GRID.field("p", axes="z")
LINE = hc.Grid((8,))
c, thirds = GRID.coarsen(2).field("c"), GRID.coarsen((2, 3, 1)).field("thirds")


@hc.kernel
def flatten(T, s):
    s[0, 0] = T[0, 0, 0]


@hc.kernel
def both(T, s):
    T[0, 0, 0] = 1.0
    s[0, 0] = 1.0


@hc.kernel
def three(T, s):
    T[0, 0, 0] = s[0, 0, 0]


@hc.kernel
def inject(T, c):
    T[0, 0, 0] = c[0, 0, 0]


@hc.sweep("z+")
def ahead(below, T, P):
    P[0, 0, 0] = below + P[0, 0, 1]
    return T


@hc.sweep("z+")
def nothing(below, T):
    T[0, 0, 0] = below


@hc.sweep("z+")
def hand_on(below, T):
    T[0, 0, 0] = below
    return T


@hc.sweep("x-")
def along(behind, line):
    line[0] = behind
    return behind


@hc.sweep("z+")
def flat(below, s):
    s[0, 0] = below
    return below


def no_carry():
    pass


def cut_in_a_coarse_cell():
    cuts = hc.Decomposition(((0, 3, 8), (0, 6), (0, 4)), (False,) * 3, 1)
    hc.Simulation(GRID, [hc.swap(T, P)], decomposition=cuts)


ALIKE = "expected fields alike on a finer and a coarser grid of a whole ratio."
MISTAKES = {
    "surface assigned by what reads a volume": (
        lambda: flatten(T, s),
        "Kernel 'flatten' assigns 's', a field on 'xy' of 8x6 cells, and reads 'T', a field on "
        "'xyz' of 8x6x4 cells: which of its cells along z is not said. To combine them, use "
        "hc.sum(…, over='z') or a sweep along z.",
    ),
    "surface and volume assigned by one kernel": (
        lambda: both(T, s),
        "Kernel 'both' assigns 'T', a field on 'xyz' of 8x6x4 cells, and 's', a field on 'xy' of "
        "8x6 cells; expected fields with the same cells. Write a kernel for each. To combine all "
        "cells along an axis, use hc.sum(…, over='z') or a sweep.",
    ),
    "offset along an axis that is lacking": (
        lambda: three(T, s),
        "'s' was used with 3 offsets (0, 0, 0); expected 2, one for each of its axes (x, y). "
        "Write s[0, 0] for the cell itself.",
    ),
    "box with parts of coarse cells": (
        lambda: inject(T, c, on=hc.Box((1, 0, 0), (3, 2, 2))),
        "Kernel 'inject' was given on=[1,3) x [0,2) x [0,2) and reads fields of a grid "
        "coarser by 2x2x2; expected whole cells of that. The grid has 8x6x4 cells: choose a box "
        "whose bounds the ratio divides, or a mask.",
    ),
    "ratio that does not divide the extent": (
        lambda: GRID.coarsen(4),
        "A grid of 6 cells along y was to be coarsened by 4, which does not divide that. 6 can be "
        "divided by 2, 3, 6.",
    ),
    "too few ratios": (
        lambda: GRID.coarsen((2, 2)),
        "'coarsen' was given 2 ratios; expected one or 3, the number of the grid's axes.",
    ),
    "no ratio": (
        lambda: GRID.refine(0),
        "'refine' was given 0; expected a whole number of at least 1.",
    ),
    "blocks with parts of coarse cells": (
        cut_in_a_coarse_cell,
        "The decomposition cuts x at 3, but the family of grids has a coarser one, of 2 cells "
        "each: expected multiples of 2. Use blocks whose bounds are multiples of the ratio.",
    ),
    "sweep that reads ahead of itself": (
        lambda: ahead(T, P),
        "Kernel 'ahead' reads 'P' at the offset (0, 0, 1), which the sweep assigns at (0, 0, 0): "
        "cells ahead have not been computed, and cells of other columns may or may not have been. "
        "Pass what the next cell needs on as the carry.",
    ),
    "sweep that hands nothing on": (
        lambda: nothing(T),
        "The sweep 'nothing' returned nothing; expected the carry for the next cell, 1 value.",
    ),
    "start on other axes": (
        lambda: hand_on(T, start=p),
        "The sweep 'hand_on' along z was given 'p' on 'z' of 4 cells and 1 component(s) for its "
        "carry; expected a field on 'xy' of 8x6 cells and one component, as 'T' has columns.",
    ),
    "start as text": (
        lambda: hand_on(T, start="x"),
        "The sweep 'hand_on' was given 'x' as a carry's start; expected a number, an hc.Parameter "
        "or a field on 'xy'.",
    ),
    "more ends than carries": (
        lambda: hand_on(T, end=(s, s)),
        "The sweep 'hand_on' was given 1 carries to start with and 2 fields for the end; expected "
        "one for each.",
    ),
    "rows without another axis": (
        lambda: along(LINE.field("line")),
        "The sweep 'along' along x was given 'line' on 'x' alone; expected fields with another "
        "axis, too: the carry is a field without the swept one. Make a grid with one more axis of "
        "one cell: hc.Grid((n, 1)).",
    ),
    "nothing to sweep": (
        lambda: flat(s),
        "The sweep 'flat' along z was given no field that has this axis.",
    ),
    "unknown direction": (
        lambda: hc.sweep("up"),
        "A sweep in the direction 'up' was asked for; expected one of x+, x-, y+, y-, z+, z-. "
        'Write @hc.sweep("z+") before the function.',
    ),
    "no carry": (
        lambda: hc.sweep("z+")(no_carry),
        "The sweep 'no_carry' takes no carry; expected it before the fields. Write def "
        "no_carry(carry, …) and return the carry for the next cell.",
    ),
    "swap of a surface and a volume": (
        lambda: hc.swap(T, s),
        "'swap' was given 'T' of 8x6x4 cells on 'xyz' and 's' of 8x6 cells on 'xy'; expected "
        "fields with the same cells.",
    ),
    "swap of cells and faces": (
        lambda: hc.swap(T, u),
        "'swap' was given 'T' of 8x6x4 cells on 'xyz' and 'u' of 9x6x4 cells on 'xyz'; expected "
        "fields with the same cells.",
    ),
    "axes out of order": (
        lambda: GRID.field("a", axes="yx"),
        "Field 'a' was given the axes 'yx'; expected some of 'xyz', in order.",
    ),
    "no axes": (
        lambda: GRID.field("a", axes=""),
        "Field 'a' was given the axes ''; expected some of 'xyz', in order. A number that is the "
        "same everywhere is an hc.Parameter.",
    ),
    "faces across an axis that is lacking": (
        lambda: GRID.field("a", axes="xy", location="z_face"),
        "Field 'a' with the axes 'xy' was given the location 'z_face', between cells along an axis "
        "that it lacks.",
    ),
    "boundary across an axis that is lacking": (
        lambda: s.boundary("z-", hc.Dirichlet(0.0)),
        "Field 's' was given a boundary on side 'z-', but it has the axes 'xy' only.",
    ),
    "restriction to a finer grid": (
        lambda: hc.restrict(c, T),
        "'hc.restrict' was given 'c' (4x3x2 at 'center', 1 component(s)) and 'T' (8x6x4 at "
        f"'center', 1 component(s)); {ALIKE}",
    ),
    "prolongation to another location": (
        lambda: hc.prolong(c, u),
        "'hc.prolong' was given 'u' (9x6x4 at 'x_face', 1 component(s)) and 'c' (4x3x2 at "
        f"'center', 1 component(s)); {ALIKE}",
    ),
    "restriction between grids neither of which is finer": (
        lambda: hc.restrict(thirds, c),
        "'hc.restrict' was given 'thirds' (4x2x4 at 'center', 1 component(s)) and 'c' (4x3x2 at "
        f"'center', 1 component(s)); {ALIKE}",
    ),
    "unknown order": (
        lambda: hc.restrict(T, c, order=3),
        "'hc.restrict' was asked for order 3; expected 1 or 2.",
    ),
    "sum over an axis without a field for it": (
        lambda: hc.sum(T, over="z"),
        "'hc.sum' over 'z' was given None for its result; expected a field without these axes. "
        "Write hc.sum(…, over='z', into=field).",
    ),
    "sum over an unknown axis": (
        lambda: hc.sum(T, over="w", into=s),
        "'hc.sum' was given over='w'; expected some of the axes 'xyz' of what it combines.",
    ),
    "sum into a field on other axes": (
        lambda: hc.sum(T, over="x", into=s),
        "'hc.sum' over 'x' gives a field on 'yz'; 's' is one on 'xy'.",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name):
    action, message = MISTAKES[name]
    assert told(HaloclineError, action) == message
