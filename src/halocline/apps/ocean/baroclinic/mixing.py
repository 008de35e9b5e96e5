"""What turbulence mixes: the steps from the shear and the stratification of layers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.apps.ocean.physics.equation_of_state import REFERENCE_DENSITY
from halocline.apps.ocean.physics.turbulence import (
    find_buoyancy,
    find_shear,
    inner_faces,
    k_epsilon,
    smooth,
    smooth_vertically,
)
from halocline.apps.ocean.physics.turbulence_advection import advect_turbulence
from halocline.apps.ocean.setup.domain import WATER

if TYPE_CHECKING:
    from halocline.apps.ocean.state.layers import LayerState
    from halocline.apps.ocean.state.surface import Surface
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


def mix_layers(surface: Surface, layers: LayerState) -> tuple[Step, ...]:
    """Return the steps of turbulence, none if it is constant."""
    setup = surface.setup
    if setup.turbulence == "constant":
        return ()
    x, y = layers.columns["x"], layers.columns["y"]
    shear = find_shear(
        layers.shear_squared,
        east=x.transport,
        north=y.transport,
        at_u=x.layers,
        at_v=y.layers,
        on=inner_faces(surface.fields.grid),
    )
    buoyancy_squared, buoyancy = _find_stratification(surface, layers)
    return (
        shear,
        *buoyancy,
        *k_epsilon(
            layers.turbulence,
            layers.shear_squared,
            buoyancy_squared,
            layers.of_cells,
            dt=setup.macro_step,
            bed_roughness=getattr(setup.drag, "roughness", 1e-3),
            surface_roughness=setup.surface_roughness,
            model=setup.k_epsilon,
        ),
        *_advect(surface, layers),
    )


def _find_stratification(surface: Surface, layers: LayerState) -> tuple[Field, list[Step]]:
    """Return the stratification that turbulence feels, and the steps that find it."""
    grid, squared = surface.fields.grid, layers.buoyancy_squared
    steps: list[Step] = []
    on = inner_faces(grid)
    if layers.density is not None:
        arguments = {"layers": layers.of_cells, "reference": REFERENCE_DENSITY}
        steps.append(find_buoyancy(squared, layers.density, **arguments, on=on))
    for way, smoothed in layers.smooth_buoyancy.items():
        if way == "horizontal":
            steps.append(smooth(smoothed, squared, water=layers.water, on=on))
        else:
            steps.append(smooth_vertically(smoothed, squared, levels=grid.extent[2], on=on))
        squared = smoothed
    return squared, steps


def _advect(surface: Surface, layers: LayerState) -> tuple[Step, ...]:
    setup = surface.setup
    if setup.turbulence_advection == "none":
        return ()
    return advect_turbulence(
        layers.turbulence,
        layers.flow,
        surface.metric,
        setup.macro_step,
        water=surface.domain.cells == WATER,
        scheme=setup.turbulence_advection,
        splitting=setup.turbulence_advection_splitting,
        model=setup.k_epsilon,
    )
