"""Two substances react and diffuse (Gray and Scott), until they make a pattern.

python examples/gray_scott.py [cells steps]
mpiexec -n 4 python examples/gray_scott.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (256, 8000))
feed, kill, Du, Dv = 0.0545, 0.062, 0.16, 0.08

grid = hc.Grid((cells, cells), periodic=True)
u, v = grid.field("u"), grid.field("v", description="second substance")
u_new, v_new = grid.field("u_new"), grid.field("v_new")


@hc.kernel
def react(u: hc.Field, v: hc.Field, u_new: hc.Field, v_new: hc.Field) -> None:
    made = u * v**2
    u_new[0, 0] = u + Du * hc.laplacian(u) - made + feed * (1.0 - u)
    v_new[0, 0] = v + Dv * hc.laplacian(v) + made - (feed + kill) * v


def laplacian(a: np.ndarray) -> np.ndarray:  # the same in NumPy
    return sum(np.roll(a, n, axis) for n in (1, -1) for axis in (0, 1)) - 4.0 * a


def react_in_numpy(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    made = u * v**2
    return (
        u + Du * laplacian(u) - made + feed * (1.0 - u),
        v + Dv * laplacian(v) + made - (feed + kill) * v,
    )


seeds = np.random.default_rng(1).random((cells // 8, cells // 8)) < 0.1
drops = np.kron(seeds, np.ones((8, 8)))  # squares of 8 x 8 cells
u.set(1.0 - 0.5 * drops)
v.set(0.25 * drops)
simulation = hc.Simulation(grid, [react(u, v, u_new, v_new), hc.swap(u, u_new), hc.swap(v, v_new)])

simulation.run(100)
early = v.gather()
simulation.run(steps - 100)
share, pattern = simulation.reduce(hc.sum(v > 0.2)) / cells**2, v.to_xarray()
if simulation.rank == 0:
    other = 1.0 - 0.5 * drops, 0.25 * drops
    for _ in range(100):
        other = react_in_numpy(*other)
    print(f"more than 0.2 of the second substance in {100 * share:.2f} % of the cells")
    print(f"error {np.abs(early - other[1]).max():.0e}: largest difference from NumPy, 100 steps")
    plt.figure(figsize=(5, 4), layout="constrained")
    pattern.plot.imshow(x="x", vmin=0.0, vmax=0.4, cmap="magma", interpolation="bilinear")
    plt.title(f"Gray and Scott, {steps} steps"), plt.axis("image")
    plt.savefig("gray_scott.png", dpi=80)
