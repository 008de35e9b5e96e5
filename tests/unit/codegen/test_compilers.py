"""NVIDIA's compilers take the CUDA text of the kernels that the tests run; skipped without them."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
import stencils

from halocline.codegen.cuda_services import print_services
from halocline.errors import CompileError
from halocline.jit.nvrtc import FLAGS, architectures, compile_cuda
from halocline.targets import source_for

# Of any kind but 177: the text before the kernels has functions that not all of them use.
WARNING = re.compile(r"ptxas.*warning|halocline\.cu.*warning #(?!177)")


def texts(name, dtype):
    problem = stencils.make(name, "none", dtype)
    return source_for(problem.grid, problem.steps, "cuda")


@pytest.mark.parametrize("name", stencils.PROBLEMS)
def test_nvrtc(name):
    try:
        architecture = architectures()[0]
    except CompileError as error:
        pytest.skip(str(error))
    for dtype in ("float64", "float32"):
        code = compile_cuda(texts(name, dtype), architecture)
        assert code.image.startswith(b"\x7fELF")
        assert not WARNING.search(code.log)


@pytest.mark.parametrize("name", ["services", "heat 3-D", "cavity 2-D, interleaved"])
def test_nvcc(name, tmp_path):
    nvcc = shutil.which("nvcc") or pytest.skip("nvcc was not found")
    source = print_services() if name == "services" else texts(name, "float32")
    (tmp_path / "halocline.cu").write_text(source.text, encoding="utf-8")
    command = [nvcc, "--cubin", "--gpu-architecture=sm_80", *FLAGS, "halocline.cu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not WARNING.search(done.stderr), done.stderr
    assert (tmp_path / "halocline.cubin").stat().st_size > 0
