"""The weather of a GETM run: none, a constant stress of the wind, or files; rain, evaporation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from halocline.apps.ocean.input.atmosphere_file import atmosphere_of, read_fluxes, read_fresh_water
from halocline.apps.ocean.input.input_file import InputFile
from halocline.apps.ocean.input.text_lines import text_of
from halocline.apps.ocean.input.weather_file import WeatherFiles
from halocline.apps.ocean.physics.bulk_formulae import BulkFormula
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.physics.radiation import BackRadiation
from halocline.errors import CaseError

if TYPE_CHECKING:
    from halocline.apps.ocean.input.getm.namelists import Namelists
    from halocline.apps.ocean.input.input_file import Period
    from halocline.apps.ocean.setup.domain import Domain

_CONSTANT = 1
# Numbers of fresh water: rain of files, evaporation of files, and that of the heat it takes.
_FALLS, _DRIES, _EVAPORATES = (2, 3), (2,), (3, 4)
_CONSTANT_ALBEDO = 0
_FORMULAE: Mapping[int, BulkFormula] = MappingProxyType({1: "kondo", 2: "coare"})
_BACK_RADIATION: Mapping[int, BackRadiation] = MappingProxyType({1: "clark", 2: "hastenrath-lamb"})


def read_weather(
    folder: Path, namelists: Namelists, domain: Domain, period: Period
) -> dict[str, Any]:
    """Return the arguments of a Setup that have to do with the weather, if there are any.

    Without temperatures, as in runs of type 1, GETM's drag of the wind is constant. With them,
    fluxes follow from the weather if 'calc_met' says so, else files have them.

    Raises:
        CaseError: A file cannot be read, or has something else, or not for all of the run.
    """
    if not namelists["meteo.metforcing"]:
        return {}
    _check_axes_to_the_north(folder / namelists["domain.bathymetry"])
    has_heat = "temp" in namelists.tracers and not namelists.is_frozen
    computes = namelists["meteo.met_method"] != _CONSTANT and namelists["meteo.calc_met"]
    _check_fresh_water(namelists, computes=computes and has_heat)
    rain: dict[str, Any] = {}
    fresh_water = namelists["meteo.fwf_method"]
    if fresh_water == _CONSTANT:
        # Both count into the sea: what evaporates is negative.
        rain = {"rain": namelists["meteo.precip_const"] + namelists["meteo.evap_const"]}
    if namelists["meteo.met_method"] == _CONSTANT:
        stress = tuple(namelists[f"meteo.{name}"] / REFERENCE_DENSITY for name in ("tx", "ty"))
        return {"stress": stress, **rain}
    files = WeatherFiles(
        _listed(folder / namelists["meteo.meteo_file"]),
        domain,
        period,
        is_on_grid=namelists["meteo.on_grid"],
        drag="constant" if computes else None,
        factor=namelists["meteo.wind_factor"],
    )
    if fresh_water in _FALLS:
        evap = namelists["meteo.evap_factor"] if fresh_water in _DRIES else None
        rain = {"rain": read_fresh_water(files, namelists["meteo.precip_factor"], evap)}
    if has_heat and computes:
        return {"atmosphere": atmosphere_of(files, **_options(namelists, domain)), **rain}
    weather = files.read()
    fluxes = read_fluxes(files) if has_heat else {}
    return {"stress": weather.stress, "pressure": weather.pressure, **fluxes, **rain}


def _check_fresh_water(namelists: Namelists, *, computes: bool) -> None:
    """Refuse fresh water that needs files or fluxes which the run does not have.

    Args:
        namelists: Of the run.
        computes: Whether the run computes how much heat the water loses.

    Raises:
        CaseError: The message names what it needs.
    """
    method, weather = namelists["meteo.fwf_method"], namelists["meteo.met_method"]
    start = f"'{namelists.path}' has fwf_method = {method}, which "
    if method in _FALLS and weather == _CONSTANT:
        raise CaseError(
            f"{start}reads files with the weather, and met_method = 1, which reads none; expected "
            "fwf_method = 0 or 1, or met_method = 2."
        )
    if method in _EVAPORATES and not computes:
        raise CaseError(
            f"{start}computes evaporation from the weather and the temperature of the water; "
            "expected met_method = 2, calc_met = .true., runtype = 4 and calc_temp = .true., or "
            "fwf_method = 0, 1 or 2."
        )


def _options(namelists: Namelists, domain: Domain) -> dict[str, Any]:
    """Return what an atmosphere has beside the variables of files."""
    options: dict[str, Any] = {
        "formula": _FORMULAE[namelists["meteo.fluxes_method"]],
        # GETM computes light from place, time and clouds, whatever files have.
        "sunlight": None,
        "long_waves": None,
        "back_radiation": _BACK_RADIATION[namelists["meteo.back_radiation_method"]],
        "evaporates": namelists["meteo.fwf_method"] in _EVAPORATES,
    }
    if namelists["meteo.albedo_method"] == _CONSTANT_ALBEDO:
        options["albedo"] = namelists["meteo.albedo_const"]
    if not domain.is_spherical and domain.places is None:
        options["place"] = (namelists["domain.latitude"], namelists["domain.longitude"])
    return options


def _listed(path: Path) -> list[Path]:
    """Return the files whose names a file has, one a line."""
    if not path.is_file():
        raise CaseError(
            f"There is no file '{path}'; expected the names of files with the weather, one a line."
        )
    lines = [line.strip().strip("'\"") for line in text_of(path).splitlines()]
    names = [line for line in lines if line and not line.startswith(("!", "#"))]
    if not names:
        raise CaseError(f"The file '{path}' names no file with the weather.")
    return [path.parent / name for name in names]


def _check_axes_to_the_north(path: Path) -> None:
    """Refuse a grid that is turned against the directions of the wind."""
    file = InputFile(path, "bathymetry")
    if "convc" in file and np.any(np.nan_to_num(file.data["convc"].values)):
        raise CaseError(
            f"{file.name} has a grid that is turned ('convc' is not 0 everywhere); supported is "
            "weather on grids whose axes point to the east and the north."
        )
