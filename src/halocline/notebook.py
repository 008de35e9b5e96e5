"""Notebook: how grids, fields, steps, plans, reports and series look in Jupyter.

Nothing else of the package knows of this module: '__init__' registers it if IPython runs.
"""

from __future__ import annotations

import sys
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.language.expressions.show import show
from halocline.plan.value.operations import Run, Start, Wait, WaitAny, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.geometry import Box
    from halocline.language.grids.fields import Field
    from halocline.language.grids.forest import Forest
    from halocline.language.grids.grid import Grid
    from halocline.language.series.series import Series
    from halocline.language.steps.steps import Call
    from halocline.plan.value.plan import Plan
    from halocline.report.report import Report
    from halocline.session.simulation import Simulation

_COLUMNS = ("field", "dtype", "components", "axes", "location", "unit", "description")
_WIDTH, _LANE = 720, 22  # of drawings, and of a lane of a timeline [pixels]
_LEVELS = ("#dbe9f6", "#9ac4e2", "#4a98c9", "#1864aa", "#08306b")
_KERNELS, _MESSAGES = "#4a98c9", "#e6a04c"


def register() -> None:
    """Let the running IPython show things of Halocline, if there is one."""
    shell = sys.modules["IPython"].get_ipython()
    if shell is not None:
        formatter = shell.display_formatter.formatters["text/html"]
        for (module, name), shown in _SHOWN.items():
            formatter.for_type_by_name(module, name, shown)


def html(thing: object) -> str:
    """Return how Jupyter shows a thing of Halocline.

    Raises:
        KeyError: It is nothing that this module shows.
    """
    kinds = ((kind.__module__, kind.__name__) for kind in type(thing).__mro__)
    return next(_SHOWN[kind] for kind in kinds if kind in _SHOWN)(thing)


def _preformatted(text: str) -> str:
    """Return text of lines whose columns stay below each other."""
    return f'<pre style="line-height: 1.2">{escape(text)}</pre>'


