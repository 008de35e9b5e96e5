"""The page of environment variables lists those that the code reads, and no others."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "guide" / "environment.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="without the documents")
# Names of one word, which other capitals in strings cannot be told from.
SHORT = {"CXX", "FC", "PATH", "MPICXX"}
NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def is_name(text: object) -> bool:
    return isinstance(text, str) and (text in SHORT or NAME.fullmatch(text) is not None)


def read_by_python() -> set[str]:
    """Return the names in strings of modules that read the environment."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    trees = [ast.parse(text) for text in texts if "environ" in text]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {n.value for n in nodes if isinstance(n, ast.Constant) and is_name(n.value)}


def read_by_cpp() -> set[str]:
    """Return the names in strings of C++ that has to do with variables, and in CMake's ENV."""
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "cpp").rglob("*.[ch]pp")]
    texts = [text for text in files if "getenv" in text or "_variable" in text]
    found = {name for text in texts for name in re.findall(r'"([A-Z0-9_]+)"', text)}
    cmake = (ROOT / "cpp" / "mpi" / "mpi.cmake").read_text(encoding="utf-8")
    return {*filter(is_name, found), *re.findall(r"ENV\{(\w+)\}", cmake)}


def listed() -> set[str]:
    """Return the names in the first columns of the page's tables."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_page_lists_the_variables_that_the_code_reads():
    assert listed() == read_by_python() | read_by_cpp()
