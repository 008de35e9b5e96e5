"""'halocline bench': tables of measurements, each beside its yardstick."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.bench.lbm import bench_lbm
from halocline.bench.step import bench_step
from halocline.bench.yardstick import measure_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_DTYPES = ("float64", "float32")


def memory(show: Callable[[str], None], sizes: Sequence[int], repetitions: int) -> list[Any]:
    """Measure copies of 19 streams and of one, plain and past the cache."""
    cores = len(os.sched_getaffinity(0))
    found = []
    show(f"{'loop':<26}{'cells':>8}{'threads':>9}{'min':>8}{'median':>8}{'max':>8}  GB/s")
    for cells in sizes:
        for threads in dict.fromkeys((1, cores)):
            result = measure_memory(cells**3, threads, repetitions)
            found.append(result)
            for name, loop in result.items():
                if isinstance(loop, dict):
                    numbers = "".join(f"{loop[k]:>8.1f}" for k in ("min", "median", "max"))
                    show(f"{name:<26}{cells:>7}³{threads:>9}{numbers}")
    return found


def lbm(show: Callable[[str], None], sizes: Sequence[int], repetitions: int) -> list[Any]:
    """Measure D3Q19 BGK on two grids, periodic, as threads and as ranks."""
    found = []
    show(
        f"{'cells':>6}  {'type':<9}{'ranks':>6}{'threads':>8}{'MLUPS min':>11}{'median':>8}"
        f"{'max':>8}{'GB/s':>7}{'yardstick':>11}{'share':>7}"
    )
    for rate, yardstick in bench_lbm(tuple(sizes), _DTYPES, repetitions):
        low, median, high = rate.mlups
        share = rate.gigabytes_per_s / yardstick
        found.append({**asdict(rate), "yardstick_gb_s": yardstick, "share": share})
        show(
            f"{rate.cells:>5}³  {rate.dtype:<9}{rate.ranks:>6}{rate.threads:>8}{low:>11.1f}"
            f"{median:>8.1f}{high:>8.1f}{rate.gigabytes_per_s:>7.1f}{yardstick:>11.1f}{share:>7.0%}"
        )
    return found


def step(show: Callable[[str], None], _sizes: Sequence[int], repetitions: int) -> list[Any]:
    """Measure what a step costs beyond its kernels and messages."""
    low, median, high = bench_step(repetitions)
    show(
        "step of a kernel on 4x4 cells, one rank: "
        f"{low * 1e9:.0f} ns (median {median * 1e9:.0f}, most {high * 1e9:.0f})"
    )
    return [{"min_s": low, "median_s": median, "max_s": high}]


# What is measured, and on cubes of how many cells a side by default.
MEASUREMENTS: dict[str, tuple[Callable[..., list[Any]], tuple[int, ...]]] = {
    "memory": (memory, (128,)),
    "lbm": (lbm, (128, 184)),
    "step": (step, ()),
}


def run_bench(
    name: str, show: Callable[[str], None], sizes: Sequence[int], repetitions: int, json_file: str
) -> None:
    """Measure, show a table, and write the figures to a file if one is named."""
    measurement, usual = MEASUREMENTS[name]
    found = measurement(show, sizes or usual, repetitions)
    if json_file:
        Path(json_file).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
