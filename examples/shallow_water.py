"""A wave from the open sea meets an island and a coast: linear shallow water, staggered.

python examples/shallow_water.py [cells steps]
mpiexec -n 4 python examples/shallow_water.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (300, 480))
width = 60e3 / cells  # m
dt = 0.02 * width
grid = hc.Grid((cells, cells), spacing=width)
level = grid.field("level", unit="m", description="sea level")
u, v = grid.field("u", location="x_face"), grid.field("v", location="y_face")
depth_u, depth_v = (grid.field(f"depth_{c}", location=f"{a}_face") for c, a in ("ux", "vy"))


def depth(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    # [m]; 0 on land, which begins where the water is 4 m deep.
    coast = 52e3 + 3e3 * np.sin(y / 5e3) + 1.5e3 * np.cos(y / 1.7e3) - x
    away = np.hypot(x - 30e3, y - 27e3) - 4e3  # from the island
    return np.where((coast < 0) | (away < 0), 0.0, np.clip(np.minimum(coast, away) / 150, 4, 60))


@hc.kernel
def accelerate(current: hc.Field, level: hc.Field, *, axis: str, dt: float) -> None:
    current[0, 0] = current - 9.81 * dt * hc.d(level, axis)


@hc.kernel
def rise(
    level: hc.Field, u: hc.Field, v: hc.Field, depth_u: hc.Field, depth_v: hc.Field, *, dt: float
) -> None:
    level[0, 0] = level - dt * (hc.d(depth_u * u, "x") + hc.d(depth_v * v, "y"))


depth_u.set(depth)
depth_v.set(depth)
level.set(lambda x, y: np.exp(-(((x - 8e3) / 2.5e3) ** 2)) + 0 * y)
# No current through the sides.
u.boundary(["x-", "x+"], hc.Dirichlet(0.0))
v.boundary(["y-", "y+"], hc.Dirichlet(0.0))
time_step = [  # only faces that are not on land have a current
    accelerate(u, level, axis="x", dt=dt, on=depth_u),
    accelerate(v, level, axis="y", dt=dt, on=depth_v),
    rise(level, u, v, depth_u, depth_v, dt=dt),
]
simulation = hc.Simulation(grid, time_step, dt=dt)
water = simulation.reduce(hc.sum(level))
simulation.run(steps)

gained, highest = simulation.reduce(hc.sum(level)) / water - 1, simulation.reduce(hc.max(level))
last, bottom = level.to_xarray(), depth_u.gather()
if simulation.rank == 0:
    print(f"highest level {highest:.9f} m after {steps * dt / 60:.1f} min")
    print(f"error {abs(gained):.0e}: water gained or lost, over all there is")
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    plt.gca().set(facecolor="tan", aspect="equal")
    last.where(bottom[1:] > 0).plot.imshow(x="x", vmin=-0.8, vmax=0.8, cmap="RdBu_r")
    plt.title(f"A wave at a coast after {steps * dt / 60:.0f} min")
    plt.xlabel("x [m]"), plt.ylabel("y [m]"), plt.savefig("shallow_water.png", dpi=80)
