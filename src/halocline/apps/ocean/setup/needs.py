"""Needs: which arguments of an ocean mean nothing without others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halocline.apps.arguments import Needs

# What arguments mean nothing without, and these arguments.
NEEDS: Needs = (
    (
        "layers",
        lambda setup: setup.layers is not None,
        (
            *("temperature", "salinity", "density", "turbulence", "mixing", "k_epsilon"),
            *("turbulence_advection", "smooth_buoyancy", "surface_roughness", "mode_splitting"),
            *("layer_advection", "layer_advection_splitting", "tracers", "layer_current"),
        ),
    ),
    (
        "temperature or salinity",
        lambda setup: setup.temperature is not None or setup.salinity is not None,
        ("frozen",),
    ),
    (
        "temperature, salinity or tracers",
        lambda setup: setup.has_tracers,
        ("diffusivity", "scheme", "splitting"),
    ),
    (
        "temperature, salinity, tracers or 'layer_current'",
        lambda setup: setup.has_tracers or setup.layer_current is not None,
        ("sponge",),
    ),
    (
        "a temperature",
        lambda setup: setup.temperature is not None,
        ("heat_flux", "sunlight", "atmosphere"),
    ),
    (
        "sunlight",
        lambda setup: setup.sunlight is not None or setup.atmosphere is not None,
        ("water_type",),
    ),
    ("a density", lambda setup: setup.density is not None, ("pressure_gradient",)),
    (
        "'k-epsilon' turbulence",
        lambda setup: setup.turbulence == "k-epsilon",
        ("turbulence_advection", "k_epsilon", "smooth_buoyancy", "surface_roughness"),
    ),
    (
        "'turbulence_advection'",
        lambda setup: setup.turbulence_advection != "none",
        ("turbulence_advection_splitting",),
    ),
    ("'advection'", lambda setup: setup.advection != "none", ("advection_splitting",)),
    (
        "an open boundary",
        lambda setup: bool(setup.domain.open),
        (
            *("tide", "elevation", "layer_current", "open_kind"),
            *("sea_temperature", "sea_salinity", "sponge"),
        ),
    ),
    ("a sponge of 2 cells or more", lambda setup: setup.sponge > 1, ("relaxation",)),
    (
        "'tide', 'elevation', 'current' or 'layer_current'",
        lambda setup: (
            bool(setup.tide)
            or any(
                given is not None for given in (setup.elevation, setup.current, setup.layer_current)
            )
        ),
        ("ramp",),
    ),
)
