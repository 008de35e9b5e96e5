"""The Fortran programs that documents show compile and run as they stand."""

from __future__ import annotations

import re

import pytest
from caf_commands import FOLDER, build, run

_DOCUMENTS = FOLDER.parents[1] / "docs"
_SHOWN = {
    path.stem: found[1]
    for path in sorted(_DOCUMENTS.glob("**/*.md"))
    if (found := re.search(r"```fortran\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.M))
}


@pytest.mark.parametrize("images", [1, 4])
@pytest.mark.parametrize("document", _SHOWN)
def test_a_program_of_a_document_runs(tmp_path, document, images):
    source = tmp_path / "shown.f90"
    source.write_text(_SHOWN[document])
    ended = run(build([source], tmp_path), images)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("heat in the rod:")
