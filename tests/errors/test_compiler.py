"""No compiler, a compiler that fails, a cache that cannot be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import stencils

import halocline as hc
from halocline.errors import CompileError


def compiled() -> None:
    stencils.run(stencils.heat((8,), (True,)), 1, threads=1)


def told() -> str:
    with pytest.raises(CompileError) as caught:
        compiled()
    return str(caught.value)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    return tmp_path / "cache"


def test_no_compiler_on_the_path(cache, monkeypatch, tmp_path):
    monkeypatch.delenv("HALOCLINE_CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told() == (
        "No C++ compiler was found: neither 'g++' nor 'c++' is on the path. Install the package "
        "'g++' (Debian, Ubuntu) or 'gcc-c++' (Fedora, Red Hat, SUSE), name another C++17 compiler "
        "in the environment variable 'HALOCLINE_CXX', or use target=\"numpy\"."
    )


def test_without_a_compiler_what_the_cache_has_runs(cache, monkeypatch, tmp_path):
    monkeypatch.delenv("HALOCLINE_CXX", raising=False)
    compiled()
    monkeypatch.setenv("PATH", str(tmp_path))
    compiled()
    with pytest.raises(CompileError, match=r"No C\+\+ compiler was found"):
        stencils.run(stencils.heat((8, 8), (True, True)), 1, threads=1)
    monkeypatch.setenv("HALOCLINE_CXX", "g+++")
    assert told().startswith("The compiler 'g+++' named in 'HALOCLINE_CXX' was not found.")


def test_a_compiler_that_finds_the_disk_full(cache, monkeypatch, tmp_path):
    fake = tmp_path / "fake-compiler"
    fake.write_text(
        "#!/bin/sh\n"
        'test "$1" = --version && echo fake 1.0 && exit 0\n'
        "echo 'as: error: x.o: write error: No space left on device' >&2; exit 1\n",
        encoding="utf-8",
    )
    fake.chmod(0o755)
    monkeypatch.setenv("HALOCLINE_CXX", str(fake))
    message = told()
    assert message.startswith("The compiler could not write what it made:\n  as: error: x.o: ")
    assert message.endswith(
        "Make room there, or set 'HALOCLINE_CACHE' to a folder with room. The compiler needs some "
        "room in 'TMPDIR', too."
    )


def test_a_compiler_that_does_not_exist(cache, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CXX", "g+++")
    assert told().startswith("The compiler 'g+++' named in 'HALOCLINE_CXX' was not found.")


def test_a_compiler_that_does_not_run(cache, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CXX", "/bin/false")
    assert told().startswith("The compiler '/bin/false' does not run: Command ")


def test_a_compiler_that_refuses_the_code(cache, monkeypatch, tmp_path):
    fake = tmp_path / "fake-compiler"
    fake.write_text(
        "#!/bin/sh\n"
        'test "$1" = --version && echo fake 1.0 && exit 0\n'
        "echo 'x.cpp:1:1: error: the moon is not full' >&2; exit 1\n",
        encoding="utf-8",
    )
    fake.chmod(0o755)
    monkeypatch.setenv("HALOCLINE_CXX", str(fake))
    message = told()
    assert message.startswith(
        "The compiler refused the generated code:\n  x.cpp:1:1: error: the moon is not full\n"
        f"The source is kept in '{cache}"
    )
    assert message.endswith("Check that 'HALOCLINE_CXX' names a working C++17 compiler.")


def test_a_cache_that_cannot_be_written_is_replaced_with_a_warning(cache, monkeypatch):
    # A file where the folder should be: that stops even root.
    cache.write_text("", encoding="utf-8")
    monkeypatch.setenv("TMPDIR", str(cache.parent))
    with pytest.warns(UserWarning, match="cannot be written") as caught:
        compiled()
    text = str(caught[0].message)
    assert text.startswith(f"The cache '{cache}' cannot be written (")
    assert text.endswith("or set 'HALOCLINE_CACHE' to a folder of yours.")


def test_the_numpy_target_needs_no_compiler(cache, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    problem = stencils.heat((8,), (True,))
    stencils.run(problem, 1, target="numpy", threads=1)
    assert not Path(os.environ["HALOCLINE_CACHE"]).exists()
    assert isinstance(problem.grid, hc.Grid)
