"""Magnets of the Ising model flip at random (Metropolis), one colour of a checkerboard at a time.

python examples/ising.py [cells steps [picture.png]]
mpiexec -n 4 python examples/ising.py
"""

import math
import sys
from time import perf_counter

import matplotlib.pyplot as plt

import halocline as hc

cells, steps = map(int, sys.argv[1:3] or (512, 2000))
temperature = 2.0  # critical is 2 / log(1 + sqrt(2)) = 2.269

grid = hc.Grid((cells, cells), periodic=(True, True))
spin = grid.field("spin", dtype="int8")
spin.set(1)


@hc.kernel
def flip(spin, *, colour, temperature):
    around = spin[-1, 0] + spin[1, 0] + spin[0, -1] + spin[0, 1]
    cost = 2 * spin[0, 0] * around
    is_mine = (hc.index("x") + hc.index("y")) % 2 == colour
    flips = hc.random(seed=1, dtype="float32") < hc.exp(-cost / temperature)
    spin[0, 0] = hc.where(is_mine & flips, -spin[0, 0], spin[0, 0])


magnetisation, found = hc.sum(spin, name="magnetisation"), []


def keep():
    if simulation.step > steps // 5:  # by then it has forgotten how it began
        found.append(magnetisation.value / cells**2)


def picture(path):
    values = spin.gather()
    if simulation.rank == 0:
        plt.imsave(path, values.T, cmap="gray", origin="lower")


colours = [flip(spin, colour=colour, temperature=temperature) for colour in (0, 1)]
simulation = hc.Simulation(grid, [*colours, hc.every(5, magnetisation, keep)])
start = perf_counter()
simulation.run(steps)
seconds = perf_counter() - start

exact = (1.0 - math.sinh(2.0 / temperature) ** -4) ** 0.125  # Onsager, Yang 1952
if simulation.rank == 0:
    print(f"after {steps} steps: magnetisation {sum(found) / len(found):.5f}, exact {exact:.5f}")
    print(
        f"{seconds:.3f} s, effective memory throughput {4e-9 * cells**2 * steps / seconds:.1f} GB/s"
    )
if sys.argv[3:]:
    picture(sys.argv[3])
