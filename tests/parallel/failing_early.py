"""Ranks that fail, or leave, before and after MPI is up; the first argument says how."""

from __future__ import annotations

import os
import sys

WAY, RANK = sys.argv[1], int(os.environ.get("PMI_RANK", "0"))

if WAY == "module missing" and RANK == 1:
    import no_module_of_this_name  # noqa: F401

import halocline as hc  # noqa: E402 (rank 1 has gone before)

if WAY == "all mistaken":
    hc.Grid((-1,))

grid = hc.Grid((16,), periodic=True)
T, T_new = grid.field("T"), grid.field("T_new")


@hc.kernel
def move(T, T_new):
    T_new[0] = T[-1]


def act() -> None:
    if WAY == "leaves in a step" and RANK == 1:
        os._exit(0)
    if WAY == "interrupted":
        raise KeyboardInterrupt


simulation = hc.Simulation(
    grid, [move(T, T_new), hc.swap(T, T_new), act], threads=1, target="numpy"
)
simulation.run(3, progress=False)
if WAY == "leaves at the end":
    os._exit(0)
print("reached the end")
