"""Kernels of related index spaces and sweeps: which are legal, how they are cut, masked, shown."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import halocline as hc
from halocline.errors import KernelError
from halocline.language.expressions.apart import Cells
from halocline.language.expressions.expr import Binary, Const, Read, Where
from halocline.language.expressions.fuse import fuse, separate
from halocline.language.expressions.kernel import FieldType, InlinedKernel, Kernel, Statement
from halocline.language.expressions.show import show
from halocline.language.expressions.verify import verify
from halocline.language.grids.mask import masked

FINE = FieldType("f", "float64", 1, ratio=(2, 1))
FIELDS = (FINE, FieldType("c", "float64", 1), FieldType("s", "float64", 1, ratio=(1, 0)))
HERE = (0, 0)
CELLS = hc.Grid((4, 4)).space


def _kernel(*statements, sweep=None):
    return Kernel("made", 2, FIELDS, (), statements, sweep=sweep)


def _check(kernel):
    places = [f"file:{n}" for n, _ in enumerate(kernel.statements)]
    verify(kernel, places, "file", Cells(CELLS, None), is_layer=False)


def _children(*values):
    return [Statement("f", 0, value, (n, 0)) for n, value in enumerate(values)]


def test_an_offset_leads_to_a_cell_and_to_one_of_its_children():
    assert FINE.parted((3, -1)) == ((1, -1), (1, 0))
    assert FINE.parted((-1, 2)) == ((-1, 2), (1, 0))
    assert FIELDS[2].parted(HERE) == (HERE, HERE)


def test_children_share_a_loop():
    kernel = _kernel(*_children(Const(1.0), Read("f", 0, HERE, 1)))
    _check(kernel)
    assert fuse(kernel) == (kernel,)


def test_what_another_cell_assigns_to_its_child_is_read_in_a_loop_of_its_own():
    own, other = _children(Const(1.0), Read("f", 0, (2, 0), 1))
    first, second = fuse(_kernel(own, other))
    assert first.statements == (own,)
    assert second.statements[0].value is Read("f", 0, (2, 0), 0)


def test_after_a_cut_children_not_yet_assigned_are_as_the_kernel_found_them():
    last = Statement("c", 0, Read("f", 0, (1, 0), 0), HERE)
    kernel = _kernel(
        _children(Const(1.0))[0], Statement("c", 0, Read("f", 0, (2, 0), 1), HERE), last
    )
    _check(kernel)
    assert fuse(kernel)[1].statements[1].value is Read("f", 0, (1, 0), 0)


def test_after_a_cut_what_an_assigned_child_was_is_gone():
    last = Statement("c", 0, Read("f", 0, HERE, 0), HERE)
    kernel = _kernel(
        _children(Const(1.0))[0], Statement("c", 0, Read("f", 0, (2, 0), 1), HERE), last
    )
    with pytest.raises(KernelError, match="as it was before an earlier statement"):
        _check(kernel)


def test_a_statement_may_read_the_other_children_of_what_it_assigns():
    _check(_kernel(Statement("f", 0, Read("f", 0, (3, 0)), HERE)))
    with pytest.raises(KernelError, match=r"at the offset \(2, 0\).*old or new by chance"):
        _check(_kernel(Statement("f", 0, Read("f", 0, (2, 0)), HERE)))


def _sum_up(value):
    """Return a sweep that adds up a value along y."""
    total = Binary("add", Read("s", 0, HERE), value)
    return _kernel(
        Statement("s", 0, total, HERE), Statement("c", 0, Read("s", 0, HERE, 1), HERE), sweep=(1, 1)
    )


def test_a_sweep_is_one_kernel():
    kernel = _sum_up(Read("f", 0, (1, 1)))
    _check(kernel)
    assert fuse(kernel) == separate(kernel) == (kernel,)


@pytest.mark.parametrize("offset", [(0, 1), (0, -1), (1, 0)])
def test_a_sweep_uses_no_other_cell_of_what_it_assigns(offset):
    with pytest.raises(KernelError) as caught:
        _check(_sum_up(Read("c", 0, offset)))
    assert f"reads 'c' at the offset {offset}, which the sweep assigns at (0, 0)" in str(
        caught.value
    )
    assert "cells ahead have not been computed" in str(caught.value)
    assert "Pass what the next cell needs on as the carry." in str(caught.value)
    assert "file:0" in str(caught.value)


def test_a_sweep_assigns_a_component_at_one_place():
    twice = [Statement("c", 0, Const(1.0), offset) for offset in (HERE, (0, 1))]
    with pytest.raises(KernelError, match=r"assigns 'c' at the offset \(0, 0\)"):
        _check(_kernel(*twice, sweep=(1, -1)))


def test_beyond_a_mask_the_carry_passes_on_unchanged():
    mask = SimpleNamespace(type_as=lambda name, _=(): FieldType(name, "bool", 1))
    kernel = masked(_sum_up(Read("f", 0, HERE)), mask)
    chosen = Read("mask_of_made", 0, HERE)
    carry, result = kernel.statements
    assert kernel.sweep == (1, 1)
    assert carry.value is Where(chosen, carry.value.true, Read("s", 0, HERE, 0))
    assert result.value is Where(chosen, Read("s", 0, HERE, 1), Read("c", 0, HERE, 0))


def test_what_a_producer_uses_is_as_many_cells_further_as_its_field_is_finer():
    produced = _kernel(Statement("f", 0, Const(1.0), (1, 0)))
    kernel = Kernel("produced", 2, FIELDS, (), (), (InlinedKernel(produced, ((-1, 2),), (0, -1)),))
    assert kernel.assigned == {("f", 0, (-1, 2))}


def test_ratios_and_sweeps_are_shown():
    first = show(_sum_up(Const(1.0))).splitlines()[0]
    fields = "f: float64[1] ratio (2, 1), c: float64[1], s: float64[1] ratio (1, 0)"
    assert first == f"kernel made({fields}) sweeps up y"
