"""Paper 001 on devices, predicted: its own nodes beside its rates, NVLink, a large cluster."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from halocline.geometry import AXES
from halocline.papers.device_trial import (
    BUFFERED,
    PACK_INFO,
    PAPER_SCHEMES,
    WITH_STREAMS,
    DeviceTrial,
    Scheme,
    alone,
    exposed,
    our_schemes,
    predicted,
    rate,
)
from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.published import stated
from halocline.tune.machines import find_machine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.plan.strategy import DeviceTransport

KEPLER, NODE, CLUSTER = "kepler-001", "nvlink-8", "h200-cluster"
_EDGES, _QUICK_EDGES = (8, 16, 32, 64, 128, 256), (8, 16)
_SIDES, _QUICK_SIDES = (16, 32, 64, 128, 256), (16, 32)
# Block and blocks of the paper: an edge of 256 cells, cut across y and z or across x and z.
_YZ, _XZ = (1, 2, 2), (2, 1, 2)
# The grids of blocks of the worst case on each machine.
_WORST = {KEPLER: _YZ, NODE: (2, 2, 2), CLUSTER: (8, 8, 16)}
_PACKED: tuple[DeviceTransport, ...] = ("via-host", "from-device", "peer")
_WAYS = {KEPLER: _PACKED[:2], NODE: _PACKED, CLUSTER: _PACKED}
_EDGE = "cells along a block's edge"
_CUTS = {"x": (2, 1, 1), "y": (1, 2, 1), "z": (1, 1, 2)}

REMARKS = (
    "Exposed: what a step takes beyond that of a device which has its block alone and copies its "
    "periodic sides itself. Hiding hides these copies too: hence shares a little below 0.",
    "Nothing here runs on a device: every rate is predicted, on the machine that its row or panel "
    "names, or printed in the paper. 'fitted' rows are where a number of the machine was chosen so "
    "that the model meets the printed rate; they are no test of it, the others are.",
    "The paper's schemes: taken to send all 19 populations of the layer beyond a side, for their "
    "classes copy slices of a field and know no lattice; 'GPUPackInfo' and the one with streams "
    "are taken to make a 3-D copy of each part, since only that explains 100 MLUP/s cut across x. "
    "Our schemes send only what is read.",
    "Box copies of 1.6 GB/s and device messages of 0.34 GB/s are fitted, and far from PCIe's 10 "
    "GB/s. What may cause them: message buffers that are not pinned and are filled value by value; "
    "Open MPI 1.10 between devices and a card on different sockets of four. The paper says no more "
    "than that the MPI library matters, and that another one did better.",
    "An H200's memory is taken to give what it gives to copies; another lattice Boltzmann code "
    "publishes 18 % less of it (FluidX3D's table), and ours may well stay below too.",
    "Packing beside a kernel takes from the memory's bandwidth; the model does not count it. Nor "
    "does it know caches: blocks of 32³ and less are faster on an H200 than predicted.",
)


def _cube(edge: int) -> tuple[int, int, int]:
    return (edge,) * 3


def paper_trial(scheme: Scheme, blocks: tuple[int, ...], edge: int = 256) -> DeviceTrial:
    """Return a periodic flow on the paper's devices."""
    return DeviceTrial(KEPLER, scheme, _cube(edge), blocks)


