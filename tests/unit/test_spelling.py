"""Output whose encoding lacks characters has others instead, and stops nothing."""

import io
import sys

import pytest

from halocline.cli.spelling import spell_what_cannot_be_encoded


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("ascii", "-> rank 1: 2 m^3 a cell, ... ? <= 3"),
        ("latin-1", "-> rank 1: 2 m\N{SUPERSCRIPT THREE} a cell, ... ? <= 3"),
        ("utf-8", "→ rank 1: 2 m³ a cell, … ∂ ≤ 3"),
    ],
)
def test_what_cannot_be_encoded_is_spelled(encoding, expected, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    spell_what_cannot_be_encoded()
    print("→ rank 1: 2 m³ a cell, … ∂ ≤ 3", end="", flush=True)
    assert stream.buffer.getvalue().decode(encoding) == expected
