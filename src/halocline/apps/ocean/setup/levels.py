"""Layers whose shares of the depth differ from column to column.

All layers are shares of a column's depth, which follow from its depth below the mean level. As the
surface rises all layers of the column grow alike, so each stays thicker than 0 in any water.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from halocline.apps.arguments import wrong
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.frozen import Frozen
from halocline.language.numbers import Range, real_array
from halocline.options import check_declared

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SLevels(Frozen):
    """Layers that are even in shallow water, and thin at surface or bed in deep water.

    Attributes:
        count: Of layers.
        zoom_bed: 0 for none; up to 4 for thin layers at the bed, too (theta_b).
        zoom_surface: 5 to 8 for thin layers at the surface (theta_s).
        even_depth: In water much shallower layers are even (h_c) [m].

    Source: Shchepetkin & McWilliams 2005, with the stretching that ROMS has since 2010.

    Example:
        >>> ocean.SLevels(20).fractions_in(4000.0)[-1] < 1 / 20
        np.True_
    """

    count: Annotated[int, Range(least=2)] = 20
    zoom_bed: Annotated[float, Range(least=0.0, most=4.0)] = 0.0
    zoom_surface: Annotated[float, Range(least=0.0, most=10.0)] = 6.0
    even_depth: Annotated[float, Range(above=0.0)] = 40.0

    def __post_init__(self) -> None:
        check_declared(self, CaseError)

    def fractions_in(self, depth: Any) -> NDArray[np.float64]:
        """Return the part of the depth that each layer takes, from the bed up (..., count).

        Args:
            depth: Of columns below the mean level, above 0 (...) [m].
        """
        s = np.linspace(-1.0, 0.0, self.count + 1)
        stretched, deep = self._stretched(s), np.asarray(depth, dtype=float)[..., np.newaxis]
        heights = (self.even_depth * s + deep * stretched) / (self.even_depth + deep)
        return np.diff(heights)

    def check_depth(self, deepest: float) -> None:
        """Accept any depth."""

    def _stretched(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return heights of faces in infinitely deep water, -1 at the bed and 0 at the surface."""
        half, bed = 0.5 * self.zoom_surface, self.zoom_bed
        stretched = -((np.sinh(half * s) / np.sinh(half) if half else s) ** 2)
        return np.expm1(bed * stretched) / -np.expm1(-bed) if bed else stretched


class ZLevels(Frozen):
    """Layers with faces at fixed depths, as far as the bed lets them.

    Where a level would lie below the bed, layers of the least thickness follow the bed. The levels
    move with the surface: each by the share of the water that lies below it.

    Attributes:
        depths: Of the faces between layers below the mean level, from the surface down [m]. The
            lowest layer reaches the bed.
        thinnest: No layer is thinner where the water is deep enough for that [m].

    Source: Adcroft & Campin 2004, with layers of a least thickness in place of levels that end.

    Example:
        >>> ocean.ZLevels((5.0, 10.0, 20.0)).fractions_in(40.0)  # from the bed up
        array([0.5  , 0.25 , 0.125, 0.125])
    """

    depths: tuple[float, ...]
    thinnest: Annotated[float, Range(above=0.0)] = 0.5

    def __post_init__(self) -> None:
        check_declared(self, CaseError)
        try:
            depths = real_array(self.depths)
        except (TypeError, ValueError):
            depths = np.empty(0)
        if depths.ndim != 1 or not depths.size or not np.isfinite(depths).all():
            raise wrong("depths", self.depths, "numbers, at least one, as (5.0, 10.0, 20.0)")
        thickness = np.diff(depths, prepend=0.0)
        thin = int(np.argmin(thickness))
        if thickness[thin] <= 0.0:
            raise CaseError(
                f"'depths' has {depths[thin]:g} m at position {thin}; expected depths that grow, "
                "from the surface down, all above 0."
            )
        if thickness[thin] < self.thinnest:
            raise CaseError(
                f"'thinnest' was given {self.thinnest:g} m, but the layer above the level at "
                f"{depths[thin]:g} m is {thickness[thin]:g} m thick; expected at most that."
            )

    @property
    def count(self) -> int:
        """The number of layers."""
        return len(self.depths) + 1

    def fractions_in(self, depth: Any) -> NDArray[np.float64]:
        """Return the part of the depth that each layer takes; see 'SLevels.fractions_in'."""
        deep = np.asarray(depth, dtype=float)[..., np.newaxis]
        thinnest = np.minimum(self.thinnest, deep / self.count)
        layers_below = np.arange(1, self.count)
        below = np.maximum(deep - np.array(self.depths[::-1]), thinnest * layers_below)
        return np.asarray(np.diff(below, prepend=0.0 * deep, append=deep) / deep)

    def check_depth(self, deepest: float) -> None:
        """Refuse layers that have no place in the deepest water.

        Raises:
            CaseError: All water is so shallow that its layers are even.
        """
        if deepest <= self.thinnest * self.count:
            raise CaseError(
                f"'thinnest' was given {self.thinnest:g} m, but {self.count} such layers fill the "
                f"deepest water, {deepest:g} m; expected below {deepest / self.count:g} m."
            )


