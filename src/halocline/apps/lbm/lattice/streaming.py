"""Streaming: where populations are kept between two collisions, on two grids or in place.

A population i that has left cell x for cell x + c_i must be found there. On two grids it waits in
the cell that it left, and the next collision pulls it. In place (the AA pattern of Bailey et al.
2009) a step collides twice: the first time it takes every population where it waits, next door,
and puts the new one into the place of the opposite that it has just emptied: next door again, where
it is to arrive. So the second time all lie in the cell itself, and go back turned round. Each
number in memory is read and written by one cell, so half the memory serves, and no cell waits for
another.

In 16 bits populations are kept as multiples of a small power of two: as deviations from rest they
are so small that they would lose digits to the least exponent (after Lehmann et al., Phys. Rev. E
106 (2022) 015308, 'FP16S').
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import halocline as hc
from halocline.frozen import Frozen
from halocline.geometry import added, opposite
from halocline.language.expressions.operators import Operand
from halocline.language.expressions.units import in_units

if TYPE_CHECKING:
    from halocline.apps.lbm.lattice.populations import Value
    from halocline.apps.lbm.lattice.velocity_set import VelocitySet
    from halocline.geometry import Offset


class StreamingPattern(Frozen):
    """Where populations are kept between two collisions.

    Attributes:
        is_reversed: In the component of the opposite velocity.
        is_streamed: In the cell that they move to; otherwise in the one that they have left.
    """

    is_reversed: bool = False
    is_streamed: bool = False

    def of(self, velocity_set: VelocitySet, i: int) -> tuple[int, Offset]:
        """Return the component of population i, and the offset from the cell that it has left."""
        component = velocity_set.opposites[i] if self.is_reversed else i
        c = velocity_set.velocities[i]
        return component, c if self.is_streamed else (0,) * len(c)

    def outgoing(self, f: Any, velocity_set: VelocitySet, i: int, cell: Offset) -> Value:
        """Return the population i that has left the cell at an offset."""
        component, offset = self.of(velocity_set, i)
        stored = f[component][added(cell, offset)]
        unit = unit_of(f.dtype)
        return stored if unit == 1.0 else stored * unit

    def arriving(self, f: Any, velocity_set: VelocitySet, i: int, cell: Offset) -> Value:
        """Return the population i that arrives in the cell at an offset."""
        return self.outgoing(f, velocity_set, i, _back(cell, velocity_set.velocities[i]))

    def put(
        self,
        f: Any,
        velocity_set: VelocitySet,
        i: int,
        cell: Offset,
        value: Value,
        *,
        only: Value = None,
    ) -> None:
        """Let a value be the population i that has left the cell at an offset, or only if so."""
        component, offset = self.of(velocity_set, i)
        place, stored = added(cell, offset), _in_units(value, unit_of(f.dtype))
        if only is not None:
            stored = hc.where(only, stored, f[component][place])
        f[component][place] = stored

    def deliver(
        self,
        f: Any,
        velocity_set: VelocitySet,
        i: int,
        cell: Offset,
        value: Value,
        *,
        only: Value = None,
    ) -> None:
        """Let a value be the population i that arrives in the cell at an offset, or only if so."""
        self.put(f, velocity_set, i, _back(cell, velocity_set.velocities[i]), value, only=only)


# What populations are stored as.
DTYPES = ("float64", "float32", "float16")

POST_COLLISION = StreamingPattern()
REVERSED = StreamingPattern(is_reversed=True)
STREAMED = StreamingPattern(is_streamed=True)


class Streaming(Frozen):
    """A way to stream.

    Attributes:
        name: What users call it.
        patterns: Where populations are kept before each collision of a step, the first before the
            step itself: as many as a step has collisions.
    """

    name: str
    patterns: tuple[StreamingPattern, ...]

    @property
    def is_in_place(self) -> bool:
        """Whether one grid serves."""
        return self.patterns != (POST_COLLISION,)

    @property
    def collisions(self) -> int:
        """Collisions in a step of the simulation."""
        return len(self.patterns)


STREAMINGS = {
    s.name: s
    for s in (
        Streaming("two-grids", (POST_COLLISION,)),
        Streaming("in-place", (REVERSED, STREAMED)),
    )
}


def unit_of(dtype: str) -> float:
    """Return of what populations are stored as multiples; a power of two, so that it is exact."""
    return 2.0**-15 if dtype == "float16" else 1.0


def _in_units(value: Value, unit: float) -> Value:
    """Return a value divided by a unit, without converting reads from this unit and back."""
    if unit == 1.0:
        return value
    if isinstance(value, Operand):
        return value.made(in_units(value.expression(), unit))
    return value / unit


def _back(a: Offset, b: Offset) -> Offset:
    return added(a, opposite(b))
