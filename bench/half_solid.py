"""Measure flows in half of a domain beside what the model says: 'python bench/half_solid.py'.

On two ranks: 'mpiexec -n 2 python bench/half_solid.py'. A D3Q19 flow (float32, TRT) on one uniform
grid whose cells are half solid, once all on one side, once as pores between spheres. Blocks of 16^3
without fluid are dropped, the others shared by their fluid cells, and computed in the boxes that
those of a rank make. Printed are how evenly, the median time of a step, and that of the model;
wanted is a difference of at most 5 %. Beside it stands a step on blocks that are shared by their
size alone.
"""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.lbm import Setup, make_flow, trt

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS, BLOCK = 96, 16
TURNS, STEPS = 9, 100
WANTED = 0.05


def half_space() -> NDArray[np.bool_]:
    """Return solid cells on one side of the middle."""
    solid = np.zeros((CELLS,) * 3, bool)
    solid[CELLS // 2 :] = True
    return solid


def pores() -> NDArray[np.bool_]:
    """Return spheres in random places, as many as make half of the cells solid; periodic."""
    random = np.random.default_rng(7)
    at = np.meshgrid(*(np.arange(CELLS),) * 3, indexing="ij", sparse=True)
    solid = np.zeros((CELLS,) * 3, bool)
    while solid.mean() < 1 / 2:
        middle, radius = random.uniform(0, CELLS, 3), random.uniform(0.05, 0.12) * CELLS
        away = [np.abs(x - m) for x, m in zip(at, middle, strict=True)]
        solid |= sum(np.minimum(d, CELLS - d) ** 2 for d in away) < radius**2
    return solid


def simulated(solid: NDArray[np.bool_], decomposition: Any) -> hc.Simulation:
    """Return a simulation that has found out how it is fastest."""
    flow = make_flow(Setup(solid.shape, "D3Q19", 1.6, trt(), dtype="float32", solid=solid))
    # Else each of the short runs would end with a search for what is not a number.
    options = {"decomposition": decomposition, "check_every": 0}
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt, **options)
    simulation.run(120, progress=False)
    return simulation


def seconds(simulation: hc.Simulation) -> float:
    """Return how long a step takes."""
    begun = time.perf_counter()
    simulation.run(STEPS, progress=False)
    return (time.perf_counter() - begun) / STEPS


def compare(name: str, solid: NDArray[np.bool_]) -> None:
    """Print how long a step takes, and how long the model says."""
    by_weight = simulated(solid, hc.Sparse(~solid, (BLOCK,) * 3))
    by_size = simulated(solid, None)
    pairs = [(seconds(by_weight), seconds(by_size)) for _ in range(TURNS)]
    if by_weight.rank:
        return
    found = median(a for a, _ in pairs)
    report = by_weight.report()
    off = report.predicted_s / found - 1
    print(
        f"{name}: {CELLS}^3 cells, {1 - solid.mean():.0%} fluid; {by_weight.size} rank(s) with "
        f"{by_weight.threads} thread(s)\n"
        f"  the rank with most has {report.balance.imbalance:.3f} times the mean by weight, "
        f"{report.measured_imbalance:.3f} by time\n"
        f"  a step {found * 1e3:.2f} ms ({min(pairs)[0] * 1e3:.2f} to {max(pairs)[0] * 1e3:.2f}), "
        f"{report.predicted_s * 1e3:.2f} ms by the model ({off:+.1%}, "
        f"{'within' if abs(off) <= WANTED else 'not within'} {WANTED:.0%})\n"
        f"  on blocks shared by size {median(b for _, b in pairs) * 1e3:.2f} ms, "
        f"{median(b / a for a, b in pairs):.2f} times that"
    )


def main() -> None:
    """Compare both."""
    compare("half space", half_space())
    compare("pores", pores())


if __name__ == "__main__":
    main()
