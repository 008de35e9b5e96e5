"""Liveness of ghost patches: which of their cells anybody uses, along borders of a forest's levels.

What kernels do along a border they are written to do in all cells and for all components. But of a
ghost patch's cells others read some only, and of these some components: so it computes no more than
these follow from, and gets no more than that takes. That is found from who asks, backwards: from
what others get of a patch to what its own kernels read for that. All patches of a role have the
same kernels, so NumPy follows them for all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, union
from halocline.language.expressions.kernel import reads
from halocline.language.spaces.role import runs_on
from halocline.memo import memoised
from halocline.plan.cells.access import cells_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Ratio
    from halocline.plan.blocks.decomposition import BlockView, Decomposition
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.program.program import Launch

# What grows so often within a block belongs to a step that follows from its like: it grows, cell by
# cell, to the block's end.
_PATIENCE = 8


class PatchLiveness:
    """Says of each ghost patch which cells it uses, of its own and of others'.

    Args:
        launches: The kernels of a round.
        decomposition: The blocks.
        asked: Returns boxes around what blocks get of the own cells of patches, by their numbers,
            for each component of a storage.
    """

    def __init__(
        self,
        launches: Iterable[Launch],
        decomposition: Decomposition,
        asked: Callable[[NDArray[np.intp]], dict[Key, BoxArray]],
    ) -> None:
        self._decomposition = decomposition
        self._asked = asked
        self._launches = tuple(launches)
        self._uses: dict[Role, tuple[_Use, ...]] = {}
        self._found: dict[int, tuple[_Patches, int]] = {}
        # Leaves use all that their kernels read.
        self._is_open = np.zeros(decomposition.blocks, bool)
        self._is_open[decomposition.levels.having(lambda role: role.kind != "leaf")] = True

    def find(self, blocks: NDArray[np.intp]) -> None:
        """Find what blocks use, all at once: sooner than one after the other."""
        found = np.unique(blocks[self._is_open[blocks]])
        asked = self._asked(found) if len(found) else {}
        for role, numbers in self._decomposition.levels.by_role(found):
            patches = _Patches(self._decomposition, numbers)
            here = np.searchsorted(found, numbers)
            of_role = {key: boxes.take(here) for key, boxes in asked.items()}
            patches.follow(self._uses_on(role), of_role)
            self._found.update({n: (patches, place) for place, n in enumerate(numbers.tolist())})
        self._is_open[found] = False

    def limited(
        self,
        keys: Sequence[Key],
        key: NDArray[np.intp],
        role: Role,
        numbers: NDArray[np.intp],
        boxes: BoxArray,
    ) -> BoxArray:
        """Return what blocks of a role use of cells beyond their own.

        Args:
            keys: Components of storages.
            key: Of which of them the cells of each box are.
            role: The role.
            numbers: The block that gets each.
            boxes: The cells.
        """
        if role.kind == "leaf":
            return boxes
        known, of = np.unique(numbers, return_inverse=True)
        lower, upper = boxes.lower.copy(), boxes.upper.copy()
        for patches, which, position in self._places(tuple(known.tolist())):
            place = np.full(len(known), -1)
            place[which] = position
            is_here = place[of] >= 0
            ends = (end[:, key[is_here], place[of][is_here]] for end in patches.of_others(keys))
            lower[:, is_here], upper[:, is_here] = boxes.take(is_here).intersect(BoxArray(*ends))
        return BoxArray(lower, upper)

    def is_alike(self, storages: Mapping[str, str]) -> bool:
        """Return whether ghost patches use the same cells of some storages and of others.

        Those are asked that have been asked before: to make an exchange of the first.
        """
        pairs = [pair for pair in storages.items() if pair[0] != pair[1]]
        every = {patches for patches, _ in self._found.values()}
        return all(patches.are_alike(*pair) for pair in pairs for patches in every)

    def narrowed(self, launch: Launch, numbers: tuple[int, ...], boxes: BoxArray) -> BoxArray:
        """Return boxes around the cells where a kernel does something for others on blocks.

        Args:
            launch: The kernel.
            numbers: The blocks.
            boxes: Where it runs on each of them if all is used.
        """
        self.find(np.array(numbers, np.intp))
        lower, upper = boxes.lower.copy(), boxes.upper.copy()
        for patches, which, position in self._places(numbers):
            used = patches.doing(launch).take(position)
            lower[:, which], upper[:, which] = boxes.take(which).intersect(used)
        return BoxArray(lower, upper)

    @memoised
    def _places(
        self, numbers: tuple[int, ...]
    ) -> list[tuple[_Patches, NDArray[np.intp], NDArray[np.intp]]]:
        """Return where patches among some blocks are: at which positions, and which they are."""
        found: dict[_Patches, list[tuple[int, int]]] = {}
        for which, number in enumerate(numbers):
            if number in self._found:
                patches, position = self._found[number]
                found.setdefault(patches, []).append((which, position))
        return [(one, *np.array(pairs, np.intp).T) for one, pairs in found.items()]

    def _uses_on(self, role: Role) -> tuple[_Use, ...]:
        """Return what kernels on blocks of a role use."""
        if role not in self._uses:
            running = [launch for launch in self._launches if runs_on(launch.role, role)]
            self._uses[role] = _uses_of(running, self._decomposition)
        return self._uses[role]


class _Place(NamedTuple):
    """Blocks of a role as boxes of a space's cells; see 'Block'."""

    box: BoxArray
    owned: BoxArray
    is_guest: bool