def comparison() -> list[tuple[str, float, float, str]]:
    """Return what the paper prints, what the model says, and where that was fitted."""
    one = paper_trial(PACK_INFO, (1, 1, 1), 320)
    streams = rate(paper_trial(WITH_STREAMS, _YZ))
    waiting = rate(paper_trial(PACK_INFO, _YZ))
    large = paper_trial(WITH_STREAMS, _YZ, 320)
    text = {
        "one GPU, 320³ [MLUP/s]": ("one_gpu_320", rate(one), "fitted"),
        "GPUPackInfo, yz [MLUP/s]": ("worst_packinfo_256", waiting, "fitted"),
        "with streams, yz [MLUP/s]": ("worst_asynchronous_256", streams, ""),
        "GPUBufferedScheme, yz [MLUP/s]": (
            "worst_buffered_256",
            rate(paper_trial(BUFFERED, _YZ)),
            "fitted",
        ),
        "with streams, xz [MLUP/s]": (
            "weak_xz_packinfo",
            rate(paper_trial(WITH_STREAMS, _XZ)),
            "fitted",
        ),
        "GPUBufferedScheme, xz [MLUP/s]": (
            "weak_xz_buffered",
            rate(paper_trial(BUFFERED, _XZ)),
            "",
        ),
        "gain of streams, yz [1]": ("gain", streams / waiting - 1, ""),
        "with streams over computing alone, 320³ [1]": (
            "hidden_share",
            rate(large) / alone(large),
            "",
        ),
    }
    return [(name, stated("001", key), found, how) for name, (key, found, how) in text.items()]


def _comparison_table(rows: Iterable[tuple[str, float, float, str]]) -> Table:
    return Table(
        f"{KEPLER}: periodic, four blocks of 256³ on four GPUs where not said else",
        ("what", "printed", "predicted", "predicted / printed", "which"),
        tuple((name, paper, model, model / paper, how) for name, paper, model, how in rows),
    )


def _schemes(machine: str) -> tuple[Scheme, ...]:
    ours = our_schemes(*_WAYS[machine])
    return (*PAPER_SCHEMES, *ours) if machine == KEPLER else ours


def _worst(machine: str, edges: Sequence[int]) -> list[DeviceTrial]:
    return [
        DeviceTrial(machine, scheme, _cube(edge), _WORST[machine])
        for scheme in _schemes(machine)
        for edge in edges
    ]


def _worst_table(machine: str, trials: Sequence[DeviceTrial]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (t.scheme.name, f"{t.block[0]}³", alone(t), rate(t), exposed(t)) for t in trials
    ]
    columns = ("scheme", "block", "computing alone [MLUP/s]", "step [MLUP/s]", "exposed [%]")
    blocks = "x".join(map(str, _WORST[machine]))
    return Table(f"predicted, {machine}: periodic, {blocks} blocks", columns, tuple(rows))


def _directions(machine: str, sides: Sequence[int]) -> list[DeviceTrial]:
    """Return cavities in two blocks on two nodes, or on two devices of one, nothing hidden."""
    ways: tuple[DeviceTransport, ...] = ("via-host", "peer")
    if machine == KEPLER:
        ways = ("box-copies", *_WAYS[machine])
    per_node = None if machine == NODE else 1
    return [
        DeviceTrial(machine, waiting, _cube(edge), cut, is_cavity=True, per_node=per_node)
        for waiting in our_schemes(*ways)[::2]
        for edge in sides
        for cut in _CUTS.values()
    ]


def _axis(trial: DeviceTrial) -> str:
    return AXES[trial.blocks.index(2)]


def _exchange_us(trial: DeviceTrial) -> float:
    return 1e6 * predicted(trial).exchange_s


def _directions_table(trials: Sequence[DeviceTrial]) -> Table:
    times: dict[tuple[str, str, int], dict[str, float]] = {}
    for t in trials:
        key = (t.machine, t.scheme.strategy.transport, t.block[0])
        times.setdefault(key, {})[_axis(t)] = _exchange_us(t)
    rows: list[tuple[Cell, ...]] = [
        (machine, way, f"{edge}³", *found.values(), found["x"] / found["z"])
        for (machine, way, edge), found in times.items()
    ]
    return Table(
        f"predicted: cavity in two blocks, nothing hidden; two devices of a node on {NODE}, of two "
        "nodes elsewhere: exchange and launches of a step",
        ("machine", "messages", "block", *(f"across {axis} [us]" for axis in AXES), "x / z"),
        tuple(rows),
    )


