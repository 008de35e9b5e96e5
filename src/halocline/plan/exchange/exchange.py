"""Who sends which cells to whom: needs and a decomposition become messages (see 'messages.py')."""

from __future__ import annotations

from copy import copy
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from halocline.box_array import BoxArray, around_each, distinct, enumerated, joined, union
from halocline.errors import PlanError
from halocline.geometry import Box, disjoint
from halocline.language.spaces.role import runs_on
from halocline.memo import memoised
from halocline.plan.cells.block import NOBODY
from halocline.plan.cells.reach import renaming
from halocline.plan.exchange.liveness import PatchLiveness
from halocline.plan.exchange.needed import Needed, NeededCells
from halocline.plan.exchange.origins import Origins
from halocline.plan.exchange.sources import sources_of
from halocline.plan.value.messages import Exchange, Message
from halocline.plan.value.parts import Columns, Parts, joined_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.block import Block
    from halocline.plan.cells.reach import Needs
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.exchange.kernel_uses import KernelUses
    from halocline.plan.exchange.needed import Group, Key
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.schedule.steps import Moved, Place


class Pieces(NamedTuple):
    """What blocks get, seen from where values belong: an entry for each piece.

    Attributes:
        group: Of which components, by the number of their group.
        source: The block that has it.
        target: The block that gets it.
        direction: Where it comes from, seen from the target (axes, pieces).
        box: The cells, in the target's coordinates.
        shift: How far from its own place the source is seen (axes, pieces).
    """

    group: NDArray[np.intp]
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    direction: NDArray[np.int64]
    box: BoxArray
    shift: NDArray[np.int64]

    def take(self, which: NDArray[np.bool_]) -> Pieces:
        """Return some of them."""
        if which.all():
            return self
        return Pieces(
            self.group[which],
            self.source[which],
            self.target[which],
            self.direction[:, which],
            self.box.take(which),
            self.shift[:, which],
        )


