"""Write what the slow tests measure into docs/validation.md."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "validation.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
HEAD = (
    "| case | quantity | measured | accepted | time | machine and date |\n|---|---|---|---|---|---|"
)

Record = Callable[[str, str, float, float, float], None]


@pytest.fixture(scope="session")
def record() -> Iterator[Record]:
    """Return a function that takes case, quantity, number, threshold and seconds, and keeps them.

    At the end of the session the rows replace those of the same case and quantity in the document.
    """
    rows: dict[tuple[str, str], str] = {}
    where = f"{_processor()}, {os.cpu_count()} cores, {datetime.now(UTC):%Y-%m-%d}"

    def keep(case: str, quantity: str, measured: float, accepted: float, seconds: float) -> None:
        cells = (case, quantity, f"{measured:.3g}", f"≤ {accepted:g}", f"{seconds:.0f} s", where)
        rows[case, quantity] = "| " + " | ".join(cells) + " |"

    yield keep
    _update(rows)


def _update(rows: dict[tuple[str, str], str]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    kept = {}
    for line in old.strip().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        kept[cells[0], cells[1]] = line
    table = "\n".join([HEAD, *(kept | rows).values()])
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def _processor() -> str:
    """Return the processor's name without trade marks."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"model name\s*:\s*(.*)", text)
    return re.sub(r"\((R|TM)\)", "", found[1]) if found else platform.machine()
