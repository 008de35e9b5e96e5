"""Laws of expressions: shifting, fusing, pickling keep the meaning."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import halocline as hc
from halocline.codegen.numpy_target import evaluate
from halocline.geometry import Box
from halocline.language.expressions.expr import (
    Binary,
    Compare,
    Const,
    Index,
    Read,
    Where,
    operands,
    rebuild,
    shifted,
    walk,
)
from halocline.language.expressions.fuse import fuse, separate
from halocline.language.expressions.kernel import FieldType, Kernel, Statement
from halocline.language.grids.grid import Grid
from halocline.language.grids.related import resolved

FIELDS = (FieldType("a", "float64", 2), FieldType("b", "float64", 1))
HALO, EXTENT = 4, (5, 4)

offsets = st.tuples(st.integers(-1, 1), st.integers(-1, 1))
reads = st.one_of(
    st.builds(Read, st.just("a"), st.integers(0, 1), offsets),
    st.builds(Read, st.just("b"), st.just(0), offsets),
)
leaves = st.one_of(
    reads,
    st.sampled_from((0.5, -2.0, 0.0, -0.0, 1.0)).map(Const),
    st.builds(Index, st.integers(0, 1), st.just(0)),
)
expressions = st.recursive(
    leaves,
    lambda below: st.one_of(
        st.builds(Binary, st.sampled_from(("add", "sub", "mul", "min")), below, below),
        st.builds(Where, st.builds(Compare, st.just("lt"), below, below), below, below),
    ),
    max_leaves=8,
)


def arrays():
    random = np.random.default_rng(5)
    shape = tuple(n + 2 * HALO for n in EXTENT)
    return {f.name: random.integers(-9, 9, (f.components, *shape)) / 4.0 for f in FIELDS}


BOX = Box((HALO, HALO), tuple(HALO + n for n in EXTENT))
ORIGIN = (-HALO, -HALO)


def value(expression, box=BOX):
    """Evaluate an expression in the cells of a box."""
    memory = arrays() | {"out": np.zeros((1, *(n + 2 * HALO for n in EXTENT)))}
    fields = (*FIELDS, FieldType("out", "float64", 1))
    kernel = Kernel("k", 2, fields, (), (Statement("out", 0, expression, (0, 0)),))
    space = Grid(EXTENT).space
    kernel = resolved(kernel, {f.name: space for f in fields}, space, [""]).kernel
    evaluate(kernel, memory, {}, box, ORIGIN)
    cut = tuple(slice(l, u) for l, u in zip(box.lower, box.upper, strict=True))
    return memory["out"][0][cut].tobytes()


def seen(expression):
    """Return an expression as a kernel over the cells of all its fields has it."""
    kernel = Kernel("k", 2, FIELDS, (), (Statement(FIELDS[0].name, 0, expression, (0, 0)),))
    space = hc.Grid(EXTENT).space
    spaces = {field.name: space for field in FIELDS}
    return resolved(kernel, spaces, space, [""]).kernel.statements[0].value


@given(expressions, offsets)
def test_a_shifted_expression_is_the_expression_in_shifted_cells(expression, offset):
    assert value(seen(shifted(expression, offset))) == value(expression, BOX.shift(offset))


@given(expressions, offsets, offsets)
def test_shifting_twice_is_shifting_by_the_sum(expression, first, second):
    total = tuple(a + b for a, b in zip(first, second, strict=True))
    assert seen(shifted(shifted(expression, first), second)) is seen(shifted(expression, total))


@given(expressions)
def test_shifting_by_nothing_gives_the_same_object(expression):
    assert seen(shifted(expression, (0, 0))) is expression


@given(expressions)
def test_pickling_gives_the_same_object(expression):
    assert pickle.loads(pickle.dumps(expression)) is expression


@given(expressions)
def test_walk_lists_each_node_once_after_its_operands(expression):
    order = walk(expression)
    assert len(set(map(id, order))) == len(order)
    assert order[-1] is expression


def _legal(statement):
    """Read the own component only where it is assigned."""
    own = (statement.field, statement.component)
    found = (n for n in walk(statement.value) if isinstance(n, Read))
    return all(n.offset == statement.offset for n in found if (n.field, n.component) == own)


statements = st.one_of(
    st.builds(Statement, st.just("a"), st.integers(0, 1), expressions, offsets),
    st.builds(Statement, st.just("b"), st.just(0), expressions, offsets),
).filter(_legal)


def in_order(some):
    """Return statements that see what those before them have assigned."""
    done = Counter()
    result = []
    for one in some:
        seen = {}
        for node in walk(one.value):
            if isinstance(node, Read):
                version = done[node.field, node.component]
                seen[node] = Read(node.field, node.component, node.offset, version)
            else:
                seen[node] = rebuild(node, tuple(seen[below] for below in operands(node)))
        result.append(replace(one, value=seen[one.value]))
        done[one.field, one.component] += 1
    return tuple(result)


WHOLE = BOX.grow((3, 3), (3, 3))


def by_statement(kernel):
    """Return the bytes of all fields when each statement runs over all cells before the next."""
    memory = arrays()
    for one in separate(kernel):
        evaluate(one, memory, {}, WHOLE, ORIGIN)
    return {name: array.tobytes() for name, array in memory.items()}


def by_cell(kernels):
    """Return the same when each kernel does all of its statements in a cell before the next."""
    memory = arrays()
    for kernel in kernels:
        for cell in product(*map(range, WHOLE.lower, WHOLE.upper)):
            evaluate(kernel, memory, {}, Box(cell, tuple(c + 1 for c in cell)), ORIGIN)
    return {name: array.tobytes() for name, array in memory.items()}


@settings(max_examples=60)
@given(st.lists(statements, min_size=1, max_size=4))
def test_fusing_keeps_the_meaning(some):
    kernel = Kernel("k", 2, FIELDS, (), in_order(some))
    fused = fuse(kernel)
    places = [(s.field, s.component, s.offset) for k in fused for s in k.statements]
    assert places == [(s.field, s.component, s.offset) for s in some]
    assert by_cell(fused) == by_statement(kernel)