def _as_text(thing: object) -> str:
    """Return the text of a thing, folded up."""
    return f"<details><summary>as text</summary>{_preformatted(str(thing))}</details>"


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    cells = ("".join(f"<td>{escape(str(entry))}</td>" for entry in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _drawing(width: float, height: float, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="sans-serif" font-size="11">{"".join(parts)}</svg>'
    )


def _rectangle(x: float, y: float, width: float, height: float, colour: str, about: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="{colour}" stroke="white"><title>{escape(about)}</title></rect>'
    )


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="currentColor">{escape(text)}</text>'


def _row(field: Field) -> tuple[object, ...]:
    """Return what tables show of a field, as _COLUMNS name it."""
    kind = (field.name, field.dtype, field.components, field.axes, field.location)
    return (*kind, field.unit, field.description)


def _grid(grid: Grid) -> str:
    return _table(grid.title, _COLUMNS, map(_row, grid.declared))


def _field(field: Field) -> str:
    return _table(f"field of {field.space.size} cells", _COLUMNS, [_row(field)])


def _simulation(simulation: Simulation) -> str:
    return _table(simulation.title, _COLUMNS, map(_row, simulation.grid.declared))


def _forest(forest: Forest) -> str:
    """Return its fields and, of two axes, its blocks."""
    fields = _table(forest.title, _COLUMNS, [_row(one.level(0)) for one in forest.fields.values()])
    return fields + (_blocks(forest) if len(forest.grid.extent) == 2 else "")  # noqa: PLR2004


def _blocks(forest: Forest) -> str:
    width, height = forest.grid.extent
    scale = min(_WIDTH / 2 / width, _WIDTH / 2 / height)

    def drawn(box: Box, level: int) -> str:
        cell = scale / 2**level
        (left, low), (right, high) = box.lower, box.upper
        colour = _LEVELS[min(level, len(_LEVELS) - 1)]
        place = (cell * left, scale * height - cell * high)  # y points upwards
        size = (cell * (right - left), cell * (high - low))
        return _rectangle(*place, *size, colour, f"level {level}")

    levels = range(forest.finest + 1)
    blocks = (drawn(box, level) for level in levels for box in forest.leaves.boxes(level))
    return _drawing(scale * width, scale * height, blocks)


def _call(call: Call) -> str:
    return _preformatted(show(call.kernel))


def _plan(plan: Plan) -> str:
    """Return each step as a timeline, in the order of operations, and the text of the plan."""
    many = len(plan.steps) > 1
    drawings = []
    for n, step in enumerate(plan.steps):
        drawings.append(f"<div>{f'step {n + 1}' if many else 'step'}</div>{_timeline(plan, step)}")
    return "".join(drawings) + _as_text(plan)


def _timeline(plan: Plan, step: Iterable[Any]) -> str:
    """Return one lane of kernels, as wide as they have cells, and one of each exchange."""
    done = [op for op in walk(step) if isinstance(op, Run | Start | Wait | WaitAny)]
    cells = [_cells(op) for op in done]
    least = _WIDTH / (8 * max(1, len(done)))
    free = _WIDTH - least * len(done)
    x, parts, begun = 0.0, [_text(0, 15, "kernels")], {}
    offset, lanes = 80, list(dict.fromkeys(op.exchange for op in done if isinstance(op, Start)))
    for op, count in zip(done, cells, strict=True):
        width = least + free * count / max(1, sum(cells))
        match op:
            case Start(exchange):
                begun[exchange] = x
            case Wait(exchange) | WaitAny(exchange):
                y = _LANE * (1 + lanes.index(exchange)) if exchange in lanes else _LANE
                start = begun.get(exchange, 0.0)
                about = f"exchange {exchange}: {_sizes(plan, exchange)}"
                size = (x + width - start, _LANE - 4)
                parts.append(_rectangle(offset + start, y, *size, _MESSAGES, about))
            case Run():
                about = f"{plan.label(op)}: {count:,} cells"
                parts.append(_rectangle(offset + x, 0, width, _LANE - 4, _KERNELS, about))
        x += width
    parts += [_text(0, 15 + _LANE * (n + 1), f"exchange {e}") for n, e in enumerate(lanes)]
    return _drawing(offset + _WIDTH, _LANE * (1 + len(lanes)), parts)


def _cells(op: object) -> int:
    return sum(box.cells for _, box in op.boxes) if isinstance(op, Run) else 0


def _sizes(plan: Plan, exchange: int) -> str:
    sends = plan.exchanges[exchange].sends
    sent = sum(plan.bytes_of(message.parts) for message in sends)
    return f"{len(sends)} message(s), {sent:,} bytes"


def _report(report: Report) -> str:
    """Return a table with a bar for each share of the time."""
    most = max((row.mean for row in report.rows), default=0.0) or 1.0
    head = "".join(f"<th>{name}</th>" for name in ("", "", "count", "mean s", "max s", "", "share"))

    def line(kind: str, label: str, *numbers: float) -> str:
        count, mean, greatest = numbers
        bar = _drawing(120, 12, [_rectangle(0, 0, 120 * mean / most, 12, _KERNELS, label)])
        share = f"{mean / report.seconds:.1%}" if report.seconds else ""
        words = (kind, label, f"{count}", f"{mean:.3f}", f"{greatest:.3f}")
        cells = "".join(f"<td>{escape(word)}</td>" for word in words)
        return f"<tr>{cells}<td>{bar}</td><td>{share}</td></tr>"

    rows = (line(row.kind, row.label, row.count, row.mean, row.most) for row in report.rows)
    title = escape(str(report).partition("\n")[0])
    return (
        f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>{_as_text(report)}"
    )


def _series(series: Series) -> str:
    """Return when it begins and ends and, of one number at each time, its curve."""
    first, last = series.times[0], series.times[-1]
    repeats = f", again after {series.period:g}" if series.period else ""
    title = f"series '{series.name}': {len(series.times)} times from {first:g} to {last:g}{repeats}"
    shape = series.rows.shape[1:]
    if shape or len(series.times) == 1:
        return f"<div>{escape(title)}; shape {shape or 'one number'}</div>"
    return f"<div>{escape(title)}</div>{_curve(series.times, series.rows.cut(()))}"


def _curve(times: Any, values: Any) -> str:
    width, height = _WIDTH / 2, 80
    low, high = float(np.min(values)), float(np.max(values))
    x = width * (times - times[0]) / (times[-1] - times[0])
    y = 2 + (height - 4) * (high - values) / ((high - low) or 1.0)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    line = f'<polyline points="{points}" fill="none" stroke="{_KERNELS}" stroke-width="1.5"/>'
    ends = [_text(width + 6, 12, f"{high:g}"), _text(width + 6, height - 2, f"{low:g}")]
    return _drawing(width + 80, height, [line, *ends])


# By module and name, so that nothing is imported for a thing that is not there.
_SHOWN: dict[tuple[str, str], Callable[[Any], str]] = {
    ("halocline.language.grids.grid", "Grid"): _grid,
    ("halocline.language.grids.forest", "Forest"): _forest,
    ("halocline.language.grids.fields", "Field"): _field,
    ("halocline.language.series.series", "Series"): _series,
    ("halocline.language.steps.steps", "Call"): _call,
    ("halocline.plan.value.plan", "Plan"): _plan,
    ("halocline.report.report", "Report"): _report,
    ("halocline.session.simulation", "Simulation"): _simulation,
}
