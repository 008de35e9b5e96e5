"""All experiments by name: what the files of 'data' say of each, with the study that runs it."""

from __future__ import annotations

import tomllib
from typing import Any

from halocline.errors import CaseError, nearest
from halocline.io.results import Chart
from halocline_reproduction import (
    coarray_applications,
    coarray_lattice,
    coarray_thesis,
    coarray_transfers,
    coursework,
    directions,
    getm,
    gpu_flows,
    lattice,
    messages,
    ocean,
    worst_case,
)
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.published import DATA

_STUDIES: dict[str, Study] = {
    **messages.STUDIES,
    **lattice.STUDIES,
    **worst_case.STUDIES,
    **directions.STUDIES,
    **gpu_flows.STUDIES,
    **getm.STUDIES,
    **ocean.STUDIES,
    **coursework.STUDIES,
    **coarray_thesis.STUDIES,
    **coarray_lattice.STUDIES,
    **coarray_transfers.STUDIES,
    **coarray_applications.STUDIES,
}


def _read() -> dict[str, Experiment]:
    found: dict[str, Experiment] = {}
    for file in sorted(DATA.glob("*-experiments.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        shared = table.pop("remarks", {})
        found |= {name: _experiment(name, shared, said) for name, said in table.items()}
    return found


def _experiment(name: str, shared: dict[str, list[str]], said: dict[str, Any]) -> Experiment:
    """Return an experiment; before its own remarks stand those of a group of experiments."""
    remarks = [*shared.get(said.pop("remarks_of", ""), ()), *said.pop("remarks")]
    charts = [Chart(**chart) for chart in said.pop("charts")]
    return Experiment(name, study=_STUDIES[name], charts=charts, remarks=remarks, **said)


EXPERIMENTS = _read()


def find_experiment(name: str) -> Experiment:
    """Return the experiment with a name.

    Raises:
        CaseError: There is none.
    """
    if name not in EXPERIMENTS:
        raise CaseError(f"There is no experiment '{name}'.", hint=nearest(name, EXPERIMENTS))
    return EXPERIMENTS[name]
