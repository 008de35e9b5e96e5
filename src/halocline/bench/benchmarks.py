"""All benchmarks by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.bench import (
    choice,
    d2q9,
    device,
    element_wise,
    halo,
    imbalance,
    lbm,
    memory,
    overlap,
    ping_pong,
    push_pull,
    ring_shift,
    step,
    strided,
)

if TYPE_CHECKING:
    from halocline.bench.table import Benchmark

_MODULES = (
    memory,
    ping_pong,
    ring_shift,
    strided,
    element_wise,
    push_pull,
    overlap,
    halo,
    step,
    imbalance,
    lbm,
    d2q9,
    choice,
    device,
)
BENCHMARKS: dict[str, Benchmark] = {module.BENCHMARK.name: module.BENCHMARK for module in _MODULES}
