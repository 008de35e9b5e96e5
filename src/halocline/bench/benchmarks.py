"""All benchmarks by name."""

from __future__ import annotations

from halocline.bench import (
    choice,
    d2q9,
    device,
    halo,
    imbalance,
    lbm,
    memory,
    messages,
    overlap,
    step,
    whole_step,
)

BENCHMARKS = {
    benchmark.name: benchmark
    for benchmark in (
        memory.BENCHMARK,
        *messages.BENCHMARKS,
        overlap.BENCHMARK,
        halo.BENCHMARK,
        step.BENCHMARK,
        whole_step.BENCHMARK,
        imbalance.BENCHMARK,
        lbm.BENCHMARK,
        d2q9.BENCHMARK,
        choice.BENCHMARK,
        device.BENCHMARK,
    )
}
