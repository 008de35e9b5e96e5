"""Table 7-1 of paper 002: how often a macro step exchanges, and what is sent."""

from __future__ import annotations

from halocline.papers.experiment import Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.predict import plan_of
from halocline.papers.published import published, stated
from halocline.papers.trial import Trial
from halocline.plan import plan as ops
from halocline.plan.strategy import Strategy

_BLOCKS = (4, 4)
# A rank in the middle: all eight neighbours are other ranks.
_RANK = 5
_SIDE = 60
_NEIGHBOURS = 8
_WAYS = {
    "whole halo to all": Strategy(width="full", overlap="none"),
    "what is read": Strategy(overlap="none"),
    "what is read, axis after axis": Strategy(overlap="none", neighbours="staged"),
}


def _count(trial: Trial) -> tuple[int, int, int]:
    """Return exchanges, messages sent and bytes sent in a step."""
    plan = plan_of(trial, _RANK)
    started = [op.exchange for op in ops.walk(plan.steps[0]) if isinstance(op, ops.Start)]
    messages = [message for number in started for message in plan.exchanges[number].sends]
    return len(started), len(messages), sum(plan.bytes_of(m.parts) for m in messages)


def _getm(exchanges: int, layers: int) -> tuple[int, int, int]:
    """Return the same of GETM: two cells wide, sides and corners, always."""
    halo = int(stated("002", "halo"))
    cells = 4 * halo * _SIDE + 4 * halo**2
    return exchanges, exchanges * _NEIGHBOURS, exchanges * cells * layers * 8


def _run(_setting: Setting) -> Findings:
    layers = int(stated("002", "layers"))
    table = published("002-7-1")
    counts = dict(zip(table.column("exchange"), table.column("count"), strict=True))
    modes = {
        "2-D": ("micro-step", (_SIDE, _SIDE), _BLOCKS),
        "3-D": ("macro-step", (_SIDE, _SIDE, layers), (*_BLOCKS, 1)),
    }
    getm = {
        "2-D": _getm(int(stated("002", "micro_exchanges")), 1),
        "3-D": _getm(int(counts["total"]), layers),
    }
    found = {
        mode: {way: _count(Trial(*what, strategy)) for way, strategy in _WAYS.items()}
        for mode, what in modes.items()
    }
    rows = []
    for mode, ways in found.items():
        rows.append((mode, "GETM", *getm[mode]))
        rows += [(mode, way, *numbers) for way, numbers in ways.items()]
    panels = [
        Panel(
            title,
            "mode",
            unit,
            (
                Series("GETM", tuple(modes), tuple(getm[m][n] / scale for m in modes), "paper"),
                *(
                    Series(
                        way, tuple(modes), tuple(found[m][way][n] / scale for m in modes), "here"
                    )
                    for way in _WAYS
                ),
            ),
            is_log_y=unit == "MB",
        )
        for n, (title, unit, scale) in enumerate(
            (
                ("exchanges in a step", "", 1.0),
                ("messages sent by a rank in a step", "", 1.0),
                ("sent by a rank in a step", "MB", 1e6),
            )
        )
    ]
    census = Table(
        "exchanges of a macro step in the report",
        ("exchange", "count"),
        tuple((name, int(count)) for name, count in counts.items()),
    )
    ours = Table(
        "a step of a rank with 60x60 cells, eight neighbours, 60 layers in 3-D",
        ("mode", "way", "exchanges", "messages", "bytes"),
        tuple(rows),
    )
    remarks = (
        "The stand-ins have the routines of the table with the offsets that GETM's routines "
        "read, but no exchange after routines whose results nobody reads further away.",
        "GETM's messages and bytes are counted from its rule (two cells to all eight neighbours, "
        "8-byte reals); the report prints the number of exchanges only.",
    )
    return Findings((census, ours), tuple(panels), remarks)


EXCHANGES = Experiment(
    "002-exchanges",
    "002, table 7-1",
    "a census of exchanges: GETM's 3 and 19 a step, and what the kernels need",
    0.1,
    _run,
)
