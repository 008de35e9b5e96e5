"""The three-dimensional mode of a folder of GETM: layers, tracers, turbulence, heat."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from halocline.apps.ocean.input.getm.advection import (
    SCHEMES,
    SPLITTINGS,
    read_turbulence_advection,
    unsupported_advection,
)
from halocline.apps.ocean.input.getm.bathymetry import corner_of
from halocline.apps.ocean.input.getm.turbulence import k_epsilon_of, unsupported_turbulence
from halocline.apps.ocean.input.initial_file import FieldFile, read_profile
from halocline.apps.ocean.physics.equation_of_state import (
    REFERENCE_DENSITY,
    eos80,
    jackett06,
    linear,
)
from halocline.apps.ocean.setup.levels import BlendedSigma
from halocline.apps.ocean.setup.sigma import Sigma

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from halocline.apps.ocean.input.getm.namelists import Namelists, Settings
    from halocline.apps.ocean.setup.domain import Domain

# What numbers in the namelists stand for.
_SIGMA, _BLENDED = 1, 3
_LINEAR, _JACKETT = 1, 3
_PRESSURE_GRADIENTS = MappingProxyType({1: "blumberg-mellor", 6: "jacobian"})
_WATER_TYPES = MappingProxyType({1: "I", 3: "IA", 4: "IB", 5: "II", 6: "III"})
_CONSTANT, _PROFILE = 1, 2
# By whether neighbours beside a cell and above and below it count.
_NEIGHBOURS = MappingProxyType(
    {
        (False, False): "none",
        (True, False): "horizontal",
        (False, True): "vertical",
        (True, True): "both",
    }
)


def read_layers(namelists: Namelists, turbulence: Settings | None) -> dict[str, Any]:
    """Return the arguments of a Setup that describe layers; none for a run without.

    Expects what 'unsupported_layers' has nothing to say about.

    Args:
        namelists: Of the run.
        turbulence: What GOTM's file says; None if there is none.
    """
    if not namelists.is_layered:
        return {}
    arguments: dict[str, Any] = {
        "layers": _layering(namelists),
        "k_epsilon": k_epsilon_of(turbulence),
        "smooth_buoyancy": _NEIGHBOURS[
            namelists["m3d.smooth_bvf_hor"], namelists["m3d.smooth_bvf_ver"]
        ],
        **read_turbulence_advection(namelists),
        "mixing": namelists["m3d.avmback"],
        "surface_roughness": namelists["domain.z0s_const"],
    }
    if not namelists.tracers:
        return arguments
    first = namelists.tracers[0]
    return {
        **arguments,
        "scheme": SCHEMES[namelists[f"{first}.{first}_adv_hor"]],
        "splitting": SPLITTINGS[namelists[f"{first}.{first}_adv_split"]],
        "density": _density(namelists),
        "frozen": namelists.is_frozen,
        "pressure_gradient": _PRESSURE_GRADIENTS[namelists["m3d.ip_method"]],
        **_heat(namelists),
    }


def _layering(namelists: Namelists) -> Sigma | BlendedSigma:
    bed, surface = (max(0.0, namelists[f"domain.{name}"]) for name in ("ddl", "ddu"))
    zoomed = namelists["domain.kdum"], bed, surface
    if namelists["domain.vert_cord"] == _SIGMA:
        return Sigma(*zoomed)
    kept: Literal["surface", "bed"] = "surface" if namelists["domain.gamma_surf"] else "bed"
    return BlendedSigma(*zoomed, namelists["domain.d_gamma"], kept)


def read_tracer(folder: Path, namelists: Namelists, domain: Domain, name: str, unit: str) -> Any:
    """Return what a tracer is at the beginning: a number, or a function of x, y and the height.

    Args:
        folder: With its file.
        namelists: Of the run.
        domain: Of the model.
        name: 'temp' or 'salt'.
        unit: Of it.

    Raises:
        CaseError: The file cannot be read, or has something else.
    """

    def setting(what: str) -> Any:
        return namelists[f"{name}.{name}_{what}"]

    if setting("method") == _CONSTANT:
        return setting("const")
    path = folder / setting("file")
    if setting("method") == _PROFILE:
        return read_profile(path, unit)
    along_x, along_y = (
        slice(low, None if namelists[f"domain.{last}"] == -1 else low + count)
        for low, last, count in zip(corner_of(namelists), ("ih", "jh"), domain.extent, strict=True)
    )
    record, window = setting("field_no") - 1, (along_x, along_y)
    return FieldFile(path, setting("name"), unit, domain, record, window).read()


def _density(namelists: Namelists) -> Any:
    """Return the equation of state, with a constant for a tracer that the run does not compute.

    GETM takes 0. In the linear equation all constants give the same gradients.
    """
    method = namelists["eqstate.eqstate_method"]
    equation: Any = partial(jackett06 if method == _JACKETT else eos80, reference=REFERENCE_DENSITY)
    constants = 0.0, 0.0
    if method == _LINEAR:
        constants = namelists["eqstate.t0"], namelists["eqstate.s0"]
        equation = partial(
            linear,
            reference=REFERENCE_DENSITY,
            at=constants,
            by_temperature=namelists["eqstate.dtr0"],
            by_salinity=namelists["eqstate.dsr0"],
        )
    names = ("temperature", "salinity")
    fixed = {
        name: constant
        for name, short, constant in zip(names, ("temp", "salt"), constants, strict=True)
        if short not in namelists.tracers
    }
    return partial(_with_constant, equation=equation, **fixed) if fixed else equation


def _with_constant(
    *computed: Any, equation: Any, temperature: float | None = None, salinity: float | None = None
) -> Any:
    """Return the density where one of temperature and salinity stays what it is."""
    t, s = computed
    return equation(t if temperature is None else temperature, s if salinity is None else salinity)


def _heat(namelists: Namelists) -> dict[str, Any]:
    """Return what warms the water from above."""
    if not namelists["meteo.metforcing"] or "temp" not in namelists.tracers or namelists.is_frozen:
        return {}
    heat: dict[str, Any] = {"water_type": _WATER_TYPES[namelists["temp.jerlov"]]}
    if namelists["meteo.met_method"] == _CONSTANT:
        heat["heat_flux"] = namelists["meteo.shf_const"]
        heat["sunlight"] = namelists["meteo.swr_const"]
    return heat


def unsupported_layers(namelists: Namelists, turbulence: Settings | None) -> Iterator[str]:
    """Yield a line for what does not go together with layers as we have them.

    Args:
        namelists: Of the run.
        turbulence: What GOTM's file says; None if there is none.
    """
    if not namelists.is_layered:
        return
    if namelists["domain.vert_cord"] not in (_SIGMA, _BLENDED):
        yield namelists.refusal("domain.vert_cord", f"{_SIGMA} or {_BLENDED}")
    yield from unsupported_advection(namelists)
    alike = [("m3d.avhback", "m3d.avmback")]
    if namelists.tracers:
        if namelists["m3d.ip_method"] not in _PRESSURE_GRADIENTS:
            yield namelists.refusal("m3d.ip_method", " or ".join(map(str, _PRESSURE_GRADIENTS)))
        if namelists["m3d.ip_ramp"] > 1:
            yield namelists.refusal("m3d.ip_ramp", "1 or less")
        if len(namelists.tracers) > 1:
            alike += [(f"salt.salt_{n}", f"temp.temp_{n}") for n in ("adv_hor", "adv_split")]
        alike += [(f"{n}.{n}_adv_ver", f"{n}.{n}_adv_hor") for n in namelists.tracers]
        if "temp" in namelists.tracers and not namelists.is_frozen:
            yield from _unsupported_sources(namelists)
    for key, same_as in alike:
        if namelists[key] != namelists[same_as]:
            yield namelists.refusal(key, f"the same as {same_as.split('.')[1]}")
    if turbulence is not None:
        yield from unsupported_turbulence(turbulence)


def _unsupported_sources(namelists: Namelists) -> Iterator[str]:
    """Yield a line for what brings heat or water in ways that we cannot follow."""
    computes = namelists["meteo.met_method"] != _CONSTANT and namelists["meteo.calc_met"]
    if namelists["meteo.metforcing"] and not computes and namelists["meteo.albedo_const"]:
        yield namelists.refusal("meteo.albedo_const", "0 with sunlight that is given")
    if namelists["meteo.metforcing"] and computes and namelists["meteo.albedo_method"] > 1:
        yield namelists.refusal("meteo.albedo_method", "0 or 1")
