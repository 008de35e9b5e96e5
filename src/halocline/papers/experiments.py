"""All experiments by name."""

from __future__ import annotations

from halocline.errors import CaseError, nearest
from halocline.papers import (
    coursework,
    coursework_scaling,
    getm,
    lattice,
    low_level,
    node,
    walberla,
    walberla_device_scaling,
    walberla_devices,
    walberla_directions,
)
from halocline.papers.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        *node.EXPERIMENTS,
        *low_level.EXPERIMENTS,
        *lattice.EXPERIMENTS,
        *walberla.EXPERIMENTS,
        *walberla_directions.EXPERIMENTS,
        *walberla_devices.EXPERIMENTS,
        *walberla_device_scaling.EXPERIMENTS,
        *getm.EXPERIMENTS,
        *coursework.EXPERIMENTS,
        *coursework_scaling.EXPERIMENTS,
    )
}


def find_experiment(name: str) -> Experiment:
    """Return the experiment with a name.

    Raises:
        CaseError: There is none.
    """
    if name not in EXPERIMENTS:
        raise CaseError(f"There is no experiment '{name}'.", hint=nearest(name, EXPERIMENTS))
    return EXPERIMENTS[name]
