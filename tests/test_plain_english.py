"""Documents, docstrings of public names and messages are plain English."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from pathlib import Path

import pytest
from plain_words import docstring, findings, long_lines, markdown, messages

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
# What is not plain yet. This list may only become shorter.
NOT_YET = frozenset((ROOT / "tests/not_plain_yet.txt").read_text("utf-8").split())
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PUBLIC = ["halocline", "halocline.lbm", "halocline.ocean", "halocline.coarray"]


def _named(path):
    return str(path.relative_to(ROOT))


def _in_document(path):
    text = path.read_text("utf-8")
    return [*long_lines(text), *findings(markdown(text))]


def _docstrings(public):
    """Yield the docstrings of a package's public names and of their public members."""
    package = importlib.import_module(public)
    for name in getattr(package, "__all__", dir(package)):
        value = getattr(package, name)
        if name.startswith("_") or not callable(value):
            continue
        yield inspect.getdoc(value) or ""
        if inspect.isclass(value):
            for member, own in vars(value).items():
                text = getattr(own, "__doc__", None)
                if not member.startswith("_") and isinstance(text, str) and callable(own):
                    yield text


def _in_docstrings(public):
    return [f for text in _docstrings(public) for f in findings(docstring(text))]


def _in_messages(path):
    return list(findings(messages(path.read_text("utf-8"))))


CHECKS = {
    **{_named(path): (_in_document, path) for path in DOCUMENTS},
    **{_named(path): (_in_messages, path) for path in sorted(SOURCES.rglob("*.py"))},
    **{public: (_in_docstrings, public) for public in PUBLIC},
}


@cache
def _found():
    """Return what is not plain, by file or package."""
    return {name: check(what) for name, (check, what) in CHECKS.items()}


def test_documents_docstrings_and_messages_are_plain_english():
    wrong = _found()
    shown = [f"{name}: {w}" for name, found in wrong.items() if name not in NOT_YET for w in found]
    assert not shown, "\n".join(shown)


def test_the_list_of_what_is_not_plain_yet_becomes_shorter():
    assert set(CHECKS) >= NOT_YET, "remove names that no longer exist from the list"
    plain = {name for name in NOT_YET if not _found()[name]}
    assert not plain, f"remove from tests/not_plain_yet.txt: {sorted(plain)}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The halo is sent. " * 20, []),
        ("one " * 31, ["31 words"]),
        ("one " * 20 + "\n" + "one " * 11, ["31 words"]),
        ("| a | " + "one " * 31 + "|\n", ["31 words"]),
        ("```\n" + "one " * 31 + "\n```\nfine\n", []),
        ("Guest cells of a level", ["'Guest cells'"]),
    ],
)
def test_what_is_not_plain_is_found(text, found):
    shown = list(findings(markdown(text)))
    assert len(shown) == len(found)
    assert all(s.startswith(f) for s, f in zip(shown, found, strict=True))
