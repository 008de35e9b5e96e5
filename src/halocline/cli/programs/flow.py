"""A flow past a cylinder by the lattice Boltzmann method, until it sheds vortices.

python flow.py                # on all cores
mpiexec -n 4 python flow.py   # on four ranks, with the same bits
"""

import numpy as np

import halocline as hc
import halocline.lbm as lbm

nx, ny, diameter = 200, 80, 16  # cells
speed, reynolds = 0.08, 150.0  # cells a step; speed * diameter / viscosity
x, y = np.meshgrid(np.arange(nx) + 0.5, np.arange(ny) + 0.5, indexing="ij")
setup = lbm.Setup(
    extent=(nx, ny),
    lattice="D2Q9",
    omega=1.0 / (3.0 * speed * diameter / reynolds + 0.5),  # 1 / relaxation time
    collision=lbm.trt(),
    sides={
        "x-": lbm.Inflow((speed, 0.0)),
        "x+": lbm.Outflow(),
        "y-": lbm.FreeSlip(),
        "y+": lbm.FreeSlip(),
    },
    solid=np.hypot(x - 50.0, y - 39.0) < diameter / 2,  # True in the cylinder, a little off axis
)
flow = lbm.make_flow(setup)
flow.start(velocity=(speed, 0.0))
simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt)
for _ in range(6):
    simulation.run(1000)
    simulation.execute(flow.observe)  # computes velocity and density from the populations
    wake = flow.velocity[1, 70:, ny // 2]  # its component along y, on every rank
    if simulation.rank == 0:
        print(f"step {simulation.step}: sideways speed in the wake {np.abs(wake).max():.4f}")
