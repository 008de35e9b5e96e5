"""Advection of turbulence: k and epsilon are advected by the flow as tracers are.

They are on the faces of layers, so their control volumes reach from the middle of a layer to
that of the next. Through their faces flows the mean of what does so in the layers, or at the faces
beside. Beyond the lowest and the highest inner face k and epsilon are as there.

Source: GETM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import halocline as hc
from halocline.apps.ocean.numerics.advection import Advection
from halocline.apps.ocean.numerics.sides import bounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from halocline.apps.ocean.numerics.advection import Splitting
    from halocline.apps.ocean.numerics.limiters import Scheme
    from halocline.apps.ocean.numerics.metric import Metric
    from halocline.apps.ocean.numerics.tracer_flow import Flow
    from halocline.apps.ocean.physics.turbulence import KEpsilon, Turbulence
    from halocline.language.grids.fields import Field
    from halocline.language.steps.steps import Step


def advect_turbulence(
    turbulence: Turbulence,
    flow: Flow,
    metric: Metric,
    dt: float,
    *,
    water: NDArray[np.bool_],
    scheme: Scheme,
    splitting: Splitting,
    model: KEpsilon,
) -> tuple[Step, ...]:
    """Return the steps that advect k and epsilon.

    Args:
        turbulence: Has them.
        flow: That of layers, as tracers see it.
        metric: Edge lengths of cells.
        dt: Step [s].
        water: Of which columns k and epsilon are stepped, (cells along x, along y).
        scheme: Of the advection.
        splitting: How they are split along x, y and z.
        model: Has their least values, to which they are raised where a scheme falls below.
    """
    grid, levels = turbulence.tke.grid, turbulence.tke.grid.extent[2]
    is_inner = np.isin(np.arange(levels + 1), np.arange(1, levels))
    is_stepped = water[..., np.newaxis] & is_inner

    def mask(name: str, values: NDArray[np.bool_], axes: str = "xyz") -> Field:
        made = grid.field(name, dtype="bool", axes=axes, location="z_face")
        made.set(values)
        return bounded(made, is_flow=False)

    stepped = mask("turbulence_stepped", is_stepped)
    advection = Advection(
        flow._replace(around="z", inner=mask("inner_faces", is_inner, "z")),
        metric,
        dt,
        scheme=scheme,
        on=stepped,
        kept=mask("turbulence_kept", ~is_stepped),
    )
    tke, eps = turbulence.tke, turbulence.eps
    least = {"least_tke": model.least_tke, "least_eps": model.least_eps}
    return (
        *getattr(advection, splitting)(tke, eps),
        keep_above_least(tke, eps, **least, on=stepped),
    )


@hc.kernel
def keep_above_least(tke: Any, eps: Any, *, least_tke: float, least_eps: float) -> None:
    """Raise k and epsilon to their least values, below which a scheme may bring them.

    Args:
        tke: k [m2 s-2].
        eps: epsilon [m2 s-3].
        least_tke: [m2 s-2].
        least_eps: [m2 s-3].
    """
    tke[...] = hc.maximum(tke, least_tke)
    eps[...] = hc.maximum(eps, least_eps)
