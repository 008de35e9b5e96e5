"""Lattice Boltzmann flows: the names that programs use.

    import halocline as hc
    import halocline.lbm as lbm

    sides = {"y-": lbm.Wall(), "y+": lbm.Wall((0.05, 0.0))}
    flow = lbm.make_flow(lbm.Setup((64, 32), "D2Q9", omega=1.6, collision=lbm.trt(), sides=sides))
    simulation = hc.Simulation(flow.grid, flow.steps, dt=flow.dt)

'lbm.pyi' lists the names. Where one is defined inside of 'halocline.apps.lbm' may change.
"""

from halocline.public_names import import_public, public_names

_MODULES = public_names(__file__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    return import_public(__name__, name, _MODULES)


def __dir__() -> list[str]:
    return [*_MODULES, "__doc__"]
