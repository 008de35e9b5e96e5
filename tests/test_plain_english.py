"""Documents, docstrings of public names and messages are plain English."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest
from plain_words import docstring, findings, long_lines, markdown, messages

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
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


def test_documents_docstrings_and_messages_are_plain_english():
    found = [f"{name}: {wrong}" for name, (check, what) in CHECKS.items() for wrong in check(what)]
    assert not found, "\n".join(found)


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