class Exchanger:
    """Computes messages for any block of a decomposition from needs that hold for every block.

    Args:
        decomposition: Blocks and their owners.
        layouts: How fields are stored.
        strategy: How to exchange.
        shared: Fields that kernels assign next door.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        layouts: Iterable[FieldLayout],
        strategy: Strategy,
        shared: frozenset[str] = frozenset(),
    ) -> None:
        if strategy.neighbours == "staged" and decomposition.is_forest:
            raise PlanError(
                "The strategy has neighbours='staged', but corners cannot ride along between the "
                "levels of a forest.",
                hint="Use neighbours='direct' with a forest.",
            )
        if strategy.neighbours == "staged" and NOBODY in decomposition.owners:
            raise PlanError(
                "The strategy has neighbours='staged', but corners cannot ride along through "
                "blocks that are dropped.",
                hint="Use neighbours='direct' with a sparse decomposition.",
            )
        self.decomposition = decomposition
        self.shared = shared
        self.layouts = {layout.name: layout for layout in layouts}
        self.strategy = strategy
        self.dimensions = len(decomposition.extent)
        self.undisplaced = (0,) * self.dimensions
        self.widths = self._widths()
        # Of the ghost patches of a forest.
        self.origins = Origins(decomposition, {})
        self.use: PatchLiveness | None = None
        is_full = strategy.width == "full"
        self._cells = NeededCells(decomposition, self.layouts, shared, is_full=is_full)
        self._groups: dict[Group, int] = {}
        # By role, kind of needs and axis: the needs of which it is, and what some blocks get.
        self._known: dict[object, tuple[Needs, list[tuple[NDArray[np.intp], Pieces]]]] = {}
        self._names = tuple(sorted(self.layouts))

    def tracing(self, moved: Mapping[Place, Moved]) -> Exchanger:
        """Return one that gets values from where they lie before kernels only move them.

        Args:
            moved: What kernels move on blocks of a role, by the storage and the component to which.
        """
        other = copy(self)  # with results that are kept, none of which depends on that
        other.origins = Origins(self.decomposition, moved)
        further = other.origins.furthest
        other.widths = {
            space: tuple([n + further for n in every]) for space, every in self.widths.items()
        }
        return other

    def limited(self, uses: Callable[[Role], KernelUses], every: Iterable[Needs]) -> Exchanger:
        """Return one that fills of the ghost patches of a forest only what is used later.

        Args:
            uses: Returns what the kernels on blocks of a role use.
            every: All that is ever needed.
        """
        other = copy(self)  # with results that are kept, none of which depends on what is used
        asked_of = partial(self._asked_of, tuple(dict.fromkeys(every)))
        other.use = PatchLiveness(uses, self.decomposition, asked_of)
        return other

    def _widths(self) -> dict[Space, tuple[int, ...]]:
        """Return how far blocks may reach beyond their own cells, on each space."""
        found: dict[Space, tuple[int, ...]] = {}
        for layout in self.layouts.values():
            ends = zip(layout.lower, layout.upper, strict=True)
            is_shared = layout.name in self.shared
            # What is pushed lies in halos, from where it is fetched.
            widths = (sum(both) if is_shared else max(both) for both in ends)
            known = found.get(layout.space, self.undisplaced)
            found[layout.space] = tuple(map(max, widths, known))
        return found

    def live_patches(self, rank: int) -> PatchLiveness | None:
        """Return what ghost patches near a rank's blocks use; None if they use everything."""
        if self.use is not None:
            self.use.find(self._getting(rank))
        return self.use

    def exchanges(self, needs: Needs, rank: int, first_number: int) -> list[Exchange]:
        """Return the exchanges of a rank that meet the needs, to be done one after the other.

        'live_patches' of the rank are found before.
        """
        stages = self.stages()
        return [
            self._exchange(needs, rank, axis, first_number + n) for n, axis in enumerate(stages)
        ]

    def is_alike(self, needs: Needs, storages: Mapping[str, str]) -> bool:
        """Return whether exchanges do the same as those that meet needs of other storages.

        Args:
            needs: The needs.
            storages: The other storage for each of theirs.
        """
        moved = {name for name, _ in self.origins.keys}
        if any(one != other and moved & {one, other} for one, other in storages.items()):
            return False
        roles = [role for role in self.decomposition.levels.kinds if _needs_of(role, needs)]
        return self.use is None or self.use.is_alike(storages, roles)

    def elsewhere(self, exchange: Exchange, storages: Mapping[str, str], number: int) -> Exchange:
        """Return what does the same as an exchange with other storages of swapped fields.

        Args:
            exchange: The exchange.
            storages: For each of its storages the other one.
            number: What it gets.
        """
        return exchange.with_storages(storages, number, partial(self._tag, number))

    def stages(self) -> tuple[int | None, ...]:
        """Return the axes exchanged one after the other; a single None for all at once."""
        if self.strategy.neighbours == "direct":
            return (None,)
        return tuple(
            axis
            for axis in range(self.dimensions)
            if self.decomposition.periodic[axis] or axis in self.decomposition.cut
        )

    def _exchange(self, needs: Needs, rank: int, axis: int | None, number: int) -> Exchange:
        found = [
            self._parts(self._got(role, numbers, needs, axis), role)
            for role, numbers in self.decomposition.levels.by_role(self._getting(rank))
        ]
        return self.of_parts(joined_parts(found), rank, number)

    @memoised
    def _getting(self, rank: int) -> NDArray[np.intp]:
        """Return a rank's blocks, and those of other ranks whose halos may reach these."""
        split, own = self.decomposition, np.array(self.decomposition.numbers_of(rank), np.intp)
        beside = self._around(own)
        ranks = split.ranks_of(beside)
        return np.concatenate((own, beside[(ranks != rank) & (ranks != NOBODY)]))

    def _around(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return at least the blocks whose halos may reach some blocks, in ascending order."""
        if 2 * len(numbers) > self.decomposition.blocks:
            return np.arange(self.decomposition.blocks)
        return distinct(self._beside(numbers)[1])

    def of_parts(self, parts: Parts, rank: int, number: int) -> Exchange:
        """Return the exchange that moves parts, those of all ranks or at least of this one.

        Args:
            parts: The parts.
            rank: Whose exchange it is.
            number: What it gets.
        """
        parts = parts.in_order().of_own_fields()
        ranks_of = self.decomposition.ranks_of
        source, target = map(ranks_of, (parts.columns.source, parts.columns.target))
        leaves, arrives = source == rank, target == rank
        is_sent, is_received = leaves & ~arrives, arrives & ~leaves
        sent = self._by_message(parts[is_sent], target[is_sent], number)
        received = self._by_message(parts[is_received], source[is_received], number)
        return Exchange(
            number,
            tuple(Message(rank, peer, tag, found) for peer, tag, found in sent),
            tuple(Message(peer, rank, tag, found) for peer, tag, found in received),
            parts[leaves & arrives],
            number,
        )

    def _by_message(
        self, parts: Parts, peers: NDArray[np.intp], number: int
    ) -> Iterator[tuple[int, int, Parts]]:
        """Yield the other rank, the tag and the parts of each message, as they are packed."""
        tags = np.array([self._tag(number, name) for name in parts.names], np.intp)
        tag = tags[parts.columns.field]
        for peer, of_tag in sorted(set(zip(peers.tolist(), tag.tolist(), strict=True))):
            yield peer, of_tag, parts[(peers == peer) & (tag == of_tag)].as_packed()

    def _tag(self, number: int, field: str) -> int:
        if self.strategy.messages == "neighbour":
            return number
        return number * len(self.layouts) + list(self.layouts).index(field)

    def _beside(
        self, numbers: NDArray[np.intp], axis: int | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return pairs of blocks and others whose halos may reach them, some several times.

        Args:
            numbers: The blocks.
            axis: Along which alone they lie beside it; None for all around.
        """
        found = []
        for space, every in self.widths.items():
            widths = np.array([n if axis in (None, a) else 0 for a, n in enumerate(every)])[:, None]
            view = self.decomposition.on(space)
            blocks = view.table(numbers)
            blocks = blocks.take(blocks.box.has_cells & ~blocks.is_guest)
            around = BoxArray(blocks.box.lower - widths, blocks.box.upper + widths)
            meetings = view.meetings(around, blocks.number, are_guests=True)
            of = blocks.number[meetings.box]
            is_other = (of != meetings.number) | meetings.shift.any(axis=0)
            found.append((of[is_other], meetings.number[is_other]))
        return np.concatenate([of for of, _ in found]), np.concatenate([n for _, n in found])

    def _parts(self, pieces: Pieces, role: Role, *, is_limited: bool = True) -> Parts:
        """Return what blocks of a role get, for each component.

        Args:
            pieces: What they get, for groups of components.
            role: The role.
            is_limited: Whether to leave out what ghost patches do not use.
        """
        pieces = pieces.take(self.decomposition.ranks_of(pieces.source) != NOBODY)
        keys, first, count = self._keys_of_groups()
        of, number = enumerated(count[pieces.group])
        key = first[pieces.group][of] + number
        box, target = pieces.box.take(of), pieces.target[of]
        if self.use and is_limited:
            box = self.use.limited([(name, q) for name, q, _ in keys], key, role, target, box)
            used = np.flatnonzero(box.has_cells)
            of, key, target, box = of[used], key[used], target[used], box.take(used)
        place = {name: n for n, name in enumerate(self._names)}
        fields = np.array([place[name] for name, _, _ in keys], np.intp)
        components = np.array([q for _, q, _ in keys], np.int64)
        ways = np.array([way for _, _, way in keys], np.int64).reshape(-1, self.dimensions).T
        columns = Columns(
            fields[key],
            components[key],
            pieces.source[of],
            target,
            pieces.direction[:, of],
            self._flat(box.moved(ways[:, key]), fields[key]),
            pieces.shift[:, of],
            fields[key],
        )
        return self.origins.traced(Parts(self._names, columns))

    def _flat(self, boxes: BoxArray, fields: NDArray[np.intp]) -> BoxArray:
        """Return boxes with the only cell along each axis that their fields lack."""
        lacks = np.array([self.layouts[name].space.lacks for name in self._names]).T
        if not lacks.any():
            return boxes
        is_lacking = lacks[:, fields]
        return BoxArray(np.where(is_lacking, 0, boxes.lower), np.where(is_lacking, 1, boxes.upper))

    def _keys_of_groups(self) -> tuple[list[Key], NDArray[np.intp], NDArray[np.int64]]:
        """Return the components of all groups, where those of each begin, and how many it has."""
        keys = [key for group in self._groups for key in group]
        count = np.array([len(group) for group in self._groups], np.int64)
        return keys, np.cumsum(count) - count, count

    def _asked_of(
        self, every: tuple[Needs, ...], patches: NDArray[np.intp]
    ) -> dict[tuple[str, int], BoxArray]:
        """Return boxes around what is ever got of ghost patches, by what kernels read.

        Args:
            every: All that is ever needed.
            patches: The numbers of the patches, in ascending order.
        """
        found: dict[tuple[str, int], BoxArray] = {}
        getting = distinct(np.concatenate((patches, self._around(patches))))
        place = np.full(self.decomposition.blocks, -1)
        place[patches] = np.arange(len(patches))
        for role, numbers in self.decomposition.levels.by_role(getting):
            for needs in dict.fromkeys(_needs_of(role, needs) for needs in every):
                pieces = self._got(role, numbers, needs, None)
                groups = list(self._groups)
                is_moved = self._are_moved(groups)[pieces.group]
                self._ask_for_moved(pieces.take(is_moved), role, place, found)
                pieces = pieces.take((place[pieces.source] >= 0) & ~is_moved)
                box = pieces.box.moved(-pieces.shift)
                asked = _around_all(pieces.group, place[pieces.source], box, len(patches))
                for group, around in asked:
                    for name, component, _ in groups[group]:
                        flat = self.layouts[name].space.all_flat(around)
                        _ask(found, (name, component), flat)
        return found

    def _are_moved(self, groups: Sequence[Group]) -> NDArray[np.bool_]:
        """Return whether kernels only move any of the components of each group."""
        keys = self.origins.keys
        return np.array([any((name, q) in keys for name, q, _ in group) for group in groups], bool)

    def _ask_for_moved(
        self,
        pieces: Pieces,
        role: Role,
        place: NDArray[np.intp],
        found: dict[tuple[str, int], BoxArray],
    ) -> None:
        """Add what blocks of a role get of patches, where values lie before they are moved."""
        parts = self._parts(pieces, role, is_limited=False)
        parts = parts[place[parts.columns.source] >= 0]
        columns, names = parts.columns, len(parts.names)
        kind, of = columns.component * names + columns.held, place[columns.source]
        for one, around in _around_all(kind, of, parts.source_box, int(place.max()) + 1):
            component, held = divmod(one, names)
            _ask(found, (parts.names[held], component), around)

    def _got(self, role: Role, numbers: NDArray[np.intp], needs: Needs, axis: int | None) -> Pieces:
        """Return what blocks of a role get, dropped blocks included; it is asked for again.

        It is found once for needs that are equal but for the names of storages: in the next step
        those of swapped fields are.
        """
        needs = _needs_of(role, needs)
        kinds = self._kinds(needs)
        key = role, frozenset((kind, len(names)) for kind, names in kinds.items()), axis
        first, known = self._known.setdefault(key, (needs, []))
        new = numbers
        for before, _ in known:
            new = np.setdiff1d(new, before, assume_unique=True)
        if len(new):
            known.append((new, self._pieces(new, first, axis)))
        is_asked = np.zeros(self.decomposition.blocks, bool)
        is_asked[numbers] = True
        pieces = _all_pieces([one.take(is_asked[one.target]) for _, one in known])
        return pieces if first == needs else self._renamed(pieces, self._kinds(first), kinds)

    @memoised
    def _kinds(self, needs: Needs) -> dict[object, list[str]]:
        """Return storages by how they are stored and what is needed of them."""
        found: dict[str, set[object]] = {}
        for need in needs:
            what = need.component, need.reach, need.displacement, need.of_guest
            found.setdefault(need.field, set()).add(what)
        kinds: dict[object, list[str]] = {}
        for name in sorted(found):
            kind = self._stored_as(self.layouts[name]), name in self.shared, frozenset(found[name])
            kinds.setdefault(kind, []).append(name)
        return kinds

    def _stored_as(self, layout: FieldLayout) -> object:
        """Return a key that is equal for storages whose values blocks get from the same blocks."""
        if self.strategy.width == "full":
            return replace(layout, spec=replace(layout.spec, name=""))
        roles = [role for role in self.decomposition.levels.kinds if layout.is_stored_on(role)]
        return layout.space, tuple([role for role in roles if not role.is_guest_in(layout.space)])

    def _renamed(
        self, pieces: Pieces, before: dict[object, list[str]], after: dict[object, list[str]]
    ) -> Pieces:
        """Return the same pieces of other storages.

        Args:
            pieces: The pieces.
            before: Their storages, by kind.
            after: Those instead.
        """
        names = renaming(before, after)
        groups = list(self._groups)
        used, of = np.unique(pieces.group, return_inverse=True)
        renamed = [
            tuple((names[name], q, way) for name, q, way in groups[n]) for n in used.tolist()
        ]
        number = [self._groups.setdefault(group, len(self._groups)) for group in renamed]
        return pieces._replace(group=np.array(number, np.intp)[of])

    def _pieces(self, numbers: NDArray[np.intp], needs: Needs, axis: int | None) -> Pieces:
        """Return what blocks of the same role get."""
        needed = self._cells.of(numbers, needs)
        if axis is not None:
            needed = self._stage(numbers, needed, needs, axis)
        counting = {need.field for need in needs if need.of_guest != "leaves"}
        fields = [group[0][0] for group in needed.groups]
        number = np.array(
            [self._groups.setdefault(group, len(self._groups)) for group in needed.groups], np.intp
        )
        found, levels = [], self.decomposition.levels
        for name in dict.fromkeys(fields):
            # Of each field by itself: many lie on the same cells, but hardly any are needed alike.
            which = np.isin(needed.group, [n for n, one in enumerate(fields) if one == name])
            of_field = self._of_field(name, needed, np.flatnonzero(which), axis)
            if name not in counting:
                # Cells of leaves are those that users see.
                of_field = of_field.take(levels.have(lambda role: role.is_leaf, of_field.source))
            found.append(of_field._replace(group=number[of_field.group]))
        return _all_pieces(found) if found else _no_pieces(self.dimensions)

    def _of_field(
        self, name: str, needed: Needed, which: NDArray[np.intp], axis: int | None
    ) -> Pieces:
        """Return who has the cells of a field that blocks need."""
        layout = self.layouts[name]
        view = self.decomposition.on(layout.space)
        box, target = needed.box.take(which), needed.target[which]
        found = sources_of(box, view.table(target), view, layout.space.lacks, axis)
        pieces = Pieces(
            needed.group[which][found.of],
            found.source,
            target[found.of],
            found.direction,
            found.box,
            found.shift,
        )
        if not layout.is_on_every_leaf:
            levels = self.decomposition.levels
            pieces = pieces.take(levels.have(layout.is_stored_on, pieces.source))
        return pieces if self.strategy.width == "minimal" else self._stored(layout, pieces)

    def _stored(self, layout: FieldLayout, pieces: Pieces) -> Pieces:
        """Return what sources store of pieces: whole halos ask for all layers.

        Of those beyond sides blocks of other roles may have fewer.
        """
        if not self.decomposition.is_forest or not len(pieces.source):
            return pieces
        view = self.decomposition.on(layout.space)
        numbers, of = np.unique(pieces.source, return_inverse=True)
        kept = layout.all_kept(view, numbers).take(of)
        box = pieces.box.intersect(kept.moved(pieces.shift))
        return pieces._replace(box=box).take(box.has_cells)

    def _stage(self, numbers: NDArray[np.intp], needed: Needed, needs: Needs, axis: int) -> Needed:
        """Return what blocks must have got when the axes up to 'axis' are done.

        Their own needs, and what neighbours along later axes will want to have from their halos.
        """
        wanted: dict[tuple[int, Key], list[Box]] = {}
        rows = zip(needed.group.tolist(), needed.target.tolist(), needed.box.every(), strict=True)
        for group, target, box in rows:
            for key in needed.groups[group]:
                wanted.setdefault((target, key), []).append(box)
        for later in [a for a in self.stages() if a is not None and a > axis]:
            self._relay(numbers, needs, later, wanted)
        groups = {key: n for n, key in enumerate(dict.fromkeys(key for _, key in wanted))}
        found = [
            (groups[key], target, box)
            for (target, key), boxes in wanted.items()
            for box in disjoint(boxes)
        ]
        return Needed(
            [(key,) for key in groups],
            np.array([group for group, _, _ in found], np.intp),
            np.array([target for _, target, _ in found], np.intp),
            BoxArray.of([box for _, _, box in found], self.dimensions),
        )

    def _relay(
        self,
        numbers: NDArray[np.intp],
        needs: Needs,
        axis: int,
        wanted: dict[tuple[int, Key], list[Box]],
    ) -> None:
        """Add what blocks beside along a later axis will get through blocks' halos."""
        _, beside = self._beside(numbers, axis)
        for role, others in self.decomposition.levels.by_role(distinct(beside)):
            pieces = self._got(role, others, needs, axis)
            pieces = pieces.take(np.isin(pieces.source, numbers))
            groups = list(self._groups)
            boxes = pieces.box.moved(-pieces.shift).every()
            rows = zip(pieces.group.tolist(), pieces.source.tolist(), boxes, strict=True)
            for group, number, seen in rows:
                for key in groups[group]:
                    space = self.layouts[key[0]].space
                    source = self.decomposition.on(space).block(number)
                    box = _in_line(space, seen, source)
                    wanted.setdefault((number, key), []).extend(box.subtract(source.owned))


@lru_cache(maxsize=1 << 12)  # asked for again after a regrid
def _needs_of(role: Role, needs: Needs) -> Needs:
    """Return the needs of the blocks of a role."""
    return frozenset(need for need in needs if runs_on(need.role, role))


def _in_line(space: Space, box: Box, block: Block) -> Box:
    """Return cells of a space as a block has them along the axes that the space lacks."""
    for axis, is_lacking in enumerate(space.lacks):
        if is_lacking:
            box = box.clip(axis, block.owned.lower[axis], block.owned.upper[axis])
    return box


def _around_all(
    kind: NDArray[np.int64], of: NDArray[np.intp], boxes: BoxArray, count: int
) -> Iterator[tuple[int, BoxArray]]:
    """Yield each kind of boxes, and for each of so many things a box around its boxes of it."""
    kinds, number = np.unique(kind, return_inverse=True)
    found = around_each(number * count + of, boxes, len(kinds) * count)
    for n, one in enumerate(kinds.tolist()):
        yield one, found.take(slice(n * count, (n + 1) * count))


def _ask(found: dict[tuple[str, int], BoxArray], key: tuple[str, int], boxes: BoxArray) -> None:
    """Put boxes of a component around those that are asked for already."""
    found[key] = union([found[key], boxes]) if key in found else boxes


def _all_pieces(pieces: Sequence[Pieces]) -> Pieces:
    """Return the pieces of one or several, one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    return Pieces(
        np.concatenate([one.group for one in pieces]),
        np.concatenate([one.source for one in pieces]),
        np.concatenate([one.target for one in pieces]),
        np.concatenate([one.direction for one in pieces], axis=1),
        joined([one.box for one in pieces]),
        np.concatenate([one.shift for one in pieces], axis=1),
    )


def _no_pieces(axes: int) -> Pieces:
    nothing, nowhere = np.empty(0, np.intp), np.empty((axes, 0), np.int64)
    return Pieces(nothing, nothing, nothing, nowhere, BoxArray.of((), axes), nowhere)
