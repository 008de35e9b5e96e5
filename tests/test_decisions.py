"""Decision records have one form, and name files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECORDS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
# What a path may begin with: records leave out the package's folder.
PLACES = [ROOT, ROOT / "src" / "halocline", ROOT / "docs"]
FILE = re.compile(r"`([\w./]+\.(?:py|cpp|hpp|h|csv|json|md))`")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem[:4])
def test_a_record_says_context_decision_and_consequences(path):
    text = path.read_text("utf-8")
    assert text.startswith(f"# {path.stem[:4]} ")
    places = [text.find(f"**{part}.**") for part in ("Context", "Decision", "Consequences")]
    assert places == sorted(places)
    assert min(places) > 0


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem[:4])
def test_files_that_a_record_names_exist(path):
    for name in FILE.findall(path.read_text("utf-8")):
        if "/" in name:
            assert any((place / name).exists() for place in PLACES), name
        else:
            assert any(any(ROOT.glob(f"{top}/**/{name}")) for top in ("src", "cpp", "tests")), name