def _run_devices(setting: Setting) -> Findings:
    edges = _QUICK_EDGES if setting.is_quick else _EDGES
    sides = _QUICK_SIDES if setting.is_quick else _SIDES
    rows = comparison()
    worst = {machine: _worst(machine, edges) for machine in _WORST}
    directions = {machine: _directions(machine, sides) for machine in _WORST}
    return Findings(
        (
            _comparison_table(rows),
            *(_worst_table(machine, trials) for machine, trials in worst.items()),
            _directions_table([t for trials in directions.values() for t in trials]),
        ),
        (
            _comparison_panel(rows),
            *_worst_panels(worst),
            _directions_panel(directions[KEPLER]),
        ),
        (*REMARKS, *sources(_WORST)),
    )


def sources(machines: Iterable[str]) -> list[str]:
    """Return where the numbers of machines come from, each once."""
    found: dict[str, str] = {}
    for name in machines:
        for source in find_machine(name).sources:
            found.setdefault(source, name)
    return [f"{name}, {source}." for source, name in found.items()]


def _comparison_panel(rows: Sequence[tuple[str, float, float, str]]) -> Panel:
    rates = [row for row in rows if "MLUP/s" in row[0]]
    words = tuple(name.removesuffix(" [MLUP/s]").replace(", ", "\n") for name, *_ in rates)
    series = (
        Series("printed", words, tuple(paper for _, paper, _, _ in rates), "paper"),
        Series("predicted", words, tuple(model for _, _, model, _ in rates), "model"),
    )
    return Panel(f"{KEPLER}: rate", "", "MLUP/s", series)


def _worst_panel(trials: Sequence[DeviceTrial], title: str, extra: Iterable[Series] = ()) -> Panel:
    series = list(extra)
    for scheme in dict.fromkeys(t.scheme for t in trials):
        found = [t for t in trials if t.scheme == scheme]
        x, y = tuple(float(t.block[0]) for t in found), tuple(map(exposed, found))
        series.append(Series(f"predicted: {scheme.name}", x, y, "model"))
    return Panel(f"{title}: exposed", _EDGE, "% of a step", tuple(series), is_log_x=True)


def _worst_panels(worst: dict[str, list[DeviceTrial]]) -> list[Panel]:
    """Return the paper's schemes, ours on its nodes, and ours elsewhere by what serves there."""
    whole = stated("001", "all_hidden")
    printed = [
        Series(f"printed: {name}", (256.0,), (100 - 100 * stated("001", key) / whole,), "paper")
        for name, key in (
            (PACK_INFO.name, "worst_packinfo_256"),
            (WITH_STREAMS.name, "worst_asynchronous_256"),
            (BUFFERED.name, "worst_buffered_256"),
        )
    ]

    def of(machine: str, *schemes: Scheme) -> list[DeviceTrial]:
        return [t for t in worst[machine] if t.scheme in schemes]

    return [
        _worst_panel(of(KEPLER, *PAPER_SCHEMES), f"{KEPLER}, the paper's schemes", printed),
        _worst_panel(of(KEPLER, *our_schemes("via-host", "from-device")), f"{KEPLER}, ours"),
        _worst_panel(of(NODE, *our_schemes("via-host", "peer")), f"{NODE}, 8 blocks"),
        _worst_panel(of(CLUSTER, *our_schemes("via-host", "peer")), f"{CLUSTER}, 1024 blocks"),
    ]


def _directions_panel(trials: Sequence[DeviceTrial]) -> Panel:
    series = []
    for way, axis in product(("box-copies", "via-host"), "xz"):
        found = [t for t in trials if (t.scheme.strategy.transport, _axis(t)) == (way, axis)]
        x, y = tuple(float(t.block[0]) for t in found), tuple(map(_exchange_us, found))
        series.append(Series(f"predicted: {way}, across {axis}", x, y, "model"))
    title = f"{KEPLER}, two blocks: exchange (across y as across z)"
    return Panel(title, _EDGE, "us", tuple(series), is_log_x=True, is_log_y=True)


EXPERIMENTS = (
    Experiment(
        "001-devices",
        "001, sections 5.3.1, 5.3.2, 6.2.1 and 6.2.2, figures 6.3 and 6.5",
        "on GPUs, predicted: printed rates, the worst case, directions, copies against packing",
        0.2,
        _run_devices,
    ),
)
