"""The tables of docs/validation.md: one for each subject, between two comments."""

from __future__ import annotations

import re

HEAD = """\
| case | quantity | compared with | error | tolerance | machine, date, time |
|---|---|---|---|---|---|"""

# The table that the rows of a test file belong to.
SUBJECTS = {
    "test_cavity": "cavity",
    "test_flow_cases": "cavity",
    "test_duct": "duct",
    "test_taylor_green": "vortices",
    "test_shear_layer": "vortices",
    "test_past_body": "bodies",
    "test_obstacle_flow": "obstacle flow",
    "test_curvilinear": "oceans",
    "test_internal_wave": "oceans",
    "test_ocean_cases": "oceans",
    "test_seamount_layers": "layers",
}

Row = tuple[str, ...]


def updated(text: str, subject: str, rows: list[Row]) -> str:
    """Return the document with these rows in a subject's table.

    A row replaces the one of the same case, quantity and source, or comes last.
    """
    pattern = rf"(<!-- measured: {subject} -->\n)(.*?)(<!-- measured: end -->)"
    found = re.search(pattern, text, re.DOTALL)
    assert found, f"docs/validation.md has no table '{subject}'"
    old = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in _body(found[2])]
    table = {row[:3]: row for row in [*old, *rows]}
    lines = [HEAD, *("| " + " | ".join(row) + " |" for row in table.values())]
    return text[: found.end(1)] + "\n".join(lines) + "\n" + text[found.start(3) :]


def _body(table: str) -> list[str]:
    return table.strip().splitlines()[2:]
