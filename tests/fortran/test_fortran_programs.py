"""Each program in the folder promises what its name says, on any number of images.

The first lines of a program may say otherwise than "as many images as you like, which print 'ok'
and end without an error":

    ! images: 2             the least number of images
    ! exit: 3               the exit status, or 'any', or 'not 0'
    ! output: none          'none', or 'any', where 'ok' is not to be written
    ! stderr: STOP 3        what must stand there; else nothing may
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from caf_commands import FOLDER, run

_PROGRAMS = sorted((FOLDER / "programs").glob("*.f90"))
_IMAGES = (1, 2, 3, 4, 8)


def _says(source: Path, word: str, otherwise: str) -> str:
    found = re.search(rf"^! {word}: (.*)$", source.read_text(), re.MULTILINE)
    return found[1] if found else otherwise


def _cases():
    for source in _PROGRAMS:
        least = int(_says(source, "images", "1"))
        for images in _IMAGES:
            if images >= least:
                yield pytest.param(source, images, id=f"{source.stem}-{images}")


@pytest.mark.parametrize(("source", "images"), list(_cases()))
def test_program_keeps_what_its_name_promises(built, source, images):
    ended = run(built(source), images)
    status = _says(source, "exit", "0")
    printed = _says(source, "output", "ok")
    wrong = _says(source, "stderr", "")
    seen = f"exit status {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    if status == "not 0":
        assert ended.returncode != 0, seen
    elif status != "any":
        assert ended.returncode == int(status), seen
    if printed != "any":
        assert ended.stdout == ("ok\n" if printed == "ok" else ""), seen
    if wrong:
        assert re.search(wrong, ended.stderr), seen
    elif status != "any":
        assert ended.stderr == "", seen
