"""Kernels with many streams prefetch what fills later rows beyond their ends."""

import re

import stencils

from halocline.codegen.cpp import print_source
from halocline.plan.pipeline import plan_for


def ends(problem, function):
    """Return the ends of rows, 'below' or 'above', for which the first kernel calls a function."""
    kernel = plan_for(problem.grid, problem.steps).launches[0].code
    return sorted(re.findall(rf"  {function}_(\w+)[<(]", print_source([kernel]).text))


def test_of_nineteen_streams_each_end_that_is_filled_is_prefetched():
    lattice = stencils.in_place((8, 8, 8), True)
    assert ends(lattice, "fill") == ["above"] * 5 + ["below"] * 5
    assert ends(lattice, "prefetch") == ["above"] * 5 + ["below"] * 5


def test_of_few_streams_none_is():
    heat = stencils.heat((8, 8, 8), True)
    assert ends(heat, "fill")
    assert not ends(heat, "prefetch")
