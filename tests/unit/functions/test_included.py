"""The text that kernels include is part of what libraries are known by."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import ELEMENTARY, OF_TWO
from msgspec.structs import replace

import halocline as hc
from halocline.analysis.cost import cost
from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.codegen.source import Source
from halocline.errors import CompileError
from halocline.jit.build import build
from halocline.jit.cache import key
from halocline.jit.nvrtc import architectures, compile_cuda
from halocline.jit.toolchain import find_toolchain


def kernel_of(*functions):
    """Return a kernel that adds some functions."""
    grid = hc.Grid((8,))
    a, b = grid.field("a"), grid.field("b", dtype="float32")

    @hc.kernel
    def mix(a, b):
        for function in functions:
            a[0] = a[0] + function(a[0])
            b[0] = b[0] + function(b[0])

    return mix(a, b).kernel


def test_what_is_included_is_part_of_the_key(tmp_path):
    chain = find_toolchain()
    copy = tmp_path / "abi"
    shutil.copytree(chain.include, copy)
    source = Source("c++", "int i;", ("i",))
    same = key(source, replace(chain, include=str(copy)))
    other = tmp_path / "other"
    shutil.copytree(copy, other)
    erf = Path(other, "elementary", "erf.hpp")
    erf.write_text(erf.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert key(source, chain) == same
    assert key(source, replace(chain, include=str(other))) != same


def test_only_kernels_with_functions_include_them():
    plain, root = kernel_of(lambda x: x * 2.0), kernel_of(hc.sqrt, abs)
    calling = kernel_of(hc.exp)
    for print_text in (print_source, print_cuda):
        assert "elementary" not in print_text([plain]).text
        assert print_text([root]).text.count('#include "elementary') == 1
        assert "elementary::exp(" in print_text([calling]).text


def test_kernels_include_the_parts_that_have_their_functions():
    text = print_source([kernel_of(hc.exp), kernel_of(lambda x: hc.pow(x, x), hc.exp)]).text
    included = [line for line in text.splitlines() if line.startswith('#include "elementary')]
    assert included == [f'#include "elementary/{part}.hpp"' for part in ("exponential", "power")]


@pytest.mark.parametrize("name", [*ELEMENTARY, *OF_TWO, "floor", "ceil", "trunc", "round", "sign"])
def test_each_function_compiles_with_what_is_included_for_it(name):
    function = getattr(hc, name)
    build(print_source([kernel_of((lambda x: function(x, x)) if name in OF_TWO else function)]))


def test_nvrtc_compiles_all_functions():
    try:
        architecture = architectures()[-1]
    except CompileError:
        pytest.skip("NVRTC is not installed")
    every = [getattr(hc, n) for n in ELEMENTARY if n not in OF_TWO]
    every += [hc.floor, hc.ceil, hc.trunc, hc.round, hc.sign]
    every += [lambda x, n=n: getattr(hc, n)(x, x + 1) for n in (*OF_TWO, "maximum")]
    text = print_cuda([kernel_of(*every)])
    log = compile_cuda(text, architecture).log.splitlines()
    assert not [line for line in log if "elementary" in line and "warning" in line]


def test_functions_cost_more_than_a_product():
    product = cost(kernel_of(lambda x: x * x)).flops
    assert cost(kernel_of(hc.exp)).flops > product + 20
    assert cost(kernel_of(lambda x: x**0.3)).flops > cost(kernel_of(hc.exp)).flops
