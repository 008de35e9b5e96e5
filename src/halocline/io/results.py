"""Tables of results, and how they are drawn: the same for benchmarks and experiments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import field

from halocline.frozen import Frozen
from halocline.io.panels import Panel, Series

# A value for each column; a column's name has the unit in brackets. None: there is no value.
Row = Mapping[str, Any]

# The column that says where the numbers of a row come from, if not from this machine.
FROM = "from"
_WORDS = {"here": "here", "paper": "paper", "model": "predicted"}


class Table(Frozen):
    """Rows with a heading.

    Attributes:
        title: Above it.
        rows: At least one; what a row has no value for it may leave out.
    """

    title: str
    rows: Sequence[Row]

    def lines(self) -> list[str]:
        """Return it as text, without empty columns: words to the left, numbers to the right."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        is_empty = {n: all(row.get(n) in (None, "") for row in self.rows) for n in names}
        columns = tuple(name for name in names if not is_empty[name])
        cells = [columns, *(tuple(_text(row.get(name)) for name in columns) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        is_word = [any(isinstance(row.get(name), str) for row in self.rows) for name in columns]
        return [
            "  ".join(
                word.ljust(width) if is_left else word.rjust(width)
                for word, width, is_left in zip(line, widths, is_word, strict=True)
            ).rstrip()
            for line in cells
        ]


def _text(value: Any) -> str:
    """Return a number with four digits, a word as it is, a dash for None."""
    match value:
        case None:
            return "-"
        case float():
            return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004
        case int():
            return f"{value:,}"
        case _:
            return str(value)


class Chart(Frozen):
    """How the rows of a table become a panel: as curves over numbers, or as bars over words.

    Attributes:
        x: The column with a row's place, or several, whose words together are the place.
        y: The column with its height; or such columns by kind of series, see 'Series'.
        by: Columns whose words name the series to which a row belongs.
        title: Above it.
        table: Which of several tables is drawn, by position.
        where: Rows are drawn whose columns have one of these values.
        x_label: None for the name of the column, or nothing below words.
        y_label: None for the name of the column.
        log: Which axes are logarithmic: '', 'x', 'y' or 'xy'.
    """

    x: str | Sequence[str]
    y: str | Mapping[str, str]
    by: Sequence[str] = ()
    title: str = ""
    table: int = 0
    where: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    x_label: str | None = None
    y_label: str | None = None
    log: str = ""

    def panel(self, rows: Iterable[Row]) -> Panel:
        """Return rows as a panel."""
        points: dict[tuple[str, str], list[tuple[Any, float]]] = {}
        for row in rows:
            if all(row.get(name) in values for name, values in self.where.items()):
                for kind, column in self._columns(row).items():
                    if row.get(column) is not None:
                        name = ", ".join(_text(row.get(by)) for by in self.by)
                        points.setdefault((kind, name), []).append((self._place(row), row[column]))
        is_plain = all(kind == "here" for kind, _ in points)
        series = tuple(
            Series(
                name if name and is_plain else ": ".join(filter(None, (_WORDS[kind], name))),
                tuple(x for x, _ in found),
                tuple(y for _, y in found),
                kind,
            )
            for (kind, name), found in points.items()
        )
        x_label = self.x if isinstance(self.x, str) else ""
        y_label = self.y if isinstance(self.y, str) else next(iter(self.y.values()))
        return Panel(
            self.title,
            x_label if self.x_label is None else self.x_label,
            y_label if self.y_label is None else self.y_label,
            series,
            is_log_x="x" in self.log,
            is_log_y="y" in self.log,
        )

    def _columns(self, row: Row) -> Mapping[str, str]:
        """Return the columns with the heights of a row by kind."""
        return {row.get(FROM, "here"): self.y} if isinstance(self.y, str) else self.y

    def _place(self, row: Row) -> Any:
        if isinstance(self.x, str):
            return row[self.x]
        return ", ".join(_text(row[name]) for name in self.x)
