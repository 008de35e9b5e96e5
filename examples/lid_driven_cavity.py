"""Flow in a cube under a moving lid, until it is steady, beside published values at Re = 100.

python examples/lid_driven_cavity.py [cells convective_times]
mpiexec -n 2 python examples/lid_driven_cavity.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc
import halocline.lbm as lbm

cells, most = map(int, sys.argv[1:] or (32, 100))
reynolds, speed = 100.0, 0.1
relaxation_time = 3.0 * speed * cells / reynolds + 0.5

flow = lbm.make_flow(
    lbm.Setup(
        extent=(cells,) * 3,
        lattice="D3Q19",
        omega=1.0 / relaxation_time,
        # Where walls meet, the one given last decides: the lid ends at the side walls.
        sides={"y+": lbm.Wall((speed, 0.0, 0.0))}
        | dict.fromkeys(("y-", "x-", "x+", "z-", "z+"), lbm.Wall()),
        streaming="in-place",
        spacing=1.0 / cells,
    )
)
velocity, before = flow.velocity, flow.grid.field("before", components=3)
changed = flow.grid.field("changed")
change = hc.max(changed, name="change")
period = round(cells / speed / flow.lattice_steps)  # steps in which the lid passes the cavity once
watch = hc.every(period, flow.observe, lbm.compare_velocity(velocity, before, changed), change)
simulation = hc.Simulation(flow.grid, [*flow.steps, watch])

for number in range(1, most + 1):  # noqa: B007 (printed at the end)
    simulation.run(period, progress=False)
    if change.value < 1e-6 * speed:
        break

u = velocity.gather()
if simulation.rank == 0:
    profile = lbm.profiles.centreline(u[0] / speed, 1, (0.0, 1.0))
    found = lbm.profiles.compare(profile, lbm.profiles.references(3, reynolds)[0])
    print(f"{number} convective times, last change {change.value / speed:.1e} of the lid's speed")
    print(found)
    print(f"error {found.rms:.1e}: of the velocity in the middle, beside the published one")
    x = (np.arange(cells) + 0.5) / cells
    along, up = u[:2, :, :, cells // 2].swapaxes(1, 2) / speed
    plt.figure(figsize=(5.5, 4.5), layout="constrained")
    plt.contourf(x, x, np.hypot(along, up), levels=np.linspace(0, 1, 21), cmap="viridis")
    plt.colorbar(label="speed over that of the lid")
    plt.streamplot(x, x, along, up, color="white", linewidth=0.6, arrowsize=0.7, density=1.2)
    plt.title(f"A cavity under a moving lid, Re = {reynolds:.0f}")
    plt.axis((0, 1, 0, 1)), plt.xlabel("x over the side"), plt.ylabel("y over the side")
    plt.savefig("lid_driven_cavity.png", dpi=80)
