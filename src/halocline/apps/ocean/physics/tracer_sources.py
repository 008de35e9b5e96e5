"""What changes tracers beside the flow: sources, and settling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import halocline as hc
from halocline.errors import CaseError, described
from halocline.language.expressions.operators import Operand

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.apps.ocean.physics.surface_heat import Clarity


class LayerPlace(NamedTuple):
    """Where a layer lies, and what reaches it; given to kernels by keyword.

    Attributes:
        depth: Of the water [m].
        fraction: Of a layer.
        above: Share of the depth that lies above a layer, a profile.
        sunlight: That enters the water; None for none [W/m²].
        clarity: Of the water.
    """

    depth: Any
    fraction: Any
    above: Any
    sunlight: Any
    clarity: Clarity

    def state(self) -> dict[str, Any]:
        """Return depth [m], thickness [m] and light [W/m²] by the names that sources read."""
        middle = self.depth * (self.above + 0.5 * self.fraction)
        found = {"depth": middle, "thickness": self.depth * self.fraction}
        if self.sunlight is not None:
            found["light"] = self.sunlight * self.clarity.left(middle)
        return found


class Source(NamedTuple):
    """The source of a tracer; given to kernels by keyword.

    Attributes:
        tracer: Its name.
        function: Of what it reads, which returns the change [unit/s]; None for no change.
        reads: Names of what it reads.
    """

    tracer: str
    function: Callable[..., Any] | None
    reads: tuple[str, ...]

    def rate(self, state: dict[str, Any]) -> Any:
        """Return the change of the tracer in a cell [unit/s].

        Raises:
            CaseError: The function returns no number.
        """
        if self.function is None:
            return 0.0
        rate = self.function(**{name: state[name] for name in self.reads})
        if isinstance(rate, bool) or not isinstance(rate, int | float | Operand):
            raise CaseError(
                f"The source of the tracer '{self.tracer}' returned {described(rate)}; expected "
                "the change of the tracer in a second, a number or an expression."
            )
        return rate


@hc.kernel
def react(*, tracers: Any, sources: Any, names: Any, fixed: Any, place: Any, dt: Any) -> None:
    """Change tracers by their sources, with Heun's method, which is of second order.

    Args:
        tracers: All that have sources, or are read by those.
        sources: A 'Source' of each.
        names: What 'fixed' are called in sources.
        fixed: What sources read and do not change.
        place: See 'LayerPlace'.
        dt: Macro step [s].
    """
    state = {**place.state(), "dt": dt, **dict(zip(names, fixed, strict=True))}
    before = {source.tracer: c[c.here] for source, c in zip(sources, tracers, strict=True)}
    first = {source.tracer: source.rate({**state, **before}) for source in sources}
    ahead = {name: value + dt * first[name] for name, value in before.items()}
    second = [source.rate({**state, **ahead}) for source in sources]
    for source, c, rate in zip(sources, tracers, second, strict=True):
        name = source.tracer
        if source.function is not None:
            c[c.here] = before[name] + (0.5 * dt) * (first[name] + rate)


@hc.sweep("z-")
def settle(above: Any, tracer: Any, depth: Any, *, fraction: Any, velocity: float, dt: Any) -> Any:
    """Let a tracer sink, implicitly and upstream: conservative and positive for any velocity.

    Nothing passes the bed.

    Args:
        above: What sank out of the layer above [unit m].
        tracer: Of layers.
        depth: Of the water [m].
        fraction: Of a layer.
        velocity: Downwards [m/s].
        dt: Macro step [s].
    """
    thickness = depth * fraction
    sunk = hc.where(hc.index("z") == 0, 0.0, dt * velocity)
    concentration = (thickness * tracer + above) / (thickness + sunk)
    tracer[0, 0, 0] = concentration
    return sunk * concentration
