"""A velocity that is advected in steps of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from halocline.apps.ocean.numerics.sides import bounded

if TYPE_CHECKING:
    from halocline.language.grids.fields import Field


class AdvectedVelocity(NamedTuple):
    """A velocity along an axis, advected for a step.

    Attributes:
        velocity: In the end [m/s].
        before: Depth at its points before [m].
        after: In the end [m].
    """

    velocity: Field
    before: Field
    after: Field

    def gain(self, u: Any, fraction: Any, dt: Any) -> Any:
        """Return what the transport of a layer gains, in a kernel [m²/s²].

        Args:
            u: The velocity before [m/s].
            fraction: Of the layer.
            dt: The step [s].
        """
        return (self.after * self.velocity - self.before * u) * (fraction * (1.0 / dt))


def advected_velocity(transport: Field) -> AdvectedVelocity:
    """Return the fields of the velocity of a transport, of the surface or of layers."""

    def made(name: str, axes: str) -> Field:
        return transport.grid.hidden_field(
            name, dtype=transport.dtype, axes=axes, location=transport.location
        )

    return AdvectedVelocity(
        bounded(made("advected_velocity", transport.axes)),
        *(bounded(made(f"depth_{when}", "xy"), is_flow=False) for when in ("before", "after")),
    )
