"""Magnets of the Ising model flip at random (Metropolis), one colour of a checkerboard at a time.

python examples/ising.py [cells steps]
mpiexec -n 4 python examples/ising.py
"""

import math
import sys

import matplotlib.pyplot as plt

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (512, 2000))
temperature = 2.0  # critical is 2 / log(1 + sqrt(2)) = 2.269

grid = hc.Grid((cells, cells), periodic=True)
spin = grid.field("spin", dtype="int8", description="spin")
spin.set(1)


@hc.kernel
def flip(spin: hc.Field, *, colour: int, temperature: float) -> None:
    around = spin[-1, 0] + spin[1, 0] + spin[0, -1] + spin[0, 1]
    cost = 2 * spin[0, 0] * around
    is_mine = (hc.index("x") + hc.index("y")) % 2 == colour
    flips = hc.random(seed=1, dtype="float32") < hc.exp(-cost / temperature)
    spin[0, 0] = hc.where(is_mine & flips, -spin[0, 0], spin[0, 0])


magnetisation = hc.sum(spin, name="magnetisation")
found: list[float] = []


def keep() -> None:
    if simulation.step > steps // 5:  # by then it has forgotten how it began
        found.append(magnetisation.value / cells**2)


colours = [flip(spin, colour=colour, temperature=temperature) for colour in (0, 1)]
simulation = hc.Simulation(grid, [*colours, hc.every(5, magnetisation, keep)])
simulation.run(steps)

last = spin.to_xarray()
if simulation.rank == 0:
    exact = (1.0 - math.sinh(2.0 / temperature) ** -4) ** 0.125  # Onsager; Yang 1952
    mean = sum(found) / len(found)
    print(f"magnetisation {mean:.5f}, exact {exact:.5f}")
    print(f"error {abs(mean - exact):.1e}: beside that of an infinite lattice")
    plt.figure(figsize=(5, 4.5), layout="constrained")
    last[:256, :256].plot.imshow(x="x", cmap="gray", add_colorbar=False)
    plt.title(f"Magnets at temperature {temperature} after {steps} steps"), plt.axis("image")
    plt.savefig("ising.png", dpi=80)
