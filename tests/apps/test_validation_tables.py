"""Rows that slow tests record replace those of the same case, quantity and source."""

from pathlib import Path

from validation_tables import HEAD, SUBJECTS, updated

DOCUMENT = Path(__file__).parents[2] / "docs" / "validation.md"
TEXT = f"""\
before
<!-- measured: duct -->
{HEAD}
| duct | mean | series | 0.1 | 0.2 | here |
| duct | mean | data | 0.3 | 0.4 | here |
<!-- measured: end -->
between
<!-- measured: bodies -->
{HEAD}
<!-- measured: end -->
after
"""


def test_a_row_replaces_its_predecessor_and_another_one_comes_last():
    rows = [
        ("duct", "mean", "data", "1", "2", "there"),
        ("pipe", "mean", "data", "3", "4", "there"),
    ]
    assert updated(TEXT, "duct", rows) == TEXT.replace(
        "| duct | mean | data | 0.3 | 0.4 | here |\n",
        "| duct | mean | data | 1 | 2 | there |\n| pipe | mean | data | 3 | 4 | there |\n",
    )
    assert updated(TEXT, "bodies", []) == TEXT


def test_the_document_has_a_table_for_each_subject():
    text = DOCUMENT.read_text("utf-8")
    for subject in set(SUBJECTS.values()):
        assert updated(text, subject, []) == text
