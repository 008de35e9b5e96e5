"""The compiled runtime is one module for all who import it, before and after it is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADING = {
    "use": "early.Box",
    "kernel": "from halocline.native import load_runtime; load_runtime()",
    "MPI": "from halocline.runtime.mpi_start import load_mpi; load_mpi()",
}


@pytest.mark.parametrize("way", LOADING)
def test_imports_before_and_after_loading_find_the_same_module(way):
    if way == "MPI":
        pytest.importorskip("halocline.runtime._mpi")
    code = f"""
import sys
from halocline.runtime import _core as early
assert "halocline.runtime._core" not in sys.modules
{LOADING[way]}
import halocline.runtime._core as late
from halocline.runtime import _core as again
assert early is late is again is sys.modules["halocline.runtime._core"]
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
