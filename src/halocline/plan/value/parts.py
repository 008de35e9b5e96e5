"""Parts: what messages and copies carry, in columns.

Plans of forests have hundreds of thousands of parts, which NumPy makes and sorts; 'Part' is what a
person reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from halocline.box_array import BoxArray, joined
from halocline.frozen import Frozen
from halocline.geometry import opposite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from halocline.geometry import Box, Direction, Offset


class Part(Frozen):
    """Cells of one component of a field that travel from one block to another.

    Attributes:
        field: The field.
        component: The component.
        source: Number of the block that has the values.
        target: Number of the block that gets them.
        direction: Where the values come from, seen from the target.
        box: The cells, in the target's coordinates.
        shift: What to subtract from 'box' for the source's coordinates: zero, but across a
            periodic side a whole extent.
        held_in: The field in which the source has the values; None for 'field' itself.
    """

    field: str
    component: int
    source: int
    target: int
    direction: Direction
    box: Box
    shift: Offset
    held_in: str | None = None

    @property
    def source_key(self) -> tuple[str, int]:
        """The field and the component in which the source has the values."""
        return self.held_in or self.field, self.component

    @property
    def source_box(self) -> Box:
        """The cells in the source's coordinates."""
        return self.box.shift(opposite(self.shift))


class Columns(NamedTuple):
    """An array for each attribute of parts; of directions and shifts one along each axis.

    'held' is the field in which the source has the values, be it another one or not.
    """

    field: NDArray[np.intp]
    component: NDArray[np.int64]
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    direction: NDArray[np.int64]
    box: BoxArray
    shift: NDArray[np.int64]
    held: NDArray[np.intp]

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Columns:
        """Return those at some positions."""
        return Columns(
            self.field[which],
            self.component[which],
            self.source[which],
            self.target[which],
            self.direction[:, which],
            self.box.take(which),
            self.shift[:, which],
            self.held[which],
        )


class Parts(Sequence[Part]):
    """Parts, one after the other.

    Args:
        names: The fields, in ascending order but for those that were swapped since.
        columns: The parts, with the positions of their fields.
    """

    __slots__ = ("columns", "names")

    def __init__(self, names: tuple[str, ...], columns: Columns) -> None:
        self.names = names
        self.columns = columns

    @classmethod
    def of(cls, parts: Iterable[Part]) -> Parts:
        """Return some parts in columns."""
        found = list(parts)
        names = tuple(sorted({name for part in found for name in (part.field, part.source_key[0])}))
        axes = len(found[0].shift) if found else 0
        return cls(
            names,
            Columns(
                np.array([names.index(part.field) for part in found], np.intp),
                np.array([part.component for part in found], np.int64),
                np.array([part.source for part in found], np.intp),
                np.array([part.target for part in found], np.intp),
                np.array([part.direction for part in found], np.int64).reshape(len(found), axes).T,
                BoxArray.of([part.box for part in found], axes),
                np.array([part.shift for part in found], np.int64).reshape(len(found), axes).T,
                np.array([names.index(part.source_key[0]) for part in found], np.intp),
            ),
        )

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.columns.field)

    @overload
    def __getitem__(self, which: int) -> Part: ...
    @overload
    def __getitem__(self, which: slice | NDArray[np.intp] | NDArray[np.bool_]) -> Parts: ...
    def __getitem__(
        self, which: int | slice | NDArray[np.intp] | NDArray[np.bool_]
    ) -> Part | Parts:
        """Return one of them, or some."""
        if not isinstance(which, int):
            return Parts(self.names, self.columns.take(which))
        place = range(len(self))[which]
        (part,) = self[place : place + 1]
        return part

    def __iter__(self) -> Iterator[Part]:
        """Yield each."""
        field, component, source, target, direction, box, shift, held = self.columns
        others = np.where(held == field, -1, held).tolist()
        rows = zip(
            [self.names[n] for n in field.tolist()],
            component.tolist(),
            source.tolist(),
            target.tolist(),
            map(tuple, direction.T.tolist()),
            box.every(),
            map(tuple, shift.T.tolist()),
            [None if n < 0 else self.names[n] for n in others],
            strict=True,
        )
        for row in rows:
            yield Part(*row)

    def __eq__(self, other: object) -> bool:
        """Return whether others are the same parts in the same order."""
        return isinstance(other, Parts) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """Return the same for equal parts."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """Return each as text."""
        return repr(tuple(self))

    @property
    def source_box(self) -> BoxArray:
        """The cells of each in the source's coordinates."""
        return self.columns.box.moved(-self.columns.shift)

    def renamed(self, names: Mapping[str, str]) -> Parts:
        """Return the same of other fields."""
        return Parts(tuple([names.get(name, name) for name in self.names]), self.columns)

    def of_own_fields(self) -> Parts:
        """Return the same without the names of fields of which there are none."""
        both = np.stack((self.columns.field, self.columns.held))
        fields, place = np.unique(both, return_inverse=True)
        names = tuple([self.names[n] for n in fields.tolist()])
        field, held = place.reshape(both.shape)
        return Parts(names, self.columns._replace(field=field, held=held))

    def in_order(self) -> Parts:
        """Return each once, in the order of its attributes."""
        keys = self._keys()
        order = np.lexsort(keys[::-1])
        is_new = np.ones(len(order), bool)
        if len(order):
            is_new[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        return self[order[is_new]]

    def as_packed(self) -> Parts:
        """Return them as they lie in a message: by target, sides first, then edges and corners."""
        direction = self.columns.direction
        first = (self.columns.target, np.abs(direction).sum(axis=0), *direction)
        return self[np.lexsort([*first, *self._keys()][::-1])]

    def _keys(self) -> list[NDArray[np.int64]]:
        """Return what parts are sorted by, the attribute that counts most first."""
        field, component, source, target, direction, box, shift, held = self.columns
        numbers = np.argsort(np.argsort(self.names)) if self.names else np.empty(0, np.intp)
        place = [*direction, *box.lower, *box.upper, *shift]
        return [numbers[field], component, source, target, *place, numbers[held]]


def joined_parts(parts: Sequence[Parts]) -> Parts:
    """Return the parts of one or several, which have the same fields, one after the other."""
    columns = [one.columns for one in parts]
    return Parts(
        parts[0].names,
        Columns(
            np.concatenate([one.field for one in columns]),
            np.concatenate([one.component for one in columns]),
            np.concatenate([one.source for one in columns]),
            np.concatenate([one.target for one in columns]),
            np.concatenate([one.direction for one in columns], axis=1),
            joined([one.box for one in columns]),
            np.concatenate([one.shift for one in columns], axis=1),
            np.concatenate([one.held for one in columns]),
        ),
    )
