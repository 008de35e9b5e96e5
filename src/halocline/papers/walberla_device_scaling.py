"""Paper 001 on devices, predicted: weak and strong scaling from one GPU to a thousand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.papers.device_trial import (
    BUFFERED,
    WITH_STREAMS,
    DeviceTrial,
    Scheme,
    alone,
    our_schemes,
    rate,
)
from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.predict import near_cube
from halocline.papers.published import stated
from halocline.papers.walberla_devices import CLUSTER, KEPLER, NODE, REMARKS, sources

if TYPE_CHECKING:
    from collections.abc import Sequence

# The paper's grids of blocks, by their number.
_PAPER_CUTS = {
    "yz": ((1, 1, 1), (1, 2, 1), (1, 2, 2)),
    "xz": ((1, 1, 1), (2, 1, 1), (2, 1, 2)),
}
_COUNTS = {NODE: (1, 2, 4, 8), CLUSTER: (8, 16, 32, 64, 128, 256, 512, 1024)}
_QUICK_COUNTS = {NODE: (1, 2), CLUSTER: (8, 16)}
# Cells a side of the grids of strong scaling: the paper's, and one with work for more devices.
_STRONG = {KEPLER: (256,), NODE: (256,), CLUSTER: (256, 512)}
_PRINTED = {
    ("yz", WITH_STREAMS): "worst_asynchronous_256",
    ("yz", BUFFERED): "worst_buffered_256",
    ("xz", WITH_STREAMS): "weak_xz_packinfo",
    ("xz", BUFFERED): "weak_xz_buffered",
}

# What is scaled, and over which numbers of devices.
Curve = tuple[str, tuple[DeviceTrial, ...]]


def _curve(
    machine: str, scheme: Scheme, grids: Sequence[tuple[int, int, int]], strong: int | None
) -> tuple[DeviceTrial, ...]:
    """Return a scheme on grids of blocks: of the paper's size each, or all together of a size."""
    weak = int(stated("001", "scaling_cells_a_side"))
    return tuple(
        DeviceTrial(machine, scheme, tuple(strong // n if strong else weak for n in blocks), blocks)
        for blocks in grids
    )


def _kepler(strong: int | None) -> list[Curve]:
    (_, ours) = our_schemes("via-host")
    return [
        (f"{scheme.name}, {cut}", _curve(KEPLER, scheme, grids, strong))
        for scheme in (WITH_STREAMS, BUFFERED, ours)
        for cut, grids in _PAPER_CUTS.items()
    ]


def _elsewhere(machine: str, counts: Sequence[int], strong: int | None) -> list[Curve]:
    waiting, hiding = our_schemes("peer")
    size = f", {strong}³" if strong else ""
    grids = [near_cube(count) for count in counts]
    return [
        (f"{scheme.name}{size}", _curve(machine, scheme, grids, strong))
        for scheme in (waiting, hiding)
    ]


def efficiency(trial: DeviceTrial, first: DeviceTrial) -> float:
    """Return the rate of a device in terms of that of one with the first block alone [%]."""
    return 100 * rate(trial) / trial.devices / (alone(first) / first.devices)


def _table(title: str, curves: dict[str, list[Curve]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            *(machine, name, trial.devices, _text(trial.blocks), _text(trial.block)),
            *(rate(trial), efficiency(trial, trials[0])),
        )
        for machine, of in curves.items()
        for name, trials in of
        for trial in trials
    ]
    columns = ("machine", "scheme", "devices", "blocks", "block", "MLUP/s", "efficiency [%]")
    return Table(title, columns, tuple(rows))


def _text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _printed_table(curves: Sequence[Curve]) -> Table:
    """Return the printed rates on four GPUs beside the predicted ones."""
    by_name = dict(curves)
    rows: list[tuple[Cell, ...]] = []
    for (cut, scheme), quantity in _PRINTED.items():
        name = f"{scheme.name}, {cut}"
        paper, model = stated("001", quantity), rate(by_name[name][-1])
        rows.append((name, paper, model, model / paper))
    columns = ("scheme", "printed [MLUP/s]", "predicted [MLUP/s]", "predicted / printed")
    return Table(f"{KEPLER}, weak scaling on four GPUs", columns, tuple(rows))


def _run_scaling(setting: Setting) -> Findings:
    counts = _QUICK_COUNTS if setting.is_quick else _COUNTS
    weak = {KEPLER: _kepler(None)}
    weak |= {machine: _elsewhere(machine, counts[machine], None) for machine in counts}
    strong = {KEPLER: _kepler(_STRONG[KEPLER][0])}
    for machine, numbers in counts.items():
        strong[machine] = [
            curve for size in _STRONG[machine] for curve in _elsewhere(machine, numbers, size)
        ]
    return Findings(
        (
            _printed_table(weak[KEPLER]),
            _table("predicted: weak scaling, a periodic block of 256³ for each device", weak),
            _table("predicted: strong scaling, one periodic grid", strong),
        ),
        (
            _rates_panel("weak scaling", weak[KEPLER]),
            _efficiency_panel(f"{NODE}, weak scaling", weak[NODE]),
            _efficiency_panel(f"{CLUSTER}, weak scaling", weak[CLUSTER]),
            _rates_panel("strong scaling", strong[KEPLER]),
            _efficiency_panel(f"{NODE}, strong scaling", strong[NODE]),
            _efficiency_panel(f"{CLUSTER}, strong scaling", strong[CLUSTER]),
        ),
        (
            *REMARKS,
            "Efficiency: the rate of a device in terms of that of one which has the block of the "
            "first row alone. Strong scaling of the cluster begins with 8 devices.",
            "Process grids: the paper's on its nodes; elsewhere as cubic as may be.",
            "The paper calls the curve of streams cut across y and z almost linear; predicted it "
            "bends from two GPUs of one node to four of two. It also says that GPUBufferedScheme "
            "is ahead in almost all decompositions; in the worst case, which has the same four "
            "blocks, it prints less for it, and so does the model.",
            *sources((KEPLER, NODE, CLUSTER)),
        ),
    )


def _rates_panel(kind: str, curves: Sequence[Curve]) -> Panel:
    """Return the paper's nodes over the number of GPUs, with what is printed of weak scaling."""
    series = []
    if kind.startswith("weak"):
        series = [
            Series(f"printed: {scheme.name}, {cut}", (4.0,), (stated("001", quantity),), "paper")
            for (cut, scheme), quantity in _PRINTED.items()
        ]
    for name, trials in curves:
        x, y = tuple(float(t.devices) for t in trials), tuple(map(rate, trials))
        series.append(Series(f"predicted: {name}", x, y, "model"))
    return Panel(f"{KEPLER}, {kind}, 256³", "GPUs", "MLUP/s", tuple(series), is_log_x=True)


def _efficiency_panel(title: str, curves: Sequence[Curve]) -> Panel:
    series = []
    for name, trials in curves:
        x = tuple(float(t.devices) for t in trials)
        y = tuple(efficiency(t, trials[0]) for t in trials)
        series.append(Series(f"predicted: {name}", x, y, "model"))
    return Panel(title, "GPUs", "efficiency [%]", tuple(series), is_log_x=True)


EXPERIMENTS = (
    Experiment(
        "001-device-scaling",
        "001, sections 5.3.3 and 6.2.3, figures 6.6 and 6.7",
        "weak and strong scaling on GPUs, predicted: the paper's nodes, one with NVLink, 1024 GPUs",
        0.2,
        _run_scaling,
    ),
)
