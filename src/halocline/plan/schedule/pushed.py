"""PushedValues: which block has the current values of cells where kernels write next door.

Usually a block has those of its own cells. After a kernel that assigns at an offset it has those of
its own cells moved by that offset: some lie in its halo, and some of its own cells are out of date
until a neighbour returns what it has written there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.plan.cells.reach import Need, Needs, Reach, clip, drop, own_moved, within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from halocline.geometry import Box, Offset
    from halocline.plan.cells.access import Key
    from halocline.plan.program.program import Launch

Piece = tuple["Box", "Offset"]


class PushedValues(Frozen):
    """Where values are pushed: held by another block than the owner of their cell.

    Attributes:
        pieces: For a field and component, disjoint regions and the offset by which the own cells of
            a block are moved there to those whose values it has. Everywhere else that is zero.
    """

    pieces: Mapping[Key, frozenset[Piece]] = field(default_factory=dict)

    def after(self, launch: Launch) -> PushedValues:
        """Return what is held when a kernel has run."""
        if not self.pieces and not launch.assigns_next_door:
            return self
        pieces = dict(self.pieces)
        # What a cell does for those that it spans it does for all of them.
        assigned = {
            (a.key, a.displacement, a.spanned(launch.region)): a.space for a in launch.assigns
        }
        for (key, offset, cells), space in assigned.items():
            if key not in pieces and not any(offset):
                continue
            kept = pieces.pop(key, frozenset())
            targets = space.images(cells)
            if launch.on_demand:
                # Computed by those who own what is assigned, where it is in the domain.
                targets = tuple(target.intersect(space.inside) for target in targets)
            for target in targets:
                kept = frozenset((rest, d) for box, d in kept for rest in box.subtract(target))
            if any(offset) and not launch.on_demand:
                kept |= {(target, offset) for target in targets}
            if kept:
                pieces[key] = kept
        return PushedValues(pieces)

    def located(self, needs: Iterable[Need]) -> Needs:
        """Return the needs with who has the values; without what a block has itself."""
        result: set[Need] = set()
        for need in needs:
            pieces = self.pieces.get(need.key)
            if not pieces:
                result |= {need} if need.is_away else set()
                continue
            result |= {
                replace(need, reach=part, displacement=offset)
                for box, offset in pieces
                if not need.reach.is_own_moved(offset)
                for part in clip(need.reach, box)
            }
            rest = _outside(need.reach, pieces)
            result |= {part for reach in rest if (part := need.to(reach)).is_away}
        return frozenset(result)

    def returning(self, keys: Collection[Key] | None = None) -> Needs:
        """Return the needs that return values to their cells' owners, of all or some components."""
        return frozenset(
            Need(name, q, within(box), offset)
            for (name, q), pieces in self.pieces.items()
            if keys is None or (name, q) in keys
            for box, offset in pieces
        )

    def to(self, other: PushedValues) -> Needs:
        """Return the exchange after which values are held as another one says."""
        wanted = {
            Need(name, q, own_moved(offset, box))
            for (name, q), pieces in other.pieces.items()
            for box, offset in pieces
        }
        return self.located(wanted) | frozenset(
            need.to(reach)
            for need in self.returning()
            for reach in _outside(need.reach, other.pieces.get(need.key, ()))
        )

    def without(self, storages: Collection[str]) -> PushedValues:
        """Return the same with what some storages hold at its owners."""
        return PushedValues({key: p for key, p in self.pieces.items() if key[0] not in storages})

    def renamed(self, storages: Mapping[str, str]) -> PushedValues:
        """Return the same held in other storages, where these are given."""
        return PushedValues(
            {(storages.get(name, name), q): p for (name, q), p in self.pieces.items()}
        )


def _outside(reach: Reach, pieces: Iterable[Piece]) -> list[Reach]:
    """Return the parts of a reach outside some pieces."""
    rest = [reach]
    for box, _ in pieces:
        rest = [part for r in rest for part in drop(r, box)]
    return rest


def undisplaced(needs: Iterable[Need]) -> Needs:
    """Return the same needs where every block has the values of its own cells."""
    return frozenset(
        need if need.displacement is None else replace(need, displacement=None)
        for need in needs
        if need.is_away
    )
