"""Layers at sides that absorb waves: sponges, and perfectly matched layers.

A perfectly matched layer stretches the coordinate across its side into the complex plane, so that
waves of any angle enter without reflection and die away. The convolutional form adds a memory m to
each derivative in the layer, m = b m + a du/dx in each step: Roden and Gedney, Microwave and
Optical Technology Letters 27 (2000) 334-339; its profiles are those of Komatitsch and Martin,
Geophysics 72 (2007) SM155-SM167, without their stretching of the real coordinate (kappa = 1).
"""

from __future__ import annotations

from math import isfinite, log, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import force_setattr

from halocline.errors import GridError, described
from halocline.frozen import Frozen
from halocline.geometry import AXES, Box
from halocline.language.differences.derivatives import d
from halocline.language.expressions.expr import Derivative
from halocline.language.expressions.operators import Value
from halocline.language.grids.fields import Field
from halocline.language.grids.sides import mirror_at_walls, parse_side
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place
from halocline.language.spaces.location import Location
from halocline.language.steps.trace import recorded
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Call

_ORDER = 2


def sponge(
    target: Field, sides: Sequence[str], *, width: int, strength: float, rest: float = 0.0
) -> tuple[Call, ...]:
    """Return the step that draws a field towards its state of rest in layers at some sides.

    In each step the difference from rest is multiplied by exp(-strength * s²), where s grows from 0
    at the inner edge of a layer to 1 at the side.

    Args:
        target: The field.
        sides: 'x-', …
        width: Of the layers [cells].
        strength: Greater than 0.
        rest: The value far away.

    Raises:
        GridError: There is no such side, or the layers are wider than the grid.

    Example:
        >>> T = hc.Grid((64, 64)).field("T")
        >>> steps = hc.sponge(T, ("x-", "x+"), width=8, strength=0.05)
    """
    if not isinstance(target, Field):
        raise GridError(
            f"'hc.sponge' was given {described(target)}; expected a field.", place=user_place()
        )
    _checked_sides("hc.sponge", target.grid, sides, width)
    _positive("hc.sponge", "strength", strength)

    def body(value: Any, profile: Any) -> None:
        for component in value:
            old = component[value.here]
            new = profile[(0,)] * old
            component[value.here] = new if rest == 0.0 else new + (1.0 - profile[(0,)]) * rest

    calls = []
    for side in sides:
        axis, sign = parse_side(target.dimensions, side)
        on_faces = target.location.is_on_faces(axis)
        number = f"{strength!r}_{width}".replace(".", "p").replace("-", "m").replace("+", "")
        profile = target.grid.hidden_field(
            f"sponge_{number}_{side[0]}{'low' if sign < 0 else 'high'}",
            dtype="float32" if target.dtype in ("float32", "float16") else "float64",
            axes=AXES[axis],
            location=Location.on_faces([axis] * on_faces),
        )
        depth = _depth(target.grid, side, width, on_faces=on_faces)
        profile.set(np.exp(-strength * depth**2)[: profile.space.shape[0]])
        inside = target.space.flat(target.space.domain)
        n = inside.upper[axis]
        ends = (0, width) if sign < 0 else (n - width, n)
        lower, upper = list(inside.lower), list(inside.upper)
        lower[axis], upper[axis] = ends
        on = Box(tuple(lower), tuple(upper))
        fields = {"value": target, "profile": profile}
        calls.append(recorded("sponge", user_place(), fields, body, {}, on=on))
    return tuple(calls)


