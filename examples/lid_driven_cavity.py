"""Flow in a cube under a moving lid, until it is steady, beside published values at Re = 100.

python examples/lid_driven_cavity.py [cells convective_times]
mpiexec -n 2 python examples/lid_driven_cavity.py
"""

import sys
from time import perf_counter

import halocline as hc
from halocline.apps.lbm.boundaries import Wall
from halocline.apps.lbm.flow import Setup, make_flow
from halocline.apps.lbm.kernels import copy_velocity
from halocline.apps.lbm.profiles import centreline, compare, references

cells, most = map(int, sys.argv[1:] or (32, 100))
reynolds, speed = 100.0, 0.1
relaxation_time = 3.0 * speed * cells / reynolds + 0.5

flow = make_flow(
    Setup(
        extent=(cells,) * 3,
        lattice="D3Q19",
        omega=1.0 / relaxation_time,
        # Where walls meet, the one given last decides: the lid ends at the side walls.
        sides={"y+": Wall((speed, 0.0, 0.0))}
        | dict.fromkeys(("y-", "x-", "x+", "z-", "z+"), Wall()),
        streaming="in-place",
        spacing=1.0 / cells,
    )
)
velocity, before = flow.velocity, flow.grid.field("before", components=3)
change = hc.max(hc.sqrt(sum((velocity[a] - before[a]) ** 2 for a in range(3))), name="change")
period = round(cells / speed / flow.lattice_steps)  # steps in which the lid passes the cavity once
watch = hc.every(period, copy_velocity(velocity, before), flow.observe, change)
simulation = hc.Simulation(flow.grid, [*flow.steps, watch])

start = perf_counter()
for number in range(1, most + 1):  # noqa: B007 (printed at the end)
    simulation.run(period, progress=False)
    if change.value < 1e-6 * speed:
        break
seconds = perf_counter() - start

u = velocity.gather()
if simulation.rank == 0:
    print(f"{number} convective times, last change {change.value / speed:.1e} of the lid's speed")
    profile = centreline(u[0] / speed, 1, (0.0, 1.0))
    print(compare(profile, references(3, reynolds)[0]))
    updates = cells**3 * simulation.step * flow.lattice_steps
    bytes_moved = 2 * 8 * len(flow.velocity_set) * updates
    print(f"{seconds:.1f} s, effective memory throughput {bytes_moved / seconds / 1e9:.1f} GB/s")
