"""How far flows are stable and accurate, as measured."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from halocline.frozen import Frozen


class Limits(Frozen):
    """The largest Reynolds numbers of one cell at which a collision was stable.

    Measured at several speeds and numbers of cells (docs/validation.md, "Stability").

    Attributes:
        corners: In every lid-driven cavity tried, where the velocity jumps.
        safe: In every cavity and every double shear layer.
        largest: In at least one of them.
        open_sides: Behind a cylinder between an inflow and an outflow.
    """

    corners: float
    safe: float
    largest: float
    open_sides: float


LIMITS: Mapping[str, Limits] = {
    "bgk": Limits(14.0, 14.0, 150.0, 2.0),
    "trt": Limits(20.0, 20.0, 48.0, 12.0),
    "central": Limits(12.0, 12.0, 48.0, 5.0),
    "mrt": Limits(48.0, 48.0, inf, 5.0),
    "regularised": Limits(17.0, 17.0, inf, 6.0),
    "cumulant": Limits(48.0, 48.0, inf, 48.0),
}
# The same with Smagorinsky's constant of at least 0.1.
LIMITS_WITH_SMAGORINSKY: Mapping[str, Limits] = {
    "bgk": Limits(17.0, 17.0, inf, 2.0),
    "trt": Limits(48.0, 48.0, inf, 20.0),
    "central": Limits(20.0, 20.0, inf, 10.0),
    "mrt": Limits(inf, inf, inf, 10.0),
    "regularised": Limits(57.0, 57.0, inf, 20.0),
    "cumulant": Limits(inf, inf, inf, inf),
}
MIN_SMAGORINSKY_CONSTANT = 0.1
LARGEST_SPEED = 0.2
# The largest omega at which noise along an outflow dies with BGK.
BGK_OUTFLOW = 1.8
# The largest Reynolds number of a cell at which it dies with 'central' on D3Q19, at 0.05 cells a
# step: at 8 it died, at 10 it grew slowly, at 12.5 e-fold in 180 steps. On D3Q27 it died at 30.
CENTRAL_ON_D3Q19 = 10.0
# Errors of compressibility are a few per cent here.
MAX_ACCURATE_SPEED = 0.1
# The relaxation time up to which TRT was unstable where a flow leaves finer cells.
TRT_ON_LEVELS = 0.514
# At larger relaxation times errors are as large as the solution.
MAX_RELAXATION_TIME = 2.0
