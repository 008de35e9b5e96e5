"""Expressions: interned, compared by identity, pickled."""

import pickle
import time

import pytest
from msgspec.structs import replace

import halocline as hc
from halocline.language.expressions.expr import (
    Binary,
    Const,
    Index,
    Read,
    Scalar,
    Where,
    shifted,
    walk,
)
from halocline.language.expressions.kernel import FieldType, Kernel, Statement
from halocline.language.grids.related import resolved


def tower(levels):
    node = Read("T", 0, (0,))
    for _ in range(levels):
        node = Binary("mul", node, node)
    return node


def test_equal_expressions_are_one_object():
    assert Binary("add", Const(1.0), Scalar("a")) is Binary("add", Const(1.0), Scalar("a"))


def test_constants_that_compare_equal_stay_apart():
    values = [1, 1.0, True, 0, 0.0, -0.0, False]
    assert len({id(node) for node in [Const(v) for v in values]}) == len(values)


def test_the_sign_of_zero_survives_interning():
    assert (str(Const(0.0).value), str(Const(-0.0).value)) == ("0.0", "-0.0")


def test_a_tower_of_200_squarings_built_twice_compares_at_once():
    started = time.process_time()
    assert tower(200) is tower(200)
    assert hash(tower(200)) == hash(tower(200))
    assert len(walk(tower(200))) == 201
    assert time.process_time() - started < 0.1


def test_pickling_keeps_identity():
    node = tower(50)
    assert pickle.loads(pickle.dumps(node)) is node


def test_nodes_cannot_be_changed():
    with pytest.raises(AttributeError):
        Const(1.0).value = 2.0


def test_walk_yields_operands_before_their_users():
    node = Where(Scalar("c"), Const(1.0), Binary("add", Const(1.0), Scalar("c")))
    assert walk(node) == (Scalar("c"), Const(1.0), node.false, node)


def test_shifted_moves_reads_and_indices_but_not_scalars():
    node = Binary("add", Binary("mul", Read("T", 0, (1, 0)), Index(1, 0)), Scalar("a"))
    moved = Binary("add", Binary("mul", Read("T", 0, (0, 2)), Index(1, 2)), Scalar("a"))
    space = hc.Grid((8, 8)).space
    kernel = Kernel("k", 2, (FieldType("T", "float64", 1),), ("a",), ())
    shifted_statement = Statement("T", 0, shifted(node, (-1, 2)), (0, 0))
    kernel = replace(kernel, statements=(shifted_statement,))
    found = resolved(kernel, {"T": space}, space, [""])
    assert found.kernel.statements[0].value is moved
