"""Write what the slow tests measure into docs/validation.md."""

from __future__ import annotations

import os
import platform
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from validation_tables import SUBJECTS, Row, updated

DOCUMENT = Path(__file__).parents[2] / "docs" / "validation.md"

Record = Callable[[str, str, str, float, float, float], None]
Rows = dict[str, list[Row]]


@pytest.fixture(scope="session")
def measured() -> Iterator[Rows]:
    """Return the rows of each subject, which replace those of the document at the session's end."""
    rows: Rows = defaultdict(list)
    yield rows
    text = DOCUMENT.read_text(encoding="utf-8")
    for subject, of_subject in rows.items():
        text = updated(text, subject, of_subject)
    DOCUMENT.write_text(text, encoding="utf-8")


@pytest.fixture
def record(request: pytest.FixtureRequest, measured: Rows) -> Record:
    """Return a function that keeps a row: case, quantity, source, error, tolerance, seconds."""
    rows = measured[SUBJECTS[request.path.stem]]
    where = f"{_processor()}, {os.cpu_count()} cores, {datetime.now(UTC):%Y-%m-%d}"

    def keep(
        case: str, quantity: str, source: str, error: float, tolerance: float, seconds: float
    ) -> None:
        numbers = (f"{error:.3g}", f"{tolerance:g}", f"{where}, {seconds:.0f} s")
        rows.append((case, quantity, source, *numbers))

    return keep


def _processor() -> str:
    """Return the processor's name without trade marks."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"model name\s*:\s*(.*)", text)
    return re.sub(r"\((R|TM)\)", "", found[1]) if found else platform.machine()
