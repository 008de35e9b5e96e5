"""Paper 000, chapter 4: memory, messages, overlap and imbalance, measured by the benchmarks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from halocline.bench.benchmarks import BENCHMARKS
from halocline.bench.overlap import BOTH, COMMUNICATION, COMPUTATION, POLLED, hidden
from halocline.bench.settings import DIRECT, Settings
from halocline.io.output import write_text
from halocline.io.results import FROM, Row, Table
from halocline.tune.machines import find_machine
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.published import published, stated

LINK = "qdr-infiniband"
_INSIDE, _BETWEEN = "inside a node", "between nodes"
_QUICK_EDGE = 8
_QUICK_CASE = '[case]\nname = "lid-cavity"\ncells = 8\nreynolds = 100\ndimensions = 2'
# Three transfers instead of two: a store through the cache fetches its line first.
_TRANSFERS = {"plain": 1.5, "non-temporal": 1.0}
# Streams, and whether stores go past the cache.
_COPIES = {("2", "yes"): "2, non-temporal", ("2", "no"): "2", ("38", "no"): "2·19"}
_BANDWIDTH = "measured network bandwidth a connection"


def study_memory(_: Experiment, settings: Settings) -> list[Table]:
    """Return what copies give here and there, as the paper counts bytes."""
    if settings.is_quick:
        settings = replace(settings, sizes=(_QUICK_EDGE,))
    rows: list[Row] = []
    for row in BENCHMARKS["memory"].run(replace(settings, ranks=2)):
        key = (str(row["streams"]), "yes" if row["stores"] == "non-temporal" else "no")
        if row["stores"] in _TRANSFERS and key in _COPIES:
            rate = row["GB/s"] * _TRANSFERS[row["stores"]]
            rows.append({"streams": _COPIES[key], "who": row["workers"], "GB/s": rate})
    for row in published("000-4-1"):
        for name, machine in (("XE6", "xe6"), ("Lima", "lima")):
            rows.append(
                {
                    FROM: "paper",
                    "streams": _COPIES[row["streams"], row["non_temporal"]],
                    "who": f"{name}, {row['processes']} processes",
                    "GB/s": float(row[f"{machine}_gb_s"]),
                }
            )
    return [_long("copies, as the paper counts bytes", rows)]


def study_imbalance(_: Experiment, settings: Settings) -> list[Table]:
    """Return the imbalance of a lid-driven cavity's step beside that of the paper's whole runs."""
    with tempfile.TemporaryDirectory() as folder:
        if settings.is_quick:
            case = Path(folder) / "small.toml"
            write_text(case, _QUICK_CASE)
            settings = replace(settings, case=str(case))
        found = BENCHMARKS["imbalance"].run(settings)
    rows = [
        (
            *("here", row["group"], row["operation"]),
            *(row[name] for name in ("mean [us]", "imbalance, median [us]", "imbalance [%]")),
        )
        for row in found
    ]
    rows += [
        (
            *("paper", f"listing {row['listing']}", row["function"]),
            *(1e6 * float(row[f"{name}_s"]) for name in ("time", "imbalance_time")),
            float(row["imbalance_percent"]),
        )
        for row in published("000-imbalance")
    ]
    names = (FROM, "group", "operation", "time [us]", "imbalance time [us]", "imbalance [%]")
    title = "here a step of the lid-driven cavity; the paper's whole runs (4.10: ring-shift, "
    note = f"{settings.ranks} ranks here {settings.mark(settings.ranks)}".rstrip()
    table = [dict(zip(names, values, strict=True)) for values in rows]
    return [Table(f"{title}6.3: lattice Boltzmann); {note}", table)]


def _long(title: str, rows: Iterable[Row]) -> Table:
    """Return a table whose first column says where a row comes from."""
    return Table(title, tuple({FROM: "here", **row} for row in rows))


def _places(name: str, settings: Settings, transports: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return a benchmark's rows inside a node and over the emulated link, with some transports."""
    remote = transports or tuple(t for t in settings.chosen() if t not in DIRECT)
    apart = replace(settings, ranks_per_node=1, link=LINK, transports=tuple(remote))
    return [
        {"where": where, **row}
        for where, chosen in ((_INSIDE, settings), (_BETWEEN, apart))
        for row in BENCHMARKS[name].run(chosen)
    ]


def _model(sizes: Iterable[int], moved: int = 1) -> list[Row]:
    """Return what the machines' messages between nodes make of sizes: T = L + N / B."""
    rows: list[Row] = []
    for machine in ("lima", "xe6"):
        times = find_machine(machine).times("two-sided", is_same_node=False)
        for size in sizes:
            r = times.range_of(size)
            rate = moved * size / (r.latency_s + size * r.byte_s) / 1e9
            rows.append(_rate_between("model", f"MPI on {machine}", size, rate))
    return rows


