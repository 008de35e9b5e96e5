"""What the arguments of a setup must be, before anything is computed of them."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from halocline.apps.ocean.physics.drying import Drying
from halocline.apps.ocean.physics.tides import Wave
from halocline.apps.ocean.physics.turbulence import KEpsilon
from halocline.apps.ocean.setup.arguments import (
    check_count,
    check_kind,
    check_number,
    check_word,
    in_cells,
    members,
    pair,
    wrong,
)
from halocline.apps.ocean.setup.domain import OPEN, Domain
from halocline.apps.ocean.setup.limits import Limits
from halocline.apps.ocean.setup.rivers import River
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.language.grids.labelled import is_labelled
from halocline.language.numbers import Range, real_array
from halocline.language.series.series import Series

if TYPE_CHECKING:
    from halocline.apps.ocean.setup.setup import Setup

_NUMBERS: Mapping[str, Range] = MappingProxyType(
    {
        "micro_step": Range(above=0.0),
        "viscosity": Range(least=0.0),
        "transport_diffusivity": Range(least=0.0),
        "diffusivity": Range(least=0.0),
        "mixing": Range(least=0.0),
        "surface_roughness": Range(above=0.0),
        "ramp": Range(least=0.0),
    }
)
_COUNTS: Mapping[str, int] = MappingProxyType({"micro_steps": 1, "sponge": 0})
# Numbers, arrays of cells, or series of them.
_FROM_OUTSIDE = ("pressure", "heat_flux", "sunlight", "rain")
# Numbers, arrays, or functions of place.
_TRACERS = ("temperature", "salinity", "sea_temperature", "sea_salinity")
# What water without layers does not have.
_LAYERED = ("temperature", "salinity", "density", "heat_flux", "sunlight")


def check_arguments(setup: Setup, words: Mapping[str, object]) -> None:
    """Refuse arguments that are of another kind, or numbers that cannot be.

    Args:
        setup: Has them.
        words: The types of those that are one of some words, by name.

    Raises:
        CaseError: The message names the argument.
    """
    check_kind("domain", setup.domain, Domain, "a Domain")
    for name, known in words.items():
        check_word(name, getattr(setup, name), get_args(known))
        if getattr(setup, layered := f"layer_{name}", None) is not None:
            check_word(layered, getattr(setup, layered), get_args(known))
    for name, allowed in _NUMBERS.items():
        check_number(name, getattr(setup, name), allowed)
    for name, least in _COUNTS.items():
        check_count(name, getattr(setup, name), least)
    _check_kinds(setup)
    _check_drying(setup.drying)
    _check_surface(setup)
    for name in _TRACERS:
        if getattr(setup, name) is not None:
            _check_tracer(name, getattr(setup, name), setup.domain)
    if setup.sigma is None:
        for name in _LAYERED:
            if getattr(setup, name) is not None:
                raise CaseError(
                    f"'{name}' was given to water without layers, which has none.",
                    hint="Give layers, as sigma=Sigma(10), or leave it out.",
                )


def _check_kinds(setup: Setup) -> None:
    """Refuse parts of a setup that are of another type."""
    members("tide", setup.tide, Wave, "waves, as (Wave(frequency('M2'), 0.5),)")
    members("rivers", setup.rivers, River, "rivers, as (River((30, 5), 300.0),)")
    check_kind("limits", setup.limits, Limits, "limits, as Limits(velocity=(-4.0, 4.0))")
    check_kind("k_epsilon", setup.k_epsilon, KEpsilon, "constants, as KEpsilon(galperin=None)")
    for name in ("check_cfl", "frozen"):
        check_kind(name, getattr(setup, name), bool, "True or False")
    if setup.sigma is not None:
        check_kind("sigma", setup.sigma, Sigma, "layers, as Sigma(10)")
    if setup.elevation is not None:
        check_kind("elevation", setup.elevation, Series, "a series of rows, hc.Series(times, rows)")
    if setup.density is not None and not callable(setup.density):
        raise wrong("density", setup.density, "a function of temperature and salinity")
    if not callable(setup.drag):
        raise wrong("drag", setup.drag, "a drag, as LinearDrag(1e-3) or LogarithmicDrag(1e-3)")


def _check_drying(drying: Drying) -> None:
    check_kind("drying", drying, Drying, "depths, as Drying(0.05, 0.2)")
    check_number("drying.least", drying.least, Range(above=0.0))
    check_number("drying.critical", drying.critical, Range(above=drying.least))


def _check_surface(setup: Setup) -> None:
    """Refuse what cells of the surface are given, if it is neither a number nor one for each."""
    domain = setup.domain
    given = {name: getattr(setup, name) for name in _FROM_OUTSIDE}
    given = {name: value for name, value in given.items() if value is not None}
    if setup.stress is not None:
        along_x, along_y = pair("stress", setup.stress, "stresses")
        given |= {"stress along x": along_x, "stress along y": along_y}
    for name, value in given.items():
        if not isinstance(value, Series):
            in_cells(name, value, domain.is_wet)
    in_cells("zeta", setup.zeta, domain.is_wet)
    for n, wave in enumerate(setup.tide):
        check_number(f"tide[{n}].frequency", wave.frequency)
        in_cells(f"tide[{n}].amplitude", wave.amplitude, domain.cells == OPEN)
        in_cells(f"tide[{n}].phase", wave.phase, domain.cells == OPEN)


def _check_tracer(name: str, given: Any, domain: Domain) -> None:
    """Refuse what is no number, no array of numbers and no function of place."""
    expected = "a number, an array of numbers, or a function of x, y and the height"
    if is_labelled(given):
        return
    try:
        if callable(given):
            signature(given).bind("x", "y", "height")
            return
        values = real_array(given)
    except (TypeError, ValueError):
        raise wrong(name, given, expected) from None
    # On land nothing is known, and nothing is needed.
    is_of_cells = values.shape[:2] == domain.extent
    known = values[domain.is_wet] if is_of_cells else values
    if not np.isfinite(known).all():
        raise wrong(name, given, f"{expected}, finite in water")
