"""Loops that call functions become vectors: the compiler says so."""

from __future__ import annotations

import subprocess

import pytest
from cases import OF_ONE, TWO

from halocline.jit.toolchain import find_toolchain

_LOOP = """\
#include "elementary.hpp"
extern "C" void loop(const {kind}* __restrict x, const {kind}* __restrict y, {kind}* __restrict out,
                     long count) {{
    for (long i = 0; i < count; ++i) out[i] = elementary::{call};
}}
"""


@pytest.mark.parametrize("kind", ["double", "float"])
@pytest.mark.parametrize("name", [*OF_ONE, *TWO])
def test_gcc_makes_vectors(name, kind, tmp_path):
    chain = find_toolchain()
    if "g++" not in chain.command[0]:
        pytest.skip("'-fopt-info-vec' is GCC's")
    source = tmp_path / "loop.cpp"
    call = f"{name}(x[i], y[i])" if name in TWO else f"{name}(x[i])"
    source.write_text(_LOOP.format(kind=kind, call=call), encoding="utf-8")
    command = [*chain.command, *chain.flags, f"-I{chain.include}", "-fopt-info-vec", str(source)]
    said = subprocess.run(
        [*command, "-o", str(tmp_path / "loop.so")], capture_output=True, text=True, check=True
    ).stderr
    assert "optimized: loop vectorized" in said.partition("loop.cpp:4:")[2]