def _rate_between(source: str, who: str, size: int, rate: float) -> Row:
    point = {"transport": who, "element [B]": 8, "message [B]": size, "GB/s": rate}
    return {FROM: source, "where": _BETWEEN, **point}


def _study_places(
    name: str, transports: Sequence[str], _: Experiment, settings: Settings
) -> list[Table]:
    """Return a benchmark of two ranks in both places."""
    rows = _places(name, replace(settings, ranks=2), transports)
    return [_long(BENCHMARKS[name].title, rows)]


def study_ping_pong(_: Experiment, settings: Settings) -> list[Table]:
    """Return the bandwidth of ping-pong over the size of messages."""
    rows = _places("ping-pong", replace(settings, ranks=2))
    return [_long("a message one way", [*rows, *_model(_sizes(rows))])]


def _sizes(rows: Iterable[Row]) -> list[int]:
    return sorted({row["message [B]"] for row in rows})


def study_ring_shift(_: Experiment, settings: Settings) -> list[Table]:
    """Return the bandwidth of ring-shift, with the highest of the paper."""
    rows = _places("ring-shift", replace(settings, element_bytes=(4, 8)))
    sizes = _sizes(rows)
    highest = next(row for row in published("000-3-1") if row["quantity"] == _BANDWIDTH)
    paper = [
        _rate_between("paper", f"{name}, highest", size, float(highest[name]))
        for name in ("Cray XE6", "Lima")
        for size in (sizes[0], sizes[-1])
    ]
    return [_long("sent and received", [*rows, *paper, *_model(sizes, moved=2)])]


def study_element_wise(_: Experiment, settings: Settings) -> list[Table]:
    """Return how the bandwidth drops where each value is a message."""
    found = _places("element-wise", replace(settings, ranks=2))
    rows: list[Row] = []
    for where, transport in dict.fromkeys((row["where"], row["transport"]) for row in found):
        of: list[Row] = [r for r in found if (r["where"], r["transport"]) == (where, transport)]
        whole, pieces = (r for r in of if r["message [B]"] == max(_sizes(of)))
        rows.append(
            {
                "where": where,
                "transport": transport,
                "values": pieces["messages"],
                "whole [GB/s]": whole["GB/s"],
                "drop by a factor of": pieces["median [us]"] / whole["median [us]"],
            }
        )
    for name, where, quantity in (
        ("XE6", _BETWEEN, "between_nodes"),
        ("XE6", _INSIDE, "inside_node"),
        ("Open64", _BETWEEN, "open64"),
    ):
        drop = stated("000", f"element_wise_drop_{quantity}")
        coarrays = {"where": where, "transport": f"coarrays, {name}", "drop by a factor of": drop}
        rows.append({FROM: "paper", **coarrays})
    return [_long("one message of all values, or a message for each", rows)]


def study_overlap(_: Experiment, settings: Settings) -> list[Table]:
    """Return the share hidden of the shorter of computing and communicating."""
    found = _places("overlap", settings)
    times = {(r["where"], r["transport"], r["work"]): r["median [us]"] for r in found}
    rows = [
        hiding(
            {"where": where, "transport": transport, "together": both},
            (times[where, transport, COMPUTATION], times[where, transport, COMMUNICATION]),
            times[where, transport, both],
        )
        for where, transport in dict.fromkeys(key[:2] for key in times)
        for both in (BOTH, POLLED)
    ]
    rows += published_overlap()
    return [_long("here, and the paper's table 4.2 (XE6, 4 MB)", rows)]


def published_overlap() -> list[Row]:
    """Return the paper's table 4.2 as rows."""
    us = {
        (r["direction"], r["communication"], r["computation"], r["where"]): float(r["runtime_us"])
        for r in published("000-4-2")
    }
    rows = []
    for side in ("push", "pull"):
        for where, place in (("intra", _INSIDE), ("inter", _BETWEEN)):
            parts = us["any", "no", "yes", "any"], us[side, "yes", "no", where]
            named = {FROM: "paper", "where": place, "transport": f"{side}, XE6", "together": BOTH}
            rows.append(hiding(named, parts, us[side, "yes", "yes", where]))
    return rows


def hiding(named: Row, parts: tuple[float, float], both: float) -> Row:
    """Return the times of computing, of communicating and of both [us], and the share hidden."""
    names = ("computation [us]", "communication [us]")
    return {
        **named,
        **dict(zip(names, parts, strict=True)),
        "both [us]": both,
        "hidden [%]": hidden(*parts, both),
    }


STUDIES: dict[str, Study] = {
    "000-memory": study_memory,
    "000-imbalance": study_imbalance,
    "000-ping-pong": study_ping_pong,
    "000-ring-shift": study_ring_shift,
    "000-strided": partial(_study_places, "strided", ()),
    "000-element-wise": study_element_wise,
    "000-push-pull": partial(_study_places, "push-pull", ("put", "get")),
    "000-overlap": study_overlap,
}