class BlendedSigma(Frozen):
    """Even layers in shallow water; in deep water one at surface or bed keeps its thickness.

    Sigma layers with zooms are blended with even ones, so that the highest or the lowest layer is
    as thick as even layers are in water of the depth 'even_depth'.

    Attributes:
        count: Of layers.
        zoom_bed: See 'Sigma'.
        zoom_surface: See 'Sigma'.
        even_depth: In water that is not deeper layers are even [m].
        kept: Where the layer lies that keeps its thickness in deeper water.

    Source: Burchard & Petersen 1997; 'vert_cord = 3' of GETM.

    Example:
        >>> layers = ocean.BlendedSigma(10, zoom_surface=2.0, even_depth=20.0)
        >>> layers.fractions_in(50.0)[-1] * 50.0  # 20 m / 10 layers
        np.float64(2.0)
    """

    count: Annotated[int, Range(least=2)] = 20
    zoom_bed: Annotated[float, Range(least=0.0)] = 0.0
    zoom_surface: Annotated[float, Range(least=0.0)] = 0.0
    even_depth: Annotated[float, Range(above=0.0)] = 40.0
    kept: Literal["surface", "bed"] = "surface"

    def __post_init__(self) -> None:
        check_declared(self, CaseError)
        if self._zoomed[self._layer] * self.count > 1.0 - 1e-9:
            raise CaseError(
                f"'zoom_{self.kept}' was given {getattr(self, f'zoom_{self.kept}'):g}, with which "
                f"the layer at the {self.kept} is no thinner than even layers; expected a larger "
                "zoom there, or Sigma."
            )

    @property
    def _zoomed(self) -> NDArray[np.float64]:
        return Sigma(self.count, self.zoom_bed, self.zoom_surface).fractions

    @property
    def _layer(self) -> int:
        """The layer that keeps its thickness."""
        return -1 if self.kept == "surface" else 0

    @property
    def greatest_depth(self) -> float:
        """Depth in which the thinnest layer has vanished [m]."""
        even, zoomed = 1.0 / self.count, self._zoomed
        # Layers that are thinner than even ones vanish as the share of even layers falls below 0.
        thin = zoomed < even
        least = np.max(-zoomed[thin] / (even - zoomed[thin]))
        left = least * even + (1.0 - least) * zoomed[self._layer]
        # The layer that keeps its thickness never vanishes.
        return np.inf if np.isclose(left, 0.0) else float(self.even_depth * even / left)

    def fractions_in(self, depth: Any) -> NDArray[np.float64]:
        """Return the part of the depth that each layer takes; see 'SLevels.fractions_in'."""
        even, zoomed = 1.0 / self.count, self._zoomed
        deep = np.asarray(depth, dtype=float)[..., np.newaxis]
        thinner = even - zoomed[self._layer]
        share = (self.even_depth * even / deep - zoomed[self._layer]) / thinner
        share = np.minimum(share, 1.0)
        return np.asarray(share * even + (1.0 - share) * zoomed)

    def check_depth(self, deepest: float) -> None:
        """Refuse water in which a layer would vanish.

        Raises:
            CaseError: The water is too deep.
        """
        if deepest >= self.greatest_depth:
            raise CaseError(
                f"The water is {deepest:g} m deep, but from {self.greatest_depth:g} m on a layer "
                f"of {self} vanishes.",
                hint="Raise 'even_depth', or make the zooms more alike.",
            )


# How the depth of a column is divided into layers.
Layering = Sigma | BlendedSigma | SLevels | ZLevels
LayeringName = Literal["sigma", "blended", "s-levels", "z-levels"]


def make_layering(
    name: LayeringName,
    zoomed: Sigma,
    *,
    deepest: float,
    even_depth: float,
    thinnest: float,
) -> Layering:
    """Return layers by the name of their kind.

    Args:
        name: Of the kind.
        zoomed: How many there are, and how thin they are at bed and surface; z-levels are as thick
            as these layers in the deepest water.
        deepest: Depth of the deepest water [m].
        even_depth: Of 'BlendedSigma' and 'SLevels' [m].
        thinnest: Of 'ZLevels' [m].
    """
    zooms = zoomed.count, zoomed.zoom_bed, zoomed.zoom_surface
    match name:
        case "sigma":
            return zoomed
        case "blended":
            return BlendedSigma(*zooms, even_depth)
        case "s-levels":
            return SLevels(*zooms, even_depth)
        case "z-levels":
            depths = deepest * np.cumsum(zoomed.fractions[:0:-1])
            return ZLevels(tuple(map(float, depths)), thinnest)
