"""What the cases of oceans with layers have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

import halocline as hc
from halocline.apps.arguments import Needs
from halocline.apps.ocean.cases.ocean_case import OceanCase
from halocline.apps.ocean.setup.levels import LayeringName, make_layering
from halocline.apps.ocean.setup.sigma import Sigma
from halocline.errors import CaseError
from halocline.io.quantity import Integral
from halocline.language.numbers import Range

if TYPE_CHECKING:
    from halocline.apps.ocean.model import Model
    from halocline.apps.ocean.setup.domain import Domain
    from halocline.apps.ocean.setup.levels import Layering
    from halocline.apps.ocean.state.layers import LayerState
    from halocline.language.grids.fields import Field


@dataclass(frozen=True)
class LayeredCase(OceanCase):
    """Parameters of an ocean with layers.

    Attributes:
        layers: How many.

    Example:
        >>> class Pool(ocean.LayeredCase):
        ...     name, period, duration = "pool", 3600.0, 600.0
        ...     @property
        ...     def setup(self):
        ...         sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        ...         sigma = ocean.Sigma(self.layers)
        ...         return self.step_of(lambda step: ocean.Setup(sea, step, layers=sigma))
        >>> Pool(layers=5).setup.layers.count
        5
    """

    share_of_longest: ClassVar[float] = 0.61875

    layers: Annotated[int, Range(least=2)] = 20


@dataclass(frozen=True)
class LayeringCase(LayeredCase):
    """Parameters of an ocean whose layers are of a kind to choose.

    Attributes:
        layering: How layers share the depth: 'sigma' everywhere alike, 'blended' and 's-levels'
            even in shallow water, 'z-levels' at depths of their own.
        zoom_bed: 0 for layers that are all alike; 1 to 2 for thin ones at the bed.
        zoom_surface: The same at the surface; 5 to 8 for 's-levels'.
        even_depth: In water up to this depth 'blended' layers are even; in water much shallower
            's-levels' [m].
        thinnest: Thickness of 'z-levels' below which the bed ends a level [m].
    """

    needs: ClassVar[Needs] = (
        (
            "layers 'blended' or 's-levels'",
            lambda case: case.layering in ("blended", "s-levels"),
            ("even_depth",),
        ),
        ("layers 'z-levels'", lambda case: case.layering == "z-levels", ("thinnest",)),
    )

    layering: LayeringName = "sigma"
    zoom_bed: Annotated[float, Range(least=0.0)] = 0.0
    zoom_surface: Annotated[float, Range(least=0.0)] = 0.0
    even_depth: Annotated[float, Range(above=0.0)] = 40.0
    thinnest: Annotated[float, Range(above=0.0)] = 0.5

    def layering_of(self, domain: Domain) -> Layering:
        """Return the layers of the water of a domain."""
        return make_layering(
            self.layering,
            Sigma(self.layers, self.zoom_bed, self.zoom_surface),
            deepest=float(np.nanmax(domain.depth)),
            even_depth=self.even_depth,
            thinnest=self.thinnest,
        )


@dataclass(frozen=True)
class MaybeLayeredCase(LayeredCase):
    """Parameters of an ocean with layers, or without.

    Attributes:
        layers: How many, or 0 for the vertically integrated mode alone.
    """

    layers: Annotated[int, Range(least=0)] = 0

    def check(self) -> None:
        """Raise a CaseError for what cannot be computed."""
        if self.layers == 1:
            raise CaseError(
                "'layers' was given 1; expected at least 2, or 0 for the vertically integrated "
                "mode alone."
            )
        super().check()


def layers_of(model: Model) -> LayerState:
    """Return the mode of layers."""
    assert model.layers is not None
    return model.layers


def tracers_of(model: Model) -> tuple[Field, ...]:
    """Return temperature and salinity, as far as there are such."""
    return layers_of(model).tracers


def content(model: Model, tracer: Field) -> Integral:
    """Return the content of a tracer, with what stands on land, which never changes."""
    layers = layers_of(model)
    volume = layers.fraction * layers.after * model.metric.area
    return Integral(
        f"{tracer.name}_content",
        hc.sum(tracer * volume),
        unit=f"{tracer.unit} m3",
        description=f"{tracer.name} times volume",
    )
