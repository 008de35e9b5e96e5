"""Tide in a bay of 60 km x 40 km with a peninsula, in ten layers.

python ocean.py                # on all cores
mpiexec -n 4 python ocean.py   # on four ranks, with the same bits
"""

import numpy as np

import halocline as hc
import halocline.ocean as ocean

depth = np.full((60, 40), 20.0)  # m below the resting surface, at the cell centres
depth[20:30, :15] = np.nan  # land, the peninsula
west = ocean.OpenBoundary("west", 0, 0, 39)  # column 0 of cells, rows 0 to 39
bay = ocean.Domain(depth, spacing=(1e3, 1e3), f=1.2e-4, open=(west,))
setup = ocean.Setup(
    bay,
    micro_step=20.0,  # s, for the surface; limited by the speed of long waves
    micro_steps=10,  # so a step of the simulation takes 200 s
    tide=(ocean.Wave(ocean.frequency("M2"), amplitude=0.5),),  # m, at the open boundary
    ramp=3600.0,  # s, over which the tide grows from rest
    layers=ocean.Sigma(10),  # layers; leave it out to integrate over the depth
    temperature=10.0,  # degC
    salinity=35.0,
)
model = ocean.make_model(setup)
simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step)
for hour in range(1, 7):
    simulation.run(18)  # steps
    lowest, highest = (simulation.reduce(kind(model.zeta)) for kind in (hc.min, hc.max))
    if simulation.rank == 0:  # all ranks reduce, rank 0 prints
        print(f"{hour} h: surface elevation from {lowest:+.3f} m to {highest:+.3f} m")
