"""The page of results shows no figure that the logs of measurements do not have."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
NUMBER = re.compile(r"\d[\d,.]*\d(?:e\d+)?|\d")


def figures(text):
    """Return the numbers in the tables of a Markdown text."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return {number for row in rows for number in NUMBER.findall(row)}


def test_figures_of_the_results_page_stand_in_the_logs():
    logs = " ".join(path.read_text("utf-8") for path in (DOCS / "measurements").glob("*.md"))
    shown = figures((DOCS / "performance.md").read_text("utf-8"))
    assert not shown - set(NUMBER.findall(logs))
    assert len(shown) > 100


def test_every_log_is_reached_from_a_page_of_results():
    pages = "".join(
        (DOCS / f"{page}.md").read_text("utf-8") for page in ("performance", "validation")
    )
    for path in (DOCS / "measurements").glob("*.md"):
        assert f"measurements/{path.name}" in pages, path.name
