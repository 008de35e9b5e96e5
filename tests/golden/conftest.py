"""Compare generated text with a file that is reviewed like code; '--update-golden' rewrites it."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected texts")


@pytest.fixture
def golden(request):
    """Return a function that compares a text with the expected one of a name."""

    def compare(name: str, text: str) -> None:
        path = FOLDER / name
        if request.config.getoption("--update-golden", default=False):
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"'{name}' is missing: run pytest with --update-golden."
        assert text == path.read_text(encoding="utf-8")

    return compare
