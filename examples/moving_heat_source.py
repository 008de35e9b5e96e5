"""A source of heat goes around on an insulated plate, and small cells go with it."""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

import halocline as hc

cells, steps = map(int, sys.argv[1:] or (64, 120))
plate = hc.Forest((cells, cells), block=8, finest=2, refine=lambda x, y: 0, spacing=1 / cells)
T = plate.field("T", unit="K", description="above the surroundings")
Fx, Fy = (plate.field(f"F{a}", location=f"{a}_face", coupling="flux") for a in "xy")
wanted = plate.field("wanted", dtype="float32", coupling="none")  # the level of refinement
T.boundary(plate.sides, hc.Neumann(0.0))
Fx.boundary(("x-", "x+"), hc.Dirichlet(0.0))
Fy.boundary(("y-", "y+"), hc.Dirichlet(0.0))


@hc.kernel
def conduct(T: hc.Field, Fx: hc.Field, Fy: hc.Field, *, k: float) -> None:
    # What flows through the faces at the low sides.
    Fx[0, 0] = -k * (T[0, 0] - T[-1, 0])
    Fy[0, 0] = -k * (T[0, 0] - T[0, -1])


@hc.kernel
def heat(T: hc.Field, Fx: hc.Field, Fy: hc.Field, *, power: float) -> None:
    x, y = hc.coordinate("x") - 0.5, hc.coordinate("y") - 0.5
    apart = (x - 0.3 * hc.cos(hc.time)) ** 2 + (y - 0.3 * hc.sin(hc.time)) ** 2
    T[0, 0] = T[0, 0] - (Fx[1, 0] - Fx[0, 0] + Fy[0, 1] - Fy[0, 0])
    T[0, 0] = T[0, 0] + power * hc.exp(-apart / 0.03**2)


@hc.kernel
def steep(T: hc.Field, wanted: hc.Field, *, level: float) -> None:
    # One more where neighbours differ by twice as much.
    change = hc.maximum(abs(T[1, 0] - T[-1, 0]), abs(T[0, 1] - T[0, -1]))
    wanted[0, 0] = level + hc.log2(change / 0.2 + 1e-9)


power = hc.Parameter(1.0, "power")
k, share = hc.PerLevel(lambda level: 0.05 * 2**level), hc.PerLevel(lambda level: power * 0.5**level)
look = hc.every(10, steep(T, wanted, level=hc.PerLevel(lambda level: level)))
kernels = [conduct(T, Fx, Fy, k=k), heat(T, Fx, Fy, power=share), look]
simulation = hc.Simulation(plate, kernels, dt=0.03, refine=hc.Refine(wanted, every=10))
simulation.run(steps, progress=False)
before, warmest = simulation.reduce(hc.sum(T)), simulation.reduce(hc.max(T))
blocks = [(level, box) for level in range(plate.levels) for box in plate.leaves.boxes(level)]
values, power.value = [field[...] for field in T.levels], 0.0  # from now on all heat stays
simulation.run(steps, progress=False)
changed = abs(simulation.reduce(hc.sum(T)) / before - 1)
if simulation.rank == 0:
    print(f"{len(blocks)} blocks while the source is on, {plate.leaves.count} later")
    print(f"error {changed:.1e}: relative change of all heat since the source is off")
    plt.figure(figsize=(5.5, 5), layout="constrained")
    for level, box in blocks:
        (x, y), size = (np.array(n) / (cells * 2**level) for n in (box.lower, box.extent))
        part, extent = values[level][box.slices((0, 0))].T, (x, x + size[0], y, y + size[1])
        plt.imshow(part, origin="lower", extent=extent, vmin=0, vmax=warmest, cmap="magma")
        plt.gca().add_patch(Rectangle((x, y), *size, fill=False, color="w", lw=0.4))
    plt.xlim(0, 1), plt.ylim(0, 1), plt.title(f"Blocks follow a source of heat, {steps} steps")
    plt.savefig("moving_heat_source.png", dpi=80)
