"""Paper 000, sections 4.1 and 4.2.9: the memory of a node, and the imbalance of its ranks."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from halocline.bench import imbalance, memory
from halocline.io.output import write_text
from halocline.papers.experiment import Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.low_level import bench_settings
from halocline.papers.published import published

_QUICK_EDGE = 8
_QUICK_CASE = '[case]\nname = "lid-cavity"\ncells = 8\nreynolds = 100\ndimensions = 2'
# Three transfers instead of two: a store through the cache fetches its line first.
_FETCHED = {"plain": 1.5, "non-temporal": 1.0}
_LOOPS = {
    ("2", "yes"): "2, non-temporal",
    ("2", "no"): "2",
    ("38", "no"): "2·19",
}


def _run_memory(setting: Setting) -> Findings:
    settings = bench_settings(setting)
    if setting.is_quick:
        settings = replace(settings, sizes=(_QUICK_EDGE,))
    here = {}
    for row in memory.BENCHMARK.run(settings):
        key = (str(row.streams), "yes" if row.stores == "non-temporal" else "no")
        if row.stores in _FETCHED and key in _LOOPS:
            rate = row.bytes_per_s * _FETCHED[row.stores] / 1e9
            here[_LOOPS[key], f"{row.workers} {row.kind}"] = rate
    paper = {}
    for streams, stores, processes, *rates in published("000-4-1").rows:
        for machine, rate in zip(("XE6", "Lima"), rates, strict=True):
            paper[_LOOPS[streams, stores], f"{machine}, {processes} processes"] = float(rate)
    rows = [(loop, f"here, {who}", rate) for (loop, who), rate in here.items()]
    rows += [(loop, who, rate) for (loop, who), rate in paper.items()]
    loops = tuple(_LOOPS.values())
    series = [
        Series(name, loops, tuple(found[loop, who] for loop in loops), kind)
        for kind, found in (("here", here), ("paper", paper))
        for who in dict.fromkeys(key[1] for key in found)
        for name in (f"here: {who}" if kind == "here" else who,)
    ]
    return Findings(
        (Table("copies, as the paper counts bytes", ("streams", "who", "GB/s"), tuple(rows)),),
        (Panel("copies of arrays", "streams", "GB/s", tuple(series)),),
        (
            "Another processor with another number of channels: what compares is how few "
            "processes saturate a node, and what 38 streams lose against 2.",
            "The paper's copies of 2·19 streams are not vectorised; ours are.",
        ),
    )


def _run_imbalance(setting: Setting) -> Findings:
    with tempfile.TemporaryDirectory() as folder:
        settings = bench_settings(setting, setting.ranks)
        if setting.is_quick:
            case = Path(folder) / "small.toml"
            write_text(case, _QUICK_CASE)
            settings = replace(settings, case=str(case))
        found = imbalance.BENCHMARK.run(settings)
    here = [
        (
            row.group,
            f"{row.label} {row.group}" if row.label == "all" else row.label,
            1e6 * row.mean_s,
            1e6 * row.imbalance_s[1],
            row.percent,
        )
        for row in found
    ]
    printed = published("000-imbalance")
    paper = [
        (row[0], row[1], 1e6 * float(row[2]), 1e6 * float(row[3]), float(row[4]))
        for row in printed.rows
    ]
    columns = ("time [us]", "imbalance time [us]", "imbalance [%]")
    series = tuple(
        Series(label, tuple(row[1] for row in rows), tuple(row[4] for row in rows), kind)
        for label, rows, kind in (("here", here, "here"), ("paper: XE6", paper, "paper"))
    )
    return Findings(
        (
            Table("here, lid-driven cavity, a step", ("group", "operation", *columns), tuple(here)),
            Table(
                "the paper, whole runs (4.10: ring-shift, 6.3: lattice Boltzmann)",
                ("listing", "function", *columns),
                tuple(paper),
            ),
        ),
        (Panel("imbalance percent", "", "%", series),),
        (
            "The definitions are the paper's; its programs, their number of ranks and CrayPat's "
            "functions are not ours: the percentages show the same quantity of another program.",
            "With two ranks, N / (N - 1) is 2: small differences look large.",
            *(
                ("Ranks share cores here: the imbalance is that of the time slices.",)
                if setting.is_oversubscribed(setting.ranks)
                else ()
            ),
        ),
    )


EXPERIMENTS = (
    Experiment(
        "000-memory",
        "000, section 4.1, table 4.1",
        "copies with 2 and 2·19 streams, through the cache and past it",
        0.5,
        _run_memory,
    ),
    Experiment(
        "000-imbalance",
        "000, section 4.2.9, listings 4.10 and 6.3",
        "imbalance time and imbalance percent of computation and communication",
        0.5,
        _run_imbalance,
    ),
)
