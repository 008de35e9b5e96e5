"""Flow in a cube under a moving lid, until it is steady, beside published values at Re = 100.

python examples/lid_driven_cavity.py [cells convective_times]
mpiexec -n 2 python examples/lid_driven_cavity.py
"""

import sys
from time import perf_counter

import halocline as hc
from halocline.apps.lbm.kernels import collide_stream, copy_velocity, macroscopic, moving_wall, wall
from halocline.apps.lbm.profiles import centreline, compare, references
from halocline.apps.lbm.velocity_set import velocity_set

cells, most = map(int, sys.argv[1:] or (32, 100))
reynolds, speed, lattice = 100.0, 0.1, velocity_set("D3Q19")
relaxation_time = 3.0 * speed * cells / reynolds + 0.5

grid = hc.Grid((cells,) * 3, spacing=1.0 / cells)
f, f_next = (grid.field(name, components=len(lattice)) for name in ("f", "f_next"))
velocity, before = (grid.field(name, components=3) for name in ("velocity", "before"))
density = grid.field("density")

# Where walls meet, the one declared last decides: the lid ends at the side walls.
f.boundary("y+", moving_wall, velocity_set=lattice, at="y+", along="x", speed=speed)
for side in ("y-", "x-", "x+", "z-", "z+"):
    f.boundary(side, wall, velocity_set=lattice, at=side)

period = round(cells / speed)  # steps in which the lid passes the cavity once
change = hc.max(hc.sqrt(sum((velocity[a] - before[a]) ** 2 for a in range(3))), name="change")
simulation = hc.Simulation(
    grid,
    [
        collide_stream(f, f_next, velocity_set=lattice, omega=1.0 / relaxation_time),
        hc.swap(f, f_next),
        hc.every(
            period,
            copy_velocity(velocity, before),
            macroscopic(f, density, velocity, velocity_set=lattice),
            change,
        ),
    ],
)
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
    bytes_moved = 2 * 8 * len(lattice) * cells**3 * simulation.step
    print(f"{seconds:.1f} s, effective memory throughput {bytes_moved / seconds / 1e9:.1f} GB/s")
