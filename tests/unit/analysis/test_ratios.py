"""What kernels of related index spaces cost, how far they get, what they wait for."""

from __future__ import annotations

from itertools import product

import pytest

from halocline.analysis.cost import cost
from halocline.analysis.footprint import footprint
from halocline.language.expressions.expr import Read
from halocline.language.expressions.kernel import FieldType, Kernel, Statement

HERE = (0, 0, 0)
CHILDREN = tuple(product((0, 1), repeat=3))


def _kernel(target, source, statements):
    """Return a kernel of 'f' with some ratio, and 'c', in which (target, source) are places."""
    fields = (
        FieldType("f", "float64", 1, ratio=target),
        FieldType("c", "float32", 1, ratio=source),
    )
    return Kernel("made", 3, fields, (), tuple(statements))


def _prolong(children):
    return _kernel((2, 2, 2), (), [Statement("f", 0, Read("c", 0, HERE), o) for o in children])


def test_all_children_of_a_cell_move():
    found = cost(_prolong(CHILDREN))
    assert (found.bytes_read, found.bytes_written) == (4, 8 * 8)


def test_lines_along_x_move_whole():
    inject = [Statement("c", 0, Read("f", 0, HERE), HERE)]
    found = cost(_kernel((2, 2, 2), (), inject))
    assert (found.bytes_read, found.bytes_written) == (2 * 8, 4)


@pytest.mark.parametrize("missing", [(0, 1, 1), (1, 1, 0), (0, 0, 1)])
def test_what_lacks_an_axis_costs_nothing_in_a_cell(missing):
    add = [Statement("f", 0, Read("c", 0, HERE), HERE)]
    found = cost(_kernel((), missing, add))
    assert (found.bytes_read, found.bytes_written) == (0, 8)


def test_an_axis_that_all_fields_lack_is_none_of_the_kernels():
    add = [Statement("f", 0, Read("c", 0, HERE), HERE)]
    found = cost(_kernel((1, 1, 0), (1, 1, 0), add))
    assert (found.bytes_read, found.bytes_written) == (4, 8)


def test_a_kernel_gets_as_far_as_the_cells_whose_children_it_uses():
    values = [Read("f", 0, (step, 0, 0)) for step in (-1, 0, 3)]
    found = footprint(_kernel((2, 1, 1), (), [Statement("c", 0, v, HERE) for v in values]))
    assert (found.width(0, -1), found.width(0, 1)) == (1, 1)
    assert "read at (-1,0,0) (0,0,0) (+3,0,0)" in str(found)
