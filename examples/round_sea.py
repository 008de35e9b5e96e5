"""A Kelvin wave follows the coast of a round sea, on a grid whose cells follow the coast, too.

python examples/round_sea.py [cells hours]
mpiexec -n 4 python examples/round_sea.py
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import halocline as hc
import halocline.ocean as ocean

cells, hours = map(int, sys.argv[1:] or (192, 20))  # around the sea; half as many across it
angle = np.linspace(2.5 * np.pi, 0.5 * np.pi, cells + 1)[:, None]  # clockwise: y points outward
share = np.linspace(0.0, 1.0, cells // 2 + 1)[None, :]
radius = 40e3 + 160e3 * share * (1.6 - 0.6 * share)  # m, from an island; finest at the outer coast
corners = ocean.Curvilinear(x=radius * np.cos(angle), y=radius * np.sin(angle))
depth = np.full(corners.extent, 6.0)
sea = ocean.Domain(depth, curvilinear=corners, periodic=(True, False), f=1.4e-4)
x, y = sea.middles
hump = 0.5 * np.exp(-((x - 200e3) ** 2 + y**2) / 45e3**2)  # m, at the eastern coast
setup = ocean.Setup(sea, micro_step=20.0 * 192 / cells, zeta=hump, check_cfl=False)
model = ocean.make_model(setup)
simulation = hc.Simulation(model.grid, model.steps, dt=setup.macro_step)
volume = hc.sum((model.zeta + model.bed) * model.metric.area)
first = simulation.reduce(volume)
simulation.run(round(3600 * hours / setup.macro_step), progress=False)
error = abs(simulation.reduce(volume) / first - 1.0)
zeta = model.zeta.gather()
if simulation.rank == 0:
    assert zeta is not None
    i, j = np.unravel_index(zeta.argmax(), zeta.shape)
    east, north = x[i, j] / 1e3, y[i, j] / 1e3
    print(f"highest after {hours} h: {zeta.max():.6f} m at ({east:.3f}, {north:.3f}) km")
    print(f"error {error:.0e}: volume gained or lost")
    plt.figure(figsize=(5.4, 4.4), layout="constrained")
    most = abs(zeta).max()
    places = np.asarray(corners.x) / 1e3, np.asarray(corners.y) / 1e3
    plt.pcolormesh(*places, zeta, cmap="RdBu_r", vmin=-most, vmax=most)
    plt.plot(*(place[:, ::8] for place in places), color="gray", lw=0.4)  # every eighth line
    plt.plot(*(place[::8].T for place in places), color="gray", lw=0.4)
    plt.colorbar(label="elevation [m]"), plt.axis("scaled")
    plt.xlabel("x [km]"), plt.ylabel("y [km]")
    plt.title(f"A Kelvin wave {hours} hours from the eastern coast")
    plt.savefig("round_sea.png", dpi=80)
