"""Print on rank 0 the number of ranks and nodes and a checksum, for jobs of batch systems."""

from __future__ import annotations

import hashlib
import socket

import halocline as hc
from halocline.runtime.job import join

grid = hc.Grid((64, 64), periodic=True)
T, T_new = grid.field("T"), grid.field("T_new")


@hc.kernel
def heat(T, T_new, *, a):
    T_new[0, 0] = T + a * hc.laplacian(T)


T.set(lambda x, y: x * (64 - x) + 0.0 * y)
steps = [heat(T, T_new, a=0.1), hc.swap(T, T_new)]
simulation = hc.Simulation(grid, steps, strategy=hc.Strategy(poison=True), threads=1)
simulation.run(20, progress=False)
values = T.gather()
hosts = set(join().everywhere(socket.gethostname()))
if simulation.rank == 0:
    print(simulation.size, len(hosts), hashlib.sha256(values.tobytes()).hexdigest())
