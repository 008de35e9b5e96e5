"""'halocline new': write a program to start from."""

from __future__ import annotations

import ast
from pathlib import Path

from halocline.errors import CaseError, OutputError, nearest
from halocline.io.output import writing

_PROGRAMS = Path(__file__).with_name("programs")


def programs() -> dict[str, str]:
    """Return the first sentence of each program, by name."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in _PROGRAMS.glob("*.py")}
    return {name: _first_line(texts[name]) for name in sorted(texts)}


def _first_line(text: str) -> str:
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def write_program(name: str, folder: Path) -> Path:
    """Write a program into a folder.

    Args:
        name: One of 'programs'.
        folder: Where it goes, as NAME.py.

    Returns:
        Its file.

    Raises:
        CaseError: There is no such program.
        OutputError: There is such a file already, or it cannot be written.
    """
    if name not in programs():
        raise CaseError(f"There is no program '{name}'.", hint=nearest(name, programs()))
    path = folder / f"{name}.py"
    if path.exists():
        raise OutputError(
            f"'{path.name}' exists in '{folder.resolve()}' and is not overwritten.",
            hint="Move it away, or call 'halocline new' in another folder.",
        )
    with writing(path):
        path.write_bytes((_PROGRAMS / path.name).read_bytes())
    return path
