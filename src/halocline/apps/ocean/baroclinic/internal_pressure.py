"""The internal pressure: what differences of density along layers do to the transport in them.

Layers slope as the bed does, so the gradient of pressure at constant height is the small difference
of two large terms, along the layer and of its slope. How well they cancel is what methods differ
in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import halocline as hc
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.apps.ocean.numerics.axis import Axis
    from halocline.apps.ocean.state.layers import Columns, LayerState
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


class Spacing(NamedTuple):
    """How far the middles of layers are from each other; given to kernels by keyword.

    Attributes:
        gap: From a middle to that of the next layer or to the surface, over the depth.
        step: Harmonic mean of the distances to the middles above and below, over the depth.
    """

    gap: Any
    step: Any


class InternalPressure(Frozen, eq=False):
    """The fields of the internal pressure.

    Attributes:
        surface: Of the water.
        layers: Of the water.
        density: Of cells, less that of reference [kg/m³].
        middle: Share of the depth that lies below the middle of a layer.
        spacing: Of the layers.
        mass: Above the middle of layers, see 'weigh'; None for 'blumberg-mellor' [kg/m²].
        surface_density: At the surface, likewise [kg/m³].
    """

    surface: Surface
    layers: LayerState
    density: Field
    middle: Field
    spacing: Spacing
    mass: Field | None
    surface_density: Field | None

    @property
    def last(self) -> int:
        """The highest layer."""
        return int(self.layers.fractions.shape[-1]) - 1

    def steps(self) -> tuple[Step, ...]:
        """Return what is to be done when the density has changed."""
        if self.mass is None or self.surface_density is None:
            return ()
        hidden = tuple(
            self.mass.grid.hidden_field(f"carry_{n}", dtype=self.mass.dtype, axes="xy")
            for n in range(4)
        )
        return weigh(
            self.mass,
            self.density,
            self.layers.after,
            spacing=self.spacing,
            last=self.last,
            start=(0.0,) * 5,
            end=(*hidden, self.surface_density),
        )

    def at(self, columns: Columns) -> BlumbergMellor | DensityJacobian:
        """Return the pressure for 'explicit_terms' at velocity points."""
        of_cells = (self.density, self.middle, self.layers.after, self.surface.bed)
        if self.mass is None or self.surface_density is None:
            return BlumbergMellor(*of_cells, self.layers.fraction, self.last)
        stepped = columns.points.stepped
        return DensityJacobian(*of_cells, self.mass, self.surface_density, stepped)


def make_internal_pressure(surface: Surface, layers: LayerState) -> InternalPressure | None:
    """Return the internal pressure of layers; None if water is everywhere as heavy."""
    if layers.density is None:
        return None
    fractions, fields = layers.fractions, surface.fields
    middle = layers.below_middles
    gaps = np.diff(middle)
    below, above = (
        np.concatenate(parts, axis=-1) for parts in ((gaps[..., :1], gaps), (gaps, gaps[..., -1:]))
    )
    step = 2.0 * below * above / (below + above)
    is_jacobian = surface.setup.pressure_gradient == "jacobian"
    return InternalPressure(
        surface,
        layers,
        layers.density,
        fields.shares("middle", middle),
        Spacing(
            fields.shares("gap", np.concatenate([gaps, 0.5 * fractions[..., -1:]], axis=-1)),
            fields.shares("step", step),
        ),
        fields.layers("mass", unit="kg m-2") if is_jacobian else None,
        fields.surface("surface_density", unit="kg m-3") if is_jacobian else None,
    )


class BlumbergMellor(NamedTuple):
    """Of second order: derivatives of density along layers, summed from the surface down.

    Attributes:
        density: Of cells, less that of reference [kg/m³].
        middle: Share of the depth that lies below the middle of a layer.
        depth: Of cells [m].
        bed: Of cells, below the mean level [m].
        fraction: Of layers of cells.
        last: The highest layer.

    Source: Blumberg & Mellor 1987; formula 1.3 of Burchard & Bolding 2002.
    """

    density: Any
    middle: Any
    depth: Any
    bed: Any
    fraction: Any
    last: int

    @property
    def start(self) -> tuple[float, ...]:
        """What is handed to the highest layer."""
        return (0.0,) * 4

    def __call__(self, above: Any, axis: Axis, per_length: Any, thickness: Any) -> tuple[Any, Any]:
        """Return what the layer below needs, and what pressure does to the transport [m²/s²].

        Args:
            above: What the layer above hands down.
            axis: Of the velocity points.
            per_length: 1 / distance of cells [1/m].
            thickness: Of the layer at velocity points [m].
        """
        sum_above, slope_above, mean_above, thickness_above = above
        buoyancy = self.density * (-GRAVITY / REFERENCE_DENSITY)
        slope = (buoyancy - axis(buoyancy, -1)) * per_length
        mean = axis.mean(buoyancy)
        rise = _rise(self.middle + 0.5 * self.fraction, self.depth, self.bed, axis)
        inner = (
            sum_above
            + (0.25 * (slope_above + slope)) * (thickness + thickness_above)
            - (rise * per_length) * (mean_above - mean)
        )
        total = hc.where(hc.index("z") == self.last, 0.5 * thickness * slope, inner)
        return (total, slope, mean, thickness), thickness * total


class DensityJacobian(NamedTuple):
    """Of higher order: density and height are cubics, along layers and from one to the next.

    At rest it is exact if the density is linear in the height.

    Attributes:
        density: Of cells, less that of reference [kg/m³].
        middle: See 'BlumbergMellor'.
        depth: Likewise [m].
        bed: Likewise [m].
        mass: Above the middle of layers, less that of reference; see 'weigh' [kg/m²].
        surface: Density at the surface, likewise [kg/m³].
        is_open: Whether there is water on both sides of velocity points.

    Source: Shchepetkin & McWilliams 2003.
    """

    density: Any
    middle: Any
    depth: Any
    bed: Any
    mass: Any
    surface: Any
    is_open: Any

    @property
    def start(self) -> tuple[float, ...]:
        """What is handed to the highest layer: nothing."""
        return ()

    def __call__(self, above: Any, axis: Axis, per_length: Any, thickness: Any) -> tuple[Any, Any]:
        """Return nothing, and what pressure does to the transport; see 'BlumbergMellor'."""
        density = self.density
        growth = hc.where(self.is_open, density - axis(density, -1), 0.0)
        rise = hc.where(self.is_open, _rise(self.middle, self.depth, self.bed, axis), 0.0)
        ahead = Node(density, *(_harmonic_mean(d, axis(d, 1)) for d in (growth, rise)))
        behind = Node(*(axis(value, -1) for value in ahead))
        # The barotropic mode takes the surface's slope times the density of reference.
        of_surface = axis.mean(self.surface) * _rise(1.0, self.depth, self.bed, axis)
        excess = self.mass - axis(self.mass, -1) + mass_between(behind, ahead, rise) - of_surface
        return above, thickness * ((-GRAVITY / REFERENCE_DENSITY) * per_length * excess)


class Node(NamedTuple):
    """An end of a cubic: density and its derivative, and that of the height, over the way to go.

    Attributes:
        density: [kg/m³].
        growth: Derivative of the density [kg/m³].
        step: Derivative of the height [m].
    """

    density: Any
    growth: Any
    step: Any


def mass_between(first: Node, second: Node, rise: Any) -> Any:
    """Return the integral of density over height, from one node to the next [kg/m²].

    Args:
        first: Where it begins.
        second: Where it ends.
        rise: How much higher that lies [m].
    """
    density = second.density - first.density
    bend = (second.growth - first.growth) * (rise - (1.0 / 12.0) * (second.step + first.step)) - (
        second.step - first.step
    ) * (density - (1.0 / 12.0) * (second.growth + first.growth))
    return 0.5 * ((first.density + second.density) * rise - 0.2 * bend)


def _rise(share: Any, depth: Any, bed: Any, axis: Axis) -> Any:
    """Return how much higher a share of the depth lies ahead of a point than behind it [m]."""
    deeper, more = depth - axis(depth, -1), share - axis(share, -1)
    return axis.mean(share) * deeper + (more * axis.mean(depth) - (bed - axis(bed, -1)))


def _harmonic_mean(a: Any, b: Any) -> Any:
    """Return it, and 0 at an extremum: a cubic with such derivatives makes none of its own."""
    product = a * b
    is_monotone = product > 0.0
    return hc.where(is_monotone, 2.0 * product / hc.where(is_monotone, a + b, 1.0), 0.0)


@hc.sweep("z-")
def weigh(above: Any, mass: Any, density: Any, depth: Any, *, spacing: Spacing, last: int) -> Any:
    """Find the mass above the middle of layers, less that of reference.

    Args:
        above: Of the layer above: mass, density, its derivative, how much it grows from the layer
            below; and the density at the surface, to which it is extrapolated.
        mass: Gets it [kg/m²].
        density: Of cells, less that of reference [kg/m³].
        depth: Of cells [m].
        spacing: Of layers.
        last: The highest layer.
    """
    mass_above, density_above, growth_above, change_above, surface = above
    is_highest = hc.index("z") == last
    change = density - hc.at(density, z=-1)
    change_above = hc.where(is_highest, change, change_above)
    change = hc.where(hc.index("z") == 0, change_above, change)
    growth = _harmonic_mean(change_above, change)
    extrapolated = density + change * (spacing.gap / hc.at(spacing.gap, z=-1))
    surface = hc.where(is_highest, extrapolated, surface)
    here = Node(density, growth, spacing.step * depth)
    next_above = Node(
        hc.where(is_highest, surface, density_above),
        hc.where(is_highest, growth, growth_above),
        hc.at(spacing.step, z=1) * depth,
    )
    mass_here = mass_above + mass_between(here, next_above, spacing.gap * depth)
    mass[...] = mass_here
    return mass_here, density, growth, change, surface
