"""Statements share a loop unless one reads next door what the other assigns."""

import halocline as hc
from halocline.language.expressions.fuse import by_component, fuse, separate


def kernel_of(function, *fields):
    return hc.kernel(function)(*fields).kernel


def fields(count=3, **options):
    grid = hc.Grid((8,), periodic=True)
    return [grid.field(name, **options) for name in "abc"[:count]]


def test_statements_that_read_their_own_cell_share_a_loop():
    def function(a, b, c):
        b[0] = a[1]
        c[0] = b[0] + a[-1]

    kernel = kernel_of(function, *fields())
    assert fuse(kernel) == (kernel,)


def test_reading_next_door_what_was_assigned_starts_a_new_loop():
    def function(a, b, c):
        b[0] = a[1]
        c[0] = b[1]

    first, second = fuse(kernel_of(function, *fields()))
    assert (first.name, second.name) == ("function_1", "function_2")
    assert [s.field for s in first.statements] == ["b"]


def test_assigning_what_was_read_next_door_starts_a_new_loop():
    def function(a, b, c):
        b[0] = a[1]
        a[0] = c[0]

    assert len(fuse(kernel_of(function, *fields()))) == 2


def test_other_components_do_not_hinder():
    def function(a, b):
        b[0] = a[0][1]
        a[1] = b[0]

    assert len(fuse(kernel_of(function, *fields(2, components=2)))) == 1


def test_separate_gives_every_statement_its_own_kernel():
    def function(a, b, c):
        b[0] = a[1]
        c[0] = a[1]

    assert [len(k.statements) for k in separate(kernel_of(function, *fields()))] == [1, 1]


def test_components_that_have_nothing_in_common_become_kernels():
    grid = hc.Grid((8,), periodic=True)
    f, g, mask = grid.field("f", components=2), grid.field("g", components=2), grid.field("mask")

    def moved(f, g, mask):
        for q in (1, 0):
            g[q][0] = mask[0] * f[q][1]

    def mixed(f, g):
        for q in (0, 1):
            g[q][0] = f[0][0] + f[q][1]

    kernels = by_component(kernel_of(moved, f, g, mask))
    assert [[s.component for s in one.statements] for one in kernels] == [[1], [0]]
    whole = kernel_of(mixed, f, g)
    assert by_component(whole) == (whole,)


def test_fields_that_have_no_components_are_assigned_together():
    def function(a, b, c):
        b[0] = a[1]
        c[0] = a[-1]

    kernel = kernel_of(function, *fields())
    assert by_component(kernel) == (kernel,)
