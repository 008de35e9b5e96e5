"""What turbulence mixes: viscosity and diffusivity on the faces of layers.

The k-epsilon model, with stability functions, advances the kinetic energy of turbulence and its
dissipation in each column. A constant viscosity needs no steps: 'turbulence.viscosity.set(1e-2)'.

Face k is the lower one of layer k; face 0 is the bed, the last one the surface.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.apps.ocean.numerics.sides import bounded
from halocline.apps.ocean.numerics.vertical import Layers, eliminate
from halocline.apps.ocean.physics.constants import GRAVITY
from halocline.apps.ocean.physics.drag import KARMAN
from halocline.apps.ocean.physics.stability import CANUTO_A, Closure
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call


class Turbulence(NamedTuple):
    """What is known of turbulence, on the faces of layers; given to kernels by keyword.

    At the bed and the surface all four stay as they are set: no equation needs them there.

    Attributes:
        tke: Kinetic energy of turbulence, k [m2 s-2].
        eps: Its dissipation [m2 s-3].
        viscosity: What mixes momentum [m2 s-1].
        diffusivity: What mixes tracers [m2 s-1].
    """

    tke: Any
    eps: Any
    viscosity: Any
    diffusivity: Any


class KEpsilon(Frozen):
    """Constants of the k-epsilon model.

    Attributes:
        closure: Stability functions.
        production: c_eps1.
        dissipation: c_eps2.
        richardson: At which stable water keeps its turbulence, Ri_st; gives c_eps3.
        schmidt: sigma_eps; None for that with which the logarithmic layer is a solution.
        galperin: Bound of l N / sqrt(2 k) in stable water; None for none.
        least_tke: [m2 s-2].
        least_eps: [m2 s-3].

    Source: Umlauf & Burchard 2005; Galperin et al. 1988.

    Example:
        >>> turbulence = ocean.KEpsilon()
    """

    closure: Closure = CANUTO_A
    production: float = 1.44
    dissipation: float = 1.92
    richardson: float = 0.25
    schmidt: float | None = None
    galperin: float | None = 0.53
    least_tke: float = 1e-10
    least_eps: float = 1e-14

    @property
    def schmidt_number(self) -> float:
        """sigma_eps."""
        if self.schmidt is not None:
            return self.schmidt
        return KARMAN**2 / ((self.dissipation - self.production) * self.closure.c_mu0**2)

    @property
    def buoyancy_if_stable(self) -> float:
        """c_eps3 where water is stable; it is 1 elsewhere."""
        return self.closure.buoyancy_weight(self.richardson, self.production, self.dissipation)


def make_turbulence(grid: Grid, dtype: str = "float64") -> Turbulence:
    """Return fields of turbulence: hardly any, which mixes nothing yet."""

    def on_faces(name: str, unit: str, value: float) -> Field:
        field = grid.field(name, dtype=dtype, location="z_face", unit=unit)
        field.set(value)
        return bounded(field, is_flow=False)

    return Turbulence(
        on_faces("tke", "m2 s-2", 1e-6),
        on_faces("eps", "m2 s-3", 1e-9),
        on_faces("viscosity", "m2 s-1", 0.0),
        on_faces("diffusivity", "m2 s-1", 0.0),
    )


@hc.kernel
def find_buoyancy(buoyancy_squared: Any, density: Any, *, layers: Any, reference: float) -> None:
    """Find N² between layers: how fast what is moved up or down would swing back [s-2].

    To be called 'on' the inner faces. The density may be an anomaly [kg m-3].
    """
    rise = hc.at(density, z=-1) - density
    buoyancy_squared[0, 0, 0] = (GRAVITY / reference) * rise / layers.distance


@hc.kernel
def smooth_vertically(smoothed: Any, value: Any, *, levels: int) -> None:
    """Average a value over a face and its two neighbours: half of it, a quarter of each.

    To be called 'on' the inner faces, of which the lowest and the highest keep their values.

    Source: GETM.
    """
    level = hc.index("z")
    has_neighbours = (level > 1) & (level < levels - 1)
    mean = 0.5 * value + 0.25 * (hc.at(value, z=-1) + hc.at(value, z=1))
    smoothed[0, 0, 0] = hc.where(has_neighbours, mean, value)


@hc.kernel
def smooth(smoothed: Any, value: Any, *, water: Any) -> None:
    """Average a value over a cell and its four neighbours: a third here, a sixth of each.

    To be called 'on' the inner faces. Land counts as the cell itself. 'water' is where there is
    none.

    Source: GETM.
    """

    def beside(**offset: int) -> Any:
        return hc.where(hc.at(water, **offset), hc.at(value, **offset), value)

    around = (beside(x=-1) + beside(x=1)) + (beside(y=-1) + beside(y=1))
    smoothed[0, 0, 0] = (1.0 / 3.0) * value + (1.0 / 6.0) * around


@hc.kernel
def find_shear(shear_squared: Any, *, east: Any, north: Any, at_u: Any, at_v: Any) -> None:
    """Find M² between layers: that of both velocities, squared where they are [s-2].

    To be called 'on' the inner faces. 'east' and 'north' are the transports of layers [m2 s-1],
    'at_u' and 'at_v' the layers there.
    """

    def squared(transport: Any, layers: Layers) -> Any:
        flow = transport * (1.0 / layers.fraction)  # velocity times depth
        slope = (flow - hc.at(flow, z=-1)) / (layers.distance * layers.depth)
        return slope * slope

    along_x, along_y = squared(east, at_u), squared(north, at_v)
    shear_squared[0, 0, 0] = 0.5 * (
        (along_x + hc.at(along_x, x=1)) + (along_y + hc.at(along_y, y=1))
    )


def inner_faces(grid: Grid) -> hc.Box:
    """Return the faces that have a layer on both sides."""
    nx, ny, levels = grid.extent
    return hc.Box((0, 0, 1), (nx, ny, levels))


def k_epsilon(
    turbulence: Turbulence,
    shear_squared: Field,
    buoyancy_squared: Field,
    layers: Layers,
    *,
    dt: Any,
    bed_roughness: Any,
    surface_roughness: Any,
    model: KEpsilon | None = None,
) -> tuple[Call, ...]:
    """Return steps that advance k and epsilon, and with them what turbulence mixes.

    Args:
        turbulence: What is advanced.
        shear_squared: M², on the faces of layers [s-2].
        buoyancy_squared: N² [s-2].
        layers: Of cells.
        dt: The step [s].
        bed_roughness: Length z0 of the bed, a surface field or a number [m].
        surface_roughness: And of the surface [m].
        model: Constants, if others than usual.

    Source: Umlauf & Burchard 2005; Burchard & Petersen 1999 for the steps in time.
    """
    model = model or KEpsilon()
    grid = turbulence.tke.grid
    ratios = tuple(
        grid.hidden_field(f"{of.name}_ratio", dtype=of.dtype, axes="xyz", location="z_face")
        for of in (turbulence.tke, turbulence.eps)
    )
    up = _eliminate_k_epsilon(
        shear_squared,
        buoyancy_squared,
        turbulence=turbulence,
        ratios=ratios,
        layers=layers,
        dt=dt,
        roughness=(bed_roughness, surface_roughness),
        model=model,
        last=grid.extent[2] - 1,
        start=(0.0,) * 4,
        on=inner_faces(grid),
    )
    down = _substitute_k_epsilon(
        shear_squared,
        buoyancy_squared,
        turbulence=turbulence,
        ratios=ratios,
        model=model,
        start=(0.0, 0.0),
        on=inner_faces(grid),
    )
    return *up, *down


@hc.sweep("z+")
def _eliminate_k_epsilon(
    below: Any,
    shear_squared: Any,
    buoyancy_squared: Any,
    *,
    turbulence: Any,
    ratios: Any,
    layers: Any,
    dt: Any,
    roughness: Any,
    model: Any,
    last: int,
) -> Any:
    k, eps, viscosity, diffusivity = turbulence
    shear, buoyancy = viscosity * shear_squared, -diffusivity * buoyancy_squared
    weight = hc.where(buoyancy > 0.0, 1.0, model.buoyancy_if_stable)
    per_k = 1.0 / k
    gain, loss = _gain_and_loss(shear, buoyancy, eps)
    eps_gain, eps_loss = _gain_and_loss(
        model.production * shear, weight * buoyancy, model.dissipation * eps
    )
    # What k and epsilon fill reaches from the middle of a layer to that of the next.
    size, mean_viscosity = layers.distance, 0.5 * (viscosity + hc.at(viscosity, z=1))
    flows = hc.where(hc.index("z") < last, dt * mean_viscosity / layers.thickness, 0.0)
    ratio, (rest,), handed = eliminate(
        below[:2],
        inertia=size * (1.0 + dt * loss * per_k),
        conductance=flows,
        right=[size * (k + dt * gain)],
    )
    entering = _from_ends(k, layers, roughness, model, last)
    eps_ratio, (eps_rest,), eps_handed = eliminate(
        below[2:],
        inertia=size * (1.0 + dt * eps_loss * per_k),
        conductance=flows * (1.0 / model.schmidt_number),
        right=[size * (eps + dt * eps_gain * eps * per_k) + dt * entering],
    )
    k[0, 0, 0], eps[0, 0, 0] = rest, eps_rest
    ratios[0][0, 0, 0], ratios[1][0, 0, 0] = ratio, eps_ratio
    return *handed, *eps_handed


@hc.sweep("z-")
def _substitute_k_epsilon(
    above: Any,
    shear_squared: Any,
    buoyancy_squared: Any,
    *,
    turbulence: Any,
    ratios: Any,
    model: Any,
) -> Any:
    solved_k = turbulence.tke + ratios[0] * above[0]
    solved_eps = turbulence.eps + ratios[1] * above[1]
    k = hc.maximum(solved_k, model.least_tke)
    eps = hc.maximum(solved_eps, model.least_eps)
    if model.galperin is not None:
        # Stable water bounds the size of eddies.
        bound = model.closure.c_mu0**3 / (sqrt(2.0) * model.galperin)
        eps = hc.maximum(eps, bound * k * hc.sqrt(hc.maximum(buoyancy_squared, 0.0)))
    time = k / eps
    momentum, tracers = model.closure.mixing(
        *model.closure.limited(time * time * shear_squared, time * time * buoyancy_squared)
    )
    turbulence.tke[0, 0, 0], turbulence.eps[0, 0, 0] = k, eps
    turbulence.viscosity[0, 0, 0] = momentum * (k * time)
    turbulence.diffusivity[0, 0, 0] = tracers * (k * time)
    return solved_k, solved_eps


def _gain_and_loss(production: Any, buoyancy: Any, dissipation: Any) -> tuple[Any, Any]:
    """Return what is added and what is taken in proportion to what is there: both positive."""
    adds = production + buoyancy > 0.0
    gain = production + hc.where(adds, buoyancy, 0.0)
    return gain, dissipation - hc.where(adds, 0.0, buoyancy)


def _from_ends(k: Any, layers: Any, roughness: Any, model: Any, last: int) -> Any:
    """Return the dissipation from the logarithmic layers at the ends, by k as it was."""
    level = hc.index("z")
    thickness_below = hc.at(layers.thickness, z=-1)
    factor = model.closure.c_mu0**4 / model.schmidt_number
    lowest = factor * k * k / (0.5 * thickness_below + roughness[0])
    highest = factor * k * k / (0.5 * layers.thickness + roughness[1])
    return hc.where(level == 1, lowest, 0.0) + hc.where(level == last, highest, 0.0)