class _Patches:
    """What ghost patches of a role use: for each component of a storage a box of each patch.

    Args:
        decomposition: All blocks.
        patches: The numbers of these ones, in ascending order.
    """

    def __init__(self, decomposition: Decomposition, patches: NDArray[np.intp]) -> None:
        self._numbers = patches
        self._nothing = BoxArray.without_cells(len(decomposition.extent), len(patches))
        self._own: dict[Key, BoxArray] = {}
        self._others: dict[Key, BoxArray] = {}
        # Where components of storages may grow to, and how often they have grown.
        self._limits: dict[Key, BoxArray] = {}
        self._grown: dict[Key, NDArray[np.int64]] = {}

    def follow(self, uses: Sequence[_Use], asked: Mapping[Key, BoxArray]) -> None:
        """Follow kernels back from what others get until nothing new is used.

        Args:
            uses: What the kernels use.
            asked: What others get of each patch.
        """
        grown = self._grow(self._own, {key: [boxes] for key, boxes in asked.items()})
        # Which uses are to be followed, since something they assign is used more than before.
        by_key: dict[Key, set[int]] = {}
        for number, use in enumerate(uses):
            for key in use.keys:
                by_key.setdefault(key, set()).add(number)
        open_ = set().union(*(by_key.get(key, ()) for key in grown))
        while open_:
            # The last kernels first: what they read is assigned before them.
            for number in range(len(uses)):
                if number in open_:
                    open_.remove(number)
                    for key in self._followed(uses[number]):
                        open_ |= by_key.get(key, set())

    def _followed(self, use: _Use) -> set[Key]:
        """Follow kernels back to what they read; return what is used more than before."""
        own: dict[Key, list[BoxArray]] = {}
        others: dict[Key, list[BoxArray]] = {}
        running = self._assigning(use.assigned, is_layer=use.is_layer)
        cells = running.within(use.region)
        for view, accesses in use.reads if cells.has_cells.any() else ():
            used, place = cells_used(cells, accesses), self._place(view)
            if place.is_guest:
                _add(others, accesses, used)
                continue
            self._limits.update((access.key, place.box) for access in accesses)
            owned = BoxArray(place.owned.lower[:, None], place.owned.upper[:, None])
            _add(own, accesses, used.intersect(owned))
            _add(others, accesses, used.beyond(owned))
        return self._grow(self._own, own) | self._grow(self._others, others)

    def doing(self, launch: Launch) -> BoxArray:
        """Return boxes around where a kernel assigns what is used."""
        assigned = ((access, (access.key,)) for access in launch.assigns)
        return self._assigning(assigned, is_layer=launch.is_layer)

    def of_others(self, keys: Sequence[Key]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which cells beyond its own each patch uses: their ends (axes, keys, patches)."""
        used = [self._others.get(key, self._nothing) for key in keys]
        lower = np.stack([one.lower for one in used], axis=1)
        return lower, np.stack([one.upper for one in used], axis=1)

    def are_alike(self, one: str, other: str) -> bool:
        """Return whether all patches use the same cells of others of two storages."""
        numbers = {q for name, q in self._others if name in (one, other)}
        pairs = [
            [self._others.get((name, q), self._nothing) for name in (one, other)] for q in numbers
        ]
        return all(np.array_equal(mine, its) for mine, its in pairs)

    @memoised
    def _place(self, view: BlockView) -> _Place:
        """Return the patches as boxes of a space's cells."""
        blocks = view.table(self._numbers)
        return _Place(blocks.box, blocks.owned, bool(blocks.is_guest[0]))

    def _assigning(
        self, assigned: Iterable[tuple[Access, Iterable[Key]]], *, is_layer: bool
    ) -> BoxArray:
        """Return boxes around where a kernel runs to assign what is used.

        Others compute their cells themselves, but no layers beyond sides for these patches.
        """
        tables = (self._own, self._others) if is_layer else (self._own,)
        found = [
            access.users(union([table[key] for key in keys for table in tables if key in table]))
            for access, keys in assigned
            if any(key in table for key in keys for table in tables)
        ]
        return union([one.where(one.has_cells) for one in found]) if found else self._nothing

    def _grow(self, known: dict[Key, BoxArray], found: dict[Key, list[BoxArray]]) -> set[Key]:
        """Put boxes around known cells and new ones; return which components have got any."""
        growing = set()
        for key, boxes in found.items():
            before = known.get(key, self._nothing)
            after = union([before, *boxes])
            is_new = (after.lower < before.lower) | (after.upper > before.upper)
            if is_new.any():
                known[key] = self._widened(key, before, after) if known is self._own else after
                growing.add(key)
        return growing

    def _widened(self, key: Key, before: BoxArray, after: BoxArray) -> BoxArray:
        """Return boxes that have grown, too often as far as they may grow on the same sides."""
        is_lower, is_upper = after.lower < before.lower, after.upper > before.upper
        grown = self._grown.setdefault(key, np.zeros(len(self._numbers), np.int64))
        grown += (is_lower | is_upper).any(axis=0) & before.has_cells
        often, limits = grown > _PATIENCE, self._limits.get(key, after)
        return BoxArray(
            np.where(often & is_lower, np.minimum(after.lower, limits.lower), after.lower),
            np.where(often & is_upper, np.maximum(after.upper, limits.upper), after.upper),
        )


def _add(found: dict[Key, list[BoxArray]], accesses: Sequence[Access], boxes: BoxArray) -> None:
    """Add the boxes of each access (axes, accesses, boxes) to those of its component."""
    for n, access in enumerate(accesses):
        one = BoxArray(boxes.lower[:, n], boxes.upper[:, n])
        found.setdefault(access.key, []).append(one)


# What kernels read of cells of a space, with the blocks as boxes of these cells.
Reads = tuple[tuple["BlockView", tuple["Access", ...]], ...]


class _Use(NamedTuple):
    """What kernels read for what they assign, and where they run.

    Attributes:
        assigned: What they assign, and the components which they assign alike.
        keys: All these components.
        reads: What they read for each of them.
        region: Where they run.
        is_layer: Whether they fill layers beyond sides.
    """

    assigned: tuple[tuple[Access, tuple[Key, ...]], ...]
    keys: frozenset[Key]
    reads: Reads
    region: Box
    is_layer: bool


def _uses_of(launches: Iterable[Launch], decomposition: Decomposition) -> tuple[_Use, ...]:
    """Return what kernels use, the last first.

    Components for which a kernel reads the same belong together: all 19 populations after a
    collision follow from all 19 before it.
    """
    found: dict[tuple[Reads, Box, bool], dict[tuple[Offset, Ratio], dict[Key, Access]]] = {}
    for launch in launches:
        for assigned, accesses in _read_for(launch):
            of_view: dict[BlockView, list[Access]] = {}
            for one in accesses:
                of_view.setdefault(decomposition.on(one.space), []).append(one)
            reads_on = tuple([(view, tuple(some)) for view, some in of_view.items()])
            of_use = found.setdefault((reads_on, launch.region, launch.is_layer), {})
            of_use.setdefault((assigned.offset, assigned.ratio), {})[assigned.key] = assigned
    return tuple(
        _Use(
            tuple((next(iter(alike.values())), tuple(alike)) for alike in of_use.values()),
            frozenset(key for alike in of_use.values() for key in alike),
            *what,
        )
        for what, of_use in reversed(found.items())
    )


def _read_for(launch: Launch) -> Iterator[tuple[Access, tuple[Access, ...]]]:
    """Yield each component that a kernel assigns, and what it reads for that."""
    statements = launch.kernel.statements
    found: Mapping[int, set[Access]] = {n: set() for n in range(len(statements))}
    for number, statement in enumerate(statements):
        for read in reads(statement.value):
            earlier = launch.kernel.assigning(read)
            if earlier is None:
                found[number].add(launch.access(read))
            else:
                found[number].update(found[earlier])
    for number, statement in enumerate(statements):
        every = sorted(found[number], key=lambda a: (a.field, a.component, a.offset))
        yield launch.access(statement), tuple(every)
