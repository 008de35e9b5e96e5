"""No program makes the library touch memory that is not its own, or do what C++ leaves undefined.

The library is built with the address and undefined-behaviour sanitizers, and so are the programs.
Takes minutes: run by 'make validate'.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
import random_components
import random_sections
from caf_commands import COMMAND, FOLDER

_ROOT = FOLDER.parents[1]
_SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-g"]
# The sanitizer has 'free' itself, and so does not know that the library frees components.
_LEFT_OUT = {"components_in_plain_procedures", "runtime_error_ends_all"}
_PROGRAMS = [p for p in sorted((FOLDER / "programs").glob("*.f90")) if p.stem not in _LEFT_OUT]
_FOUND = re.compile(r"AddressSanitizer|runtime error: ")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    """Returns a function that builds a program with the sanitized library, and its launcher."""
    if not (_ROOT / "cpp/caf").is_dir():
        pytest.skip("needs the source tree")
    folder = tmp_path_factory.mktemp("sanitized")
    for name in ("bin", "lib"):
        (folder / name).mkdir()
    shutil.copy(COMMAND, folder / "bin/halocline-caf")
    sources = [*(_ROOT / "cpp/pgas").glob("*.cpp"), *(_ROOT / "cpp/caf").glob("*.cpp")]
    library = folder / "lib/libhalocline_caf.so"
    flags = ["-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{_ROOT / 'cpp'}"]
    made = subprocess.run(
        ["g++", *flags, *_SANITIZERS, *sources, "-o", library],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    command = folder / "bin/halocline-caf"

    def program(source, name):
        target = folder / name
        build = [command, "build", *_SANITIZERS, FOLDER / "expect.f90", source, "-o", target]
        subprocess.run(build, cwd=folder, check=True, capture_output=True)
        return command, target

    return program


def _runs_clean(built, images):
    command, program = built
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}
    ended = subprocess.run(
        [command, "run", "-n", str(images), program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert not _FOUND.search(ended.stderr), ended.stderr


@pytest.mark.parametrize("source", _PROGRAMS, ids=lambda source: source.stem)
def test_a_program_runs_clean(sanitized, source):
    built = sanitized(source, source.stem)
    for images in (1, 3):
        _runs_clean(built, images)


@pytest.mark.parametrize("generator", [random_sections, random_components])
@pytest.mark.parametrize("seed", range(100, 110))
def test_random_programs_run_clean(sanitized, tmp_path, generator, seed):
    images = 2 + seed % 3
    source = tmp_path / "random.f90"
    source.write_text(generator.generate(seed, images))
    _runs_clean(sanitized(source, f"{generator.__name__}_{seed}"), images)
