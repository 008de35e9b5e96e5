"""Coastal oceans: the names that programs use.

    import halocline as hc
    import halocline.ocean as ocean

    basin = ocean.Domain(depth, spacing=(500.0, 500.0), f=1.2e-4)
    model = ocean.make_model(ocean.Setup(basin, micro_step=10.0, layers=ocean.Sigma(10)))
    simulation = hc.Simulation(model.grid, model.steps, dt=model.setup.macro_step)

'ocean.pyi' lists the names. Where one is defined inside of 'halocline.apps.ocean' may change.
"""

from halocline.public_names import import_public, public_names

_MODULES = public_names(__file__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    return import_public(__name__, name, _MODULES)


def __dir__() -> list[str]:
    return [*_MODULES, "__doc__"]
