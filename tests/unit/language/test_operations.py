"""A row of the table is all that the parts of Halocline know of an operation."""

import math

import numpy as np
import pytest

import halocline as hc
from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.language.expressions.expr import Binary, Compare, Read, Unary
from halocline.language.expressions.kernel import FieldType, Kernel, Statement
from halocline.language.expressions.operations import OPERATIONS
from halocline.language.expressions.verify import is_legal
from halocline.runtime.elementary import elementary

FUNCTIONS = [row for row in OPERATIONS.values() if not row.sign]


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.name)
def test_a_function_is_public_and_numpy_or_python_has_it(row):
    assert hasattr(hc, row.public or row.name) or row.name == "abs"
    assert hasattr(np, row.numpy) if row.numpy else hasattr(math, row.name)


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)
def test_generated_code_calls_what_the_row_says(row):
    dtype = "int32" if row.accepted in ("bits", "integers") else "float64"
    node = {1: Unary, 2: Compare if row.operands == "compared" else Binary}[row.arity]
    value = node(row.name, *[Read(name, 0, (0,)) for name in "ab"[: row.arity]])
    result = "bool" if row.operands == "compared" else dtype
    fields = (*(FieldType(name, dtype, 1) for name in "ab"), FieldType("out", result, 1))
    kernel = Kernel("apply", 1, fields, (), (Statement("out", 0, value, (0,)),))
    assert is_legal(kernel, value)
    for print_text in (print_source, print_cuda):
        text = print_text([kernel]).text
        assert f"{row.cpp}(" in text if row.cpp else f"{row.sign}" in text
        for part in filter(str.islower, row.includes):
            assert f'#include "elementary/{part}.hpp"' in text


@pytest.mark.parametrize("name", [row.name for row in FUNCTIONS if row.is_elementary])
def test_the_runtime_has_each_elementary_function(name):
    values = [np.array([0.5])] * OPERATIONS[name].arity
    wanted = getattr(math, name)(*(0.5 for _ in values))
    assert elementary(name, *values)[0] == pytest.approx(wanted, rel=1e-15)
