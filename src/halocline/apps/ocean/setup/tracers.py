"""Passive tracers: what the water carries and mixes, beside temperature and salinity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from halocline.apps.arguments import wrong
from halocline.apps.ocean.setup.arguments import in_cells
from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.language.numbers import Range, real_array
from halocline.language.series.series import Series
from halocline.options import check_declared

if TYPE_CHECKING:
    from halocline.apps.ocean.setup.domain import Domain

# What sources may read beside tracers, and what each needs of an ocean.
STATE = {
    "temperature": "a temperature",
    "salinity": "a salinity",
    "light": "sunlight",
    "depth": "",
    "thickness": "",
    "dt": "",
}
# What files call other things.
_IN_FILES = ("x", "y", "z", "step", "time", "zeta", "u", "v", "layer_eastward", "layer_northward")


class Tracer(Frozen, eq=False):
    """A passive tracer: advected, mixed and brought in through open boundaries as temperature is.

    Below, (nx, ny) are the cells of the domain. A flux is a number, an array (nx, ny), or an
    'hc.Series' of either.

    Attributes:
        name: Name in sources and files.
        initial: Concentration at the beginning, at least 0: a number, an array of cells, or a
            function of x, y and the height over the mean level [unit].
        unit: Unit of the concentration, as CF conventions write it.
        description: One phrase, the 'long_name' in files; '' for the name.
        source: Change of the concentration by all but the flow [unit/s], a function of the state
            of a cell. Its arguments are named after what it reads: tracers, 'temperature' [degC],
            'salinity' [1e-3], 'dt' of the macro step [s], 'thickness' of the layer [m]. In the
            middle of the layer it has 'light' [W/m²] and 'depth' below the surface [m]. None for
            no source.
        sea: Concentration in the sea beyond open boundaries, as 'sea_temperature' of a Setup; None
            for that of the open cells at the beginning.
        settling: Velocity at which the tracer sinks; nothing settles into the bed [m/s].
        surface_flux: Flux through the surface into the water; None for none [unit m/s].
        bed_flux: Flux from the bed into the water; None for none [unit m/s].

    Raises:
        CaseError: A value is of another type, or not in its range. The message names it.

    Source: Heun's method steps the sources: of second order, positive for linear decay, and sums
        that the sources conserve are conserved to round-off.

    Example:
        >>> dye = ocean.Tracer("dye", 1.0, "kg m-3", source=lambda dye: -1e-5 * dye)
        >>> sea = ocean.Domain(np.full((8, 6), 20.0), spacing=(1e3, 1e3))
        >>> setup = ocean.Setup(sea, micro_step=20.0, layers=ocean.Sigma(5), tracers=(dye,))
        >>> ocean.make_model(setup).tracers["dye"]
        Field('tracer_dye', float64, components=1)
    """

    name: str
    initial: Any = 0.0
    unit: str = "1"
    description: str = ""
    source: Callable[..., Any] | None = None
    sea: Any = None
    settling: Annotated[float, Range(least=0.0)] = 0.0
    surface_flux: Any = None
    bed_flux: Any = None

    def __post_init__(self) -> None:
        for key in ("name", "unit", "description"):
            if not isinstance(getattr(self, key), str):
                raise wrong(key, getattr(self, key), "text")
        if not self.name.isidentifier():
            raise wrong("name", self.name, "letters, digits and '_', as of a variable in Python")
        check_declared(self, CaseError)
        if self.source is not None:
            _check_signature(self.name, self.source)

    @property
    def reads(self) -> tuple[str, ...]:
        """What its source reads, by name."""
        return () if self.source is None else tuple(signature(self.source).parameters)

    def check(self, domain: Domain, layers: int) -> None:
        """Raise for values that the cells of a domain cannot have.

        Raises:
            CaseError: They are no numbers, not one for each cell, missing, or negative.
        """
        if not callable(self.initial):
            check_concentration(self.name, self.initial, domain, layers)
        for key in ("surface_flux", "bed_flux"):
            value = getattr(self, key)
            if value is not None and not isinstance(value, Series):
                in_cells(f"{key} of the tracer '{self.name}'", value, domain.is_wet)


def check_concentration(name: str, given: Any, domain: Domain, layers: int) -> None:
    """Refuse concentrations that are no finite numbers of at least 0 in water.

    Args:
        name: Of the tracer.
        given: A number, or an array of cells of the surface or of layers.
        domain: Whose cells they are.
        layers: How many there are.

    Raises:
        CaseError: They are something else.
    """
    what = f"initial of the tracer '{name}'"
    whole = (*domain.extent, layers)
    expected = f"a number of at least 0, an array {whole} of such, or a function of x, y and height"
    try:
        values = real_array(given)
    except (TypeError, ValueError):
        raise wrong(what, given, expected) from None
    if values.shape not in ((), whole):
        raise wrong(what, given, expected)
    in_water = values[domain.is_wet] if values.ndim else values
    if not np.isfinite(in_water).all():
        raise wrong(what, given, f"{expected}, finite in water")
    if in_water.min() < 0.0:
        raise CaseError(
            f"'{what}' is {in_water.min():g} in water; expected concentrations of at least 0."
        )


def check_tracers(tracers: Sequence[Tracer], has: Iterable[str]) -> None:
    """Refuse tracers that share a name, or whose sources read what there is not.

    Args:
        tracers: All of an ocean.
        has: What it has of 'STATE'.

    Raises:
        CaseError: There is such a tracer.
    """
    names = [tracer.name for tracer in tracers]
    for name, count in Counter(names).items():
        if name in STATE or name in _IN_FILES or count > 1:
            taken = f"{count} tracers have" if count > 1 else "a tracer has"
            raise CaseError(
                f"In 'tracers' {taken} the name '{name}'; expected a name that nothing else has.",
                hint=f"Choose another name, as '{name}_2'.",
            )
    known = {*names, *has}
    for tracer in tracers:
        for name in tracer.reads:
            if name in known:
                continue
            if name in STATE:
                raise CaseError(
                    f"The source of the tracer '{tracer.name}' reads '{name}', which an ocean "
                    f"without {STATE[name]} does not have.",
                    hint=f"Give {STATE[name]}, or do not read '{name}'.",
                )
            raise CaseError(
                f"The source of the tracer '{tracer.name}' reads '{name}'; expected names of "
                "tracers and of the state of a cell.",
                hint=nearest(name, sorted(known)),
            )


def _check_signature(name: str, source: Any) -> None:
    """Refuse what is no function whose arguments have names."""
    expected = "a function whose arguments are named after what it reads"
    try:
        parameters = signature(source).parameters.values()
    except (TypeError, ValueError):
        raise wrong(f"source of the tracer '{name}'", source, expected) from None
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    if any(parameter.kind not in named for parameter in parameters):
        raise wrong(f"source of the tracer '{name}'", source, f"{expected}, without '*' and '/'")
