"""Functions of every number of 32 bits, beside the C library's in double."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cases import OF_ONE

from halocline.jit.toolchain import find_toolchain

SOURCE = Path(__file__).parent / "every_float.cpp"


def worst_error(name, stride, folder):
    """Return the largest error [ulp], where it is, and how many special values were others."""
    chain = find_toolchain()
    flags = [flag for flag in chain.flags if flag not in ("-shared", "-fPIC")]
    program = str(folder / name)
    options = [f"-I{chain.include}", f"-DFUNCTION={name}", str(SOURCE), "-o", program]
    subprocess.run([*chain.command, *flags, *options], check=True)
    said = subprocess.run([program, str(stride)], capture_output=True, text=True, check=True).stdout
    error, at, others = said.split()
    return float(error), at, int(others)


@pytest.mark.parametrize("name", OF_ONE)
def test_some_floats(name, tmp_path):
    error, at, others = worst_error(name, 40009, tmp_path)
    assert error < 1, at
    assert others == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_ONE)
def test_every_float(name, tmp_path):
    error, at, others = worst_error(name, 1, tmp_path)
    print(f"{name}: {error} ulp at {at}")
    assert error < 1, at
    assert others == 0
