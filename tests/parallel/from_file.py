"""Execute plans from a file: what a run has written, another executes, with the same bits."""

from __future__ import annotations

from pathlib import Path

import stencils
from many_ranks import possible

import halocline as hc

# What plans may be chosen by; the last with functions, reductions and parameters in the step.
STRATEGIES = (
    "auto",
    hc.Strategy(overlap="rim-first", messages="field", poison=True),
    hc.Strategy(wait="any", transport="persistent", poison=True),
    hc.Strategy(depth=2, neighbours="staged", poison=True),
)
EXTENT = (12, 9)


def programs():
    """Return functions that make a problem, the same each time."""

    def counting():
        problem = stencils.heat(EXTENT, (True, False))
        T = problem.grid.fields["T"]
        total, seen, limit = hc.sum(T * T), [], hc.Parameter(3.0, "limit")

        @hc.kernel
        def bounded(T, *, limit, total):
            T[0, 0] = hc.minimum(T[0, 0], limit) + 1e-6 * total

        def look():
            seen.append(total.value)
            limit.value = 2.0

        steps = [*problem.steps, total, bounded(T, limit=limit, total=total), hc.every(2, look)]
        return stencils.Problem(problem.grid, steps)

    return [lambda: stencils.make("cavity 2-D, interleaved", "first", "float64"), counting]


def run(problem, **options):
    simulation = stencils.run(problem, threads=1, check_every=2, **options)
    return simulation, stencils.checksum(problem)


def compare(folder):
    """Return how many plans from files gave the bits of the runs that wrote them."""
    folder, same = Path(folder), 0
    for number, make in enumerate(programs()):
        for n, strategy in enumerate(map(possible, STRATEGIES)):
            for device in ("cpu", "emulated") if n == 1 else ("cpu",):
                path = folder / f"{number}-{n}-{device}.plan"
                simulation, expected = run(make(), strategy=strategy, device=device)
                simulation.write_plan(path)
                again, found = run(make(), plan=path, device=device)
                assert again.selection.autotuner is None
                assert str(again.plan) == str(simulation.plan)
                assert again.decomposition == simulation.decomposition
                assert found == expected
                same += 1
    return same
