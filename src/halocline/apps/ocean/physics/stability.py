"""Stability functions: how shear and stratification change what turbulence mixes.

The second-moment closure of Canuto et al. (2001), model A, in weak equilibrium, as Umlauf &
Burchard (2005) write it. Shear and stratification count in units of the turbulence:
alpha_M = (k / eps)² M² and alpha_N = (k / eps)² N².
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import halocline as hc
from halocline.frozen import Frozen


class Closure(Frozen):
    """Stability functions as ratios of polynomials, and what follows from them.

    Momentum is mixed by n(alpha) k² / eps, tracers by m(alpha) k² / eps, with
    n = (n0 + n1 alpha_N + n2 alpha_M) / D, m = (m0 + m1 alpha_N + m2 alpha_M) / D and
    D = 1 + d1 alpha_N + d2 alpha_M + d3 alpha_N alpha_M + d4 alpha_N² + d5 alpha_M²;
    c_mu and c_mu' are n and m divided by c_mu0³.

    Attributes:
        n: Coefficients for momentum.
        m: Coefficients for tracers.
        d: Coefficients of what both are divided by, from d1.
        most_unstable: The smallest alpha_N for which the closure has an equilibrium.
    """

    n: tuple[float, float, float]
    m: tuple[float, float, float]
    d: tuple[float, float, float, float, float]
    most_unstable: float

    def limited(self, shear: Any, stratification: Any) -> tuple[Any, Any]:
        """Return alpha_M and alpha_N where more of them still mixes more.

        Args:
            shear: alpha_M.
            stratification: alpha_N.

        Source: Umlauf & Burchard 2005.
        """
        (n0, n1, _), (d1, d2, d3, d4, _) = self.n, self.d
        a = hc.maximum(stratification, 0.5 * self.most_unstable)
        most = (n0 + a * (n1 + d1 * n0 + a * (d1 * n1 + d4 * n0 + a * (d4 * n1)))) / (
            d2 * n0 + a * (d2 * n1 + d3 * n0 + a * (d3 * n1))
        )
        return hc.minimum(shear, most), a

    def mixing(self, shear: Any, stratification: Any) -> tuple[Any, Any]:
        """Return n and m, the viscosity and the diffusivity in units of k² / eps.

        Args:
            shear: alpha_M.
            stratification: alpha_N.
        """
        (n0, n1, n2), (m0, m1, m2), (d1, d2, d3, d4, d5) = self.n, self.m, self.d
        x, a = shear, stratification
        share = 1.0 / (1.0 + a * (d1 + d3 * x + d4 * a) + x * (d2 + d5 * x))
        return (n0 + n1 * a + n2 * x) * share, (m0 + m1 * a + m2 * x) * share

    def equilibrium(self, richardson: float) -> float:
        """Return alpha_M of turbulence that neither grows nor decays: P + G = eps.

        Args:
            richardson: alpha_N / alpha_M = N² / M².
        """
        (n0, n1, n2), (m0, m1, m2), (d1, d2, d3, d4, d5) = self.n, self.m, self.d
        r = richardson
        # alpha_M (n - r m) = 1 is a quadratic equation once multiplied by D.
        square = n2 + n1 * r - r * (m2 + m1 * r) - (d5 + d3 * r + d4 * r * r)
        linear = n0 - r * m0 - d2 - d1 * r
        return 2.0 / (linear + sqrt(linear * linear + 4.0 * square))

    @property
    def c_mu0(self) -> float:
        """c_mu of the logarithmic layer: in equilibrium, not stratified."""
        return 1.0 / sqrt(sqrt(self.equilibrium(0.0)))

    def buoyancy_weight(self, richardson: float, production: float, dissipation: float) -> float:
        """Return c_eps3 for stable water in which turbulence is steady at one Richardson number.

        Args:
            richardson: That number, Ri_st.
            production: c_eps1.
            dissipation: c_eps2.

        Source: Burchard & Baumert 1995; Umlauf & Burchard 2005.
        """
        shear = self.equilibrium(richardson)
        n, m = self.mixing(shear, richardson * shear)
        weight: float = dissipation + (production - dissipation) / richardson * n / m
        return weight


def closure_of(c: tuple[float, ...], t: tuple[float, ...], ratio: float) -> Closure:
    """Return the stability functions in weak equilibrium of a second-moment closure.

    Args:
        c: Coefficients of the pressure-strain correlation, c1 to c6.
        t: Of the correlation of pressure and the gradient of tracers, ct1 to ct5.
        ratio: Of the time scales of tracers and momentum, ctt.

    Source: Umlauf & Burchard 2005, section 3.
    """
    f, g = 0.5 * c[0], t[0]
    a1, a2, a3, a5 = 2.0 / 3.0 - 0.5 * c[1], 1.0 - 0.5 * c[2], 1.0 - 0.5 * c[3], 0.5 - 0.5 * c[5]
    b1, b2, b3, b5 = 1.0 - t[1], 1.0 - t[2], 2.0 - 2.0 * t[3], 2.0 * ratio * (1.0 - t[4])
    s, b = a2 * a2 - 3.0 * a3 * a3, a5 * b3
    per = 1.0 / (36.0 * f**3 * g**2)
    n = (
        per * 36.0 * a1 * f * f * g * g,
        per
        * (
            -12.0 * b * (b1 + b2) * f * f
            + 8.0 * b * (6.0 * a1 - a2 - 3.0 * a3) * f * g
            + 36.0 * a1 * b5 * f * f * g
        ),
        per * 9.0 * a1 * (b2 * b2 - b1 * b1) * f * f,
    )
    m = (
        per * 12.0 * b3 * f**3 * g,
        per * 12.0 * b * b3 * f * f,
        per * b3 * (9.0 * a1 * (b1 - b2) * f * f + (6.0 * a1 * (a2 - 3.0 * a3) - 4.0 * s) * f * g),
    )
    d = (
        per * (84.0 * b * f * f * g + 36.0 * b5 * f**3 * g),
        per * (9.0 * (b2 * b2 - b1 * b1) * f**3 - 12.0 * s * f * g * g),
        per
        * (
            12.0 * b * (a2 * b1 - 3.0 * a3 * b2) * f
            + 12.0 * b * (a3 * a3 - a2 * a2) * g
            - 12.0 * b5 * s * f * g
        ),
        per * (48.0 * b * b * f + 36.0 * b * b5 * f * f),
        per * 3.0 * s * (b1 * b1 - b2 * b2) * f,
    )
    linear, square = d[0] + m[0], d[3] + m[1]
    most_unstable = (sqrt(linear * linear - 4.0 * square) - linear) / (2.0 * square)
    return Closure(n, m, d, most_unstable)


# Canuto et al. (2001), models A and B; Cheng et al. (2002).
CANUTO_A = closure_of((5.0, 0.8, 1.968, 1.136, 0.0, 0.4), (5.95, 0.6, 1.0, 0.0, 0.3333), ratio=0.72)
CANUTO_B = closure_of(
    (5.0, 0.6983, 1.9664, 1.094, 0.0, 0.495), (5.6, 0.6, 1.0, 0.0, 0.3333), ratio=0.477
)
CHENG = closure_of(
    (5.0, 0.7983, 1.968, 1.136, 0.0, 0.5), (5.52, 0.2134, 0.357, 0.0, 0.3333), ratio=0.82
)
