"""Vertical diffusion, implicit in time: of momentum, tracers and what else lies in columns.

A column of unknowns x obeys, with the conductance C[k] = dt * diffusivity / distance of the face
above layer k,

    inertia[k] x[k] + C[k-1] (x[k] - x[k-1]) - C[k] (x[k+1] - x[k]) = right[k]

Rows are eliminated on the way up until x[k] = ratio[k] x[k+1] + rest[k], and substituted on the
way down (Thomas algorithm). Nothing is subtracted where all are positive: what is positive stays
so, in single precision, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Call


class Layers(NamedTuple):
    """How thick layers are, at cells, U points or V points; given to kernels by keyword.

    Attributes:
        depth: Of the whole column, a surface field above 0 also on land [m].
        fraction: Of each layer, a profile with the sum 1 and boundaries below and above.
    """

    depth: Any
    fraction: Any

    @property
    def thickness(self) -> Any:
        """Thickness of a layer [m]."""
        return self.depth * self.fraction

    @property
    def distance(self) -> Any:
        """Distance from the middle of the layer below [m]; on a face: of those that it parts."""
        return self.depth * (0.5 * (self.fraction + hc.at(self.fraction, z=-1)))


def diffuse_tracers(
    tracers: Sequence[Field],
    layers: Layers,
    diffusivity: Field,
    *,
    dt: Any,
    surface: Sequence[Any] | None = None,
    bottom: Sequence[Any] | None = None,
    molecular: float = 0.0,
) -> tuple[Call, ...]:
    """Return steps that diffuse tracers for a step; they share the diffusivity.

    The content of a column changes by what enters at its ends, to round-off.

    Args:
        tracers: Fields of cells.
        layers: Of cells, as they are after advection.
        diffusivity: On the faces of layers [m2 s-1].
        dt: The step [s].
        surface: What enters each tracer, a surface field or a number [tracer m s-1].
        bottom: Likewise from the bed.
        molecular: Is added to the diffusivity [m2 s-1].
    """
    none = (0.0,) * len(tracers)
    ratio = _ratio_of(tracers[0])
    return (
        *_eliminate_tracers(
            ratio,
            diffusivity,
            tracers=tuple(tracers),
            layers=layers,
            surface=tuple(surface or none),
            bottom=tuple(bottom or none),
            dt=dt,
            molecular=molecular,
            last=_last(ratio),
            start=(0.0, *none),
        ),
        *_substitute_tracers(ratio, tracers=tuple(tracers), start=none),
    )


def diffuse_momentum(
    transport: Field,
    layers: Layers,
    viscosity: Field,
    *,
    axis: str | None,
    dt: Any,
    old_depth: Field | None = None,
    stress: Any = 0.0,
    drag: Any = 0.0,
    mean: Field | None = None,
    molecular: float = 0.0,
) -> tuple[Call, ...]:
    """Return steps that give the transports of layers what viscosity, wind and bed do to them.

    Args:
        transport: Of each layer, p = u h, with all else that the step adds already in it [m2 s-1].
        layers: After the step, where the transport is.
        viscosity: On the faces of layers, in the middle of cells [m2 s-1].
        axis: Across whose faces the transport goes; None where it is in the middle of cells.
        dt: The step [s].
        old_depth: Before the step, if it differs [m].
        stress: Of the wind, divided by the density: a surface field or a number [m2 s-2].
        drag: Drag coefficient of the bed times the speed there, likewise [m s-1].
        mean: Transport of the column to which the layers are shifted in the end [m2 s-1].
        molecular: Is added to the viscosity [m2 s-1].

    Source: Burchard & Bolding 2002 (GETM), the layer-integrated momentum equation.
    """
    ratio, total = _ratio_of(transport), _surface_of(transport, "total")
    steps = (
        *_eliminate_momentum(
            transport,
            ratio,
            viscosity,
            layers=layers,
            old_depth=old_depth,
            stress=stress,
            drag=drag,
            axis=axis,
            dt=dt,
            molecular=molecular,
            last=_last(ratio),
            start=(0.0, 0.0),
        ),
        *_substitute_momentum(
            transport,
            ratio,
            layers=layers,
            start=(0.0, 0.0),
            end=(_surface_of(transport, "lowest"), total),
        ),
    )
    if mean is None:
        return steps
    return (*steps, _shift(transport, mean, total, fraction=layers.fraction))


def eliminate(
    below: Sequence[Any], *, inertia: Any, conductance: Any, right: Sequence[Any]
) -> tuple[Any, list[Any], tuple[Any, ...]]:
    """Return the ratio and the rests of a row, and what the row above needs of it.

    Args:
        below: That of the row below: what holds the unknown, and a push for each right-hand side.
        inertia: See the top of the file.
        conductance: Of the face above, 0 in the last row.
        right: Right-hand sides, one for each set of unknowns.
    """
    held, *pushed = below
    own = inertia + held
    pivot = 1.0 / (own + conductance)
    ratio = conductance * pivot
    rests = [(value + push) * pivot for value, push in zip(right, pushed, strict=True)]
    return ratio, rests, (own * ratio, *(conductance * rest for rest in rests))


@hc.sweep("z+")
def _eliminate_tracers(
    below: Any,
    ratio: Any,
    diffusivity: Any,
    *,
    tracers: Any,
    layers: Any,
    surface: Any,
    bottom: Any,
    dt: Any,
    molecular: Any,
    last: int,
) -> Any:
    above = hc.at(diffusivity, z=1) + molecular
    right = [
        tracer * layers.thickness + dt * _at_ends(entering, leaving, last)
        for tracer, entering, leaving in zip(tracers, bottom, surface, strict=True)
    ]
    ratio[0, 0, 0], rests, handed = eliminate(
        below,
        inertia=layers.thickness,
        conductance=_conductance(above, layers, dt, last),
        right=right,
    )
    for tracer, rest in zip(tracers, rests, strict=True):
        tracer[0, 0, 0] = rest
    return handed


@hc.sweep("z-")
def _substitute_tracers(above: Any, ratio: Any, *, tracers: Any) -> Any:
    values = [rest + ratio * value for rest, value in zip(tracers, above, strict=True)]
    for tracer, value in zip(tracers, values, strict=True):
        tracer[0, 0, 0] = value
    return tuple(values)


@hc.sweep("z+")
def _eliminate_momentum(
    below: Any,
    transport: Any,
    ratio: Any,
    viscosity: Any,
    *,
    layers: Any,
    old_depth: Any,
    stress: Any,
    drag: Any,
    axis: Any,
    dt: Any,
    molecular: Any,
    last: int,
) -> Any:
    above = hc.at(viscosity, z=1)
    if axis:
        above = 0.5 * (above + hc.at(above, **{axis: -1}))
    if old_depth is not None:  # the drag acts over the mean of both thicknesses
        drag = drag * (2.0 * layers.depth / (old_depth + layers.depth))
    # The unknown is the velocity.
    ratio[0, 0, 0], (rest,), handed = eliminate(
        below,
        inertia=layers.thickness + dt * _at_ends(drag, 0.0, last),
        conductance=_conductance(above + molecular, layers, dt, last),
        right=[transport + dt * _at_ends(0.0, stress, last)],
    )
    transport[0, 0, 0] = rest
    return handed


@hc.sweep("z-")
def _substitute_momentum(above: Any, transport: Any, ratio: Any, *, layers: Any) -> Any:
    velocity_above, total = above
    velocity = transport + ratio * velocity_above
    moved = velocity * layers.thickness
    transport[0, 0, 0] = moved
    return velocity, total + moved


@hc.kernel
def _shift(transport: Any, mean: Any, total: Any, *, fraction: Any) -> None:
    transport[0, 0, 0] = transport + fraction * (mean - total)


def _conductance(diffusivity_above: Any, layers: Layers, dt: Any, last: int) -> Any:
    """Return C of the face above a layer [m]; nothing passes the surface."""
    inner = dt * diffusivity_above / hc.at(layers.distance, z=1)
    return hc.where(hc.index("z") < last, inner, 0.0)


def _at_ends(lowest: Any, highest: Any, last: int) -> Any:
    """Return what acts in the lowest layer and in the highest."""
    level = hc.index("z")
    return hc.where(level == 0, lowest, 0.0) + hc.where(level == last, highest, 0.0)


def _last(field: Field) -> int:
    return field.grid.extent[2] - 1


def _ratio_of(field: Field) -> Field:
    """Return a hidden field where ratios lie between the two sweeps."""
    return field.grid.hidden_field(
        "diffusion_ratio", dtype=field.dtype, axes=field.axes, location=field.location
    )


def _surface_of(field: Field, name: str) -> Field:
    """Return a hidden field with a number for each column."""
    location = field.location.without(2)
    return field.grid.hidden_field(
        f"diffusion_{name}", dtype=field.dtype, axes="xy", location=location
    )
