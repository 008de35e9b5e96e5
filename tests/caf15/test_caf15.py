"""The coarray library for gfortran 15, which we do not have: programs in C play the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import halocline

_FOLDER = Path(__file__).parent
# A variable may name another one while the library is being changed.
_COMMAND = Path(
    os.environ.get("HALOCLINE_CAF", Path(halocline.__file__).parent / "caf/bin/halocline-caf")
)
_LIBRARIES = _COMMAND.parent.parent / "lib"
_COMPILER = shutil.which("gcc") or shutil.which("cc")

pytestmark = pytest.mark.skipif(_COMPILER is None, reason="there is no C compiler")


def _compile(source: Path, program: Path, library: str) -> Path:
    assert _COMPILER
    flags = ["-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-cast-function-type"]
    link = [f"-L{_LIBRARIES}", f"-Wl,-rpath,{_LIBRARIES}", f"-l{library}"]
    subprocess.run([_COMPILER, *flags, source, "-o", program, *link], check=True)
    return program


def _run(program: Path, images: int) -> subprocess.CompletedProcess[str]:
    command = [_COMMAND, "run", "-n", str(images), program]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("caf15")
    return {
        name: _compile(_FOLDER / f"{name}.c", folder / name, "halocline_caf15")
        for name in ("data", "teams")
    }


@pytest.mark.parametrize("images", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["data", "teams"])
def test_program_of_gfortran_15_does_what_it_should(built, name, images):
    ended = _run(built[name], images)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ok\n", "")


@pytest.mark.parametrize(
    ("function", "linked", "right"),
    [
        ("register_accessor", "halocline_caf", "-lhalocline_caf15,"),
        ("send", "halocline_caf15", "-lhalocline_caf,"),
        ("get_by_ref", "halocline_caf15", "-lhalocline_caf,"),
    ],
)
def test_library_for_another_compiler_says_which_one_is_right(tmp_path, function, linked, right):
    source = tmp_path / "program.c"
    name = f"_gfortran_caf_{function}"
    source.write_text(f"void {name}(void);\nint main(void) {{ {name}(); return 0; }}\n")
    ended = _run(_compile(source, tmp_path / "program", linked), 2)
    assert ended.returncode != 0
    assert "This program was compiled by gfortran 1" in ended.stderr
    assert f"link it with {right}" in ended.stderr


def _compiler_of_version(folder: Path, version: int) -> Path:
    compiler = folder / "gfortran"
    compiler.write_text(f'#!/bin/sh\n[ "$1" = -dumpversion ] && echo {version} || echo "$@"\n')
    compiler.chmod(0o755)
    return compiler


def _build(compiler: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FC": str(compiler)}
    command = [_COMMAND, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    ("version", "library"), [(14, "-lhalocline_caf"), (15, "-lhalocline_caf15")]
)
@pytest.mark.parametrize("words", [("build", "heat.f90"), ("flags", "--link")])
def test_programs_are_linked_with_the_library_for_their_compiler(tmp_path, version, library, words):
    made = _build(_compiler_of_version(tmp_path, version), *words)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.split()[-1] == library


def test_compiler_newer_than_the_library_is_refused(tmp_path):
    made = _build(_compiler_of_version(tmp_path, 16), "build", "heat.f90")
    assert made.returncode != 0
    assert "is gfortran 16; this coarray library is for gfortran 11 to 15" in made.stderr