class PML(Frozen, eq=False, dict=True):
    """Perfectly matched layers at sides of a grid, for first-order systems of waves.

    In kernels write 'pml.d(u, "x")' for 'hc.d(u, "x")'. Each such derivative has a memory, a field
    of all cells that checkpoints keep.

    Args:
        grid: The grid.
        speed: Of the fastest waves [length unit / time unit].
        dt: Time from one update to the next [time unit].
        width: Of the layers [cells].
        sides: Which; None for all where the grid does not close.
        reflection: How much of a wave that falls straight onto a layer is to come back, in theory.
        frequency: Of the waves [1 / time unit]: below it layers absorb at grazing incidence, too.

    Raises:
        GridError: There is no such side, or a number is not as described.

    Example:
        >>> pml = hc.PML(hc.Grid((64, 64)), speed=1.0, dt=0.5, width=8)
    """

    grid: Grid
    speed: float
    dt: float
    width: int = 10
    sides: Sequence[str] | None = None
    reflection: float = 1e-6
    frequency: float = 0.0

    def __post_init__(self) -> None:
        if not hasattr(self.grid, "periodic"):
            raise GridError(
                f"'hc.PML' was given {described(self.grid)}; expected a grid.", place=user_place()
            )
        if self.sides is None:
            force_setattr(self, "sides", self.grid.sides)
        assert self.sides is not None
        _checked_sides("hc.PML", self.grid, self.sides, self.width)
        for name in ("speed", "dt", "reflection"):
            _positive("hc.PML", name, getattr(self, name))
        if self.reflection >= 1:
            raise GridError(
                f"'hc.PML' was given reflection = {self.reflection}; expected a number below 1: "
                "the share of a wave's amplitude that comes back.",
                place=user_place(),
            )
        if self.frequency != 0:
            _positive("hc.PML", "frequency", self.frequency)

    def d(self, u: Any, axis: str, accuracy: int = 2) -> Value:
        """Return the first derivative along an axis, damped in the layers; see 'hc.d'."""
        node = d(u, axis, accuracy=accuracy).expression()
        assert isinstance(node, Derivative)
        assert self.sides is not None
        if not any(side[0] == axis for side in self.sides):
            return Value(node)
        return Value(Derivative(node.operand, node.terms, node.accuracy, self))

    @memoised
    def profile(self, axis: int, *, is_on_faces: bool, dtype: str) -> Field:
        """Return b and a of the memory along an axis, as the components of a hidden field."""
        assert self.sides is not None
        faces = self.grid.faces(axis)
        n = self.grid.extent[axis]
        sigma, alpha = np.zeros(n + 1), np.zeros(n + 1)
        for side in self.sides:
            if side[0] == AXES[axis]:
                depth = _depth(self.grid, side, self.width, on_faces=is_on_faces)
                across = faces[self.width] - faces[0]
                if side[1] == "+":
                    across = faces[-1] - faces[-1 - self.width]
                most = -(_ORDER + 1) * self.speed * log(self.reflection) / (2.0 * across)
                sigma += most * depth**_ORDER
                alpha += np.where(depth > 0, pi * self.frequency * (1.0 - depth), 0.0)
        b = np.exp(-(sigma + alpha) * self.dt)
        total = np.where(sigma > 0, sigma + alpha, 1.0)
        result: Field = self.grid.hidden_field(
            f"pml_{len(self.grid.fields)}",
            dtype=dtype,
            axes=AXES[axis],
            location=Location.on_faces([axis] * is_on_faces),
            components=2,
        )
        result.set(np.stack([b, sigma * (b - 1.0) / total])[:, : result.space.shape[0]])
        mirror_at_walls(result)
        return result


def _depth(grid: Grid, side: str, width: int, *, on_faces: bool) -> NDArray[np.float64]:
    """Return how deep in a layer each place along an axis is: 0 at its inner edge, 1 at the side.

    There is one more place than there are cells, as of faces.
    """
    axis, sign = parse_side(grid.dimensions, side)
    faces = grid.faces(axis)
    at = faces if on_faces else np.append(0.5 * (faces[:-1] + faces[1:]), faces[-1])
    end, edge = (faces[0], faces[width]) if sign < 0 else (faces[-1], faces[-1 - width])
    depth: NDArray[np.float64] = np.clip((at - edge) / (end - edge), 0.0, None)
    return depth


def _checked_sides(what: str, grid: Grid, sides: Any, width: Any) -> None:
    width = whole_number(f"'width' of '{what}'", width, Range(least=1))
    if isinstance(sides, str) or not np.iterable(sides):
        raise GridError(
            f"'{what}' was given the sides {described(sides)}; expected names as ('x-', 'x+').",
            place=user_place(),
        )
    for side in sides:
        axis, _ = parse_side(grid.dimensions, side)
        if list(sides).count(side) > 1:
            raise GridError(
                f"'{what}' was given the side '{side}' more than once.", place=user_place()
            )
        if grid.periodic[axis]:
            raise GridError(
                f"'{what}' was given the side '{side}', but the grid is periodic in {AXES[axis]}.",
                place=user_place(),
            )
        if width > (most := grid.extent[axis] // 2):
            raise GridError(
                f"'{what}' was given layers of {width} cells for side '{side}', but the grid has "
                f"only {grid.extent[axis]} cells along {AXES[axis]}; expected {most} or fewer.",
                place=user_place(),
            )


def _positive(what: str, name: str, value: Any) -> None:
    is_number = isinstance(value, int | float | np.number)
    if not is_number or not isfinite(value) or value <= 0:
        raise GridError(
            f"'{what}' was given {name} = {described(value)}; expected a positive number.",
            place=user_place(),
        )
