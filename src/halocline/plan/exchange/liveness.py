"""Liveness of ghost patches: which of their cells anybody uses, along borders of a forest's levels.

What kernels do along a border they are written to do in all cells and for all components. But of a
ghost patch's cells others read some only, and of these some components: so it computes no more than
these follow from, and gets no more than that takes. That is found from who asks, backwards: from
what others get of a patch to what its own kernels read for that. All patches of a role have the
same kernels, so NumPy follows them for all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halocline.box_array import BoxArray, around_each, distinct, joined, union
from halocline.memo import memoised
from halocline.plan.exchange.beside_leaves import BesideLeaves, by_towards
from halocline.plan.exchange.kernel_uses import ByUser, towards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.language.spaces.role import Role
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.access import Key
    from halocline.plan.exchange.kernel_uses import KernelUses
    from halocline.plan.program.program import Launch

# What grows so often within a block belongs to a step that follows from its like: it grows, cell by
# cell, to the block's end.
_PATIENCE = 8


class PatchLiveness:
    """Says of each ghost patch which cells it uses, of its own and of others'.

    Args:
        uses: Returns what the kernels on blocks of a role use.
        decomposition: The blocks.
        asked: Returns boxes around what blocks get of the own cells of patches, by their numbers,
            for each component of a storage.
    """

    def __init__(
        self,
        uses: Callable[[Role], KernelUses],
        decomposition: Decomposition,
        asked: Callable[[NDArray[np.intp]], dict[Key, BoxArray]],
    ) -> None:
        self._decomposition = decomposition
        self._asked = asked
        self._uses = uses
        self._found: dict[int, tuple[_Patches, int]] = {}
        self._of_role: dict[Role, list[_Patches]] = {}
        # Leaves use all that their kernels read.
        self._is_open = np.zeros(decomposition.blocks, bool)
        self._is_open[decomposition.levels.having(lambda role: role.kind != "leaf")] = True

    def find(self, blocks: NDArray[np.intp]) -> None:
        """Find what blocks use, all at once: sooner than one after the other."""
        found = distinct(blocks[self._is_open[blocks]])
        asked = self._asked(found) if len(found) else {}
        for role, numbers in self._decomposition.levels.by_role(found):
            patches = _Patches(self._decomposition, numbers, self._uses(role))
            here = np.searchsorted(found, numbers)
            patches.follow({key: boxes.take(here) for key, boxes in asked.items()})
            self._found.update({n: (patches, place) for place, n in enumerate(numbers.tolist())})
            self._of_role.setdefault(role, []).append(patches)
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

    def is_alike(self, storages: Mapping[str, str], roles: Iterable[Role]) -> bool:
        """Return whether patches of some roles use the same cells of some storages and of others.

        Those are asked that have been asked before: to make an exchange of the first.
        """
        pairs = [pair for pair in storages.items() if pair[0] != pair[1]]
        every = [patches for role in roles for patches in self._of_role.get(role, ())]
        return all(patches.are_alike(*pair) for pair in pairs for patches in every)

    def narrowed(
        self, launches: Sequence[Launch], numbers: tuple[int, ...], boxes: BoxArray
    ) -> BoxArray:
        """Return boxes around the cells where kernels do something for others on blocks.

        Args:
            launches: The kernels.
            numbers: The blocks.
            boxes: Where each kernel runs on each of them if all is used (axes, kernels, blocks).
        """
        lower, upper = boxes.lower.copy(), boxes.upper.copy()
        for patches, which, position in self._places(numbers):
            used = patches.doing(launches).take(position)
            lower[..., which], upper[..., which] = boxes.take(which).intersect(used)
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


class _Patches:
    """What ghost patches of a role use: for each component of a storage a box of each patch.

    All boxes lie in one table. It has a row for each component with cells of the patches
    themselves, another with cells of others, and a last one without cells; each row has a column
    for each patch. A place is a number of an entry of the table.

    Args:
        decomposition: All blocks.
        patches: The numbers of these ones, in ascending order.
        uses: What the kernels on them use.
    """

    def __init__(
        self, decomposition: Decomposition, patches: NDArray[np.intp], uses: KernelUses
    ) -> None:
        self._uses = uses
        self._shape = 2 * len(uses.rows) + 1, len(patches)
        axes, places = len(decomposition.extent), self._shape[0] * self._shape[1]
        self._used = BoxArray.without_cells(axes, places)
        # When each box has grown last and how often, and when levels have been followed last.
        self._grown_at = np.zeros(places, np.int64)
        self._growths = np.zeros(places, np.int64)
        self._followed_at = np.zeros(len(uses.levels), np.int64)
        self._now = 0
        # The patches on each space; cells of guests are cells of others.
        blocks = [decomposition.on(space).table(patches) for space in uses.spaces]
        nothing = BoxArray.without_cells(axes, 0)
        self._owned = joined([nothing, *(one.owned.where(~one.is_guest) for one in blocks)])
        self._boxes = joined([nothing, *(one.box for one in blocks)])
        self._beside = BesideLeaves(decomposition, patches)

    def follow(self, asked: Mapping[Key, BoxArray]) -> None:
        """Follow kernels back from what others get until nothing new is used.

        Args:
            asked: What others get of each patch.
        """
        patch = np.arange(self._shape[1])
        for key, row in self._uses.rows.items():
            if key in asked:
                self._grow(self._places(row, patch), asked[key])
        before = -1
        while before < self._now:
            before = self._now
            for number in range(len(self._uses.levels)):
                self._follow(number)

    def _places(self, row: NDArray[np.intp] | int, patch: NDArray[np.intp]) -> NDArray[np.intp]:
        return row * self._shape[1] + patch

    def _follow(self, number: int) -> None:
        """Follow the kernels of a level back, on the patches where more than before is used."""
        level = self._uses.levels[number]
        grown_at = self._grown_at.reshape(self._shape)[level.assigned.row]
        is_new = grown_at > self._followed_at[number]
        self._followed_at[number] = self._now
        use, patch = np.logical_or.reduceat(is_new, level.assigned.first).nonzero()
        if not len(use):
            return
        cells = self._running(level.assigned, use, patch).intersect(level.region.take(use))
        cells = self._beside.limited(level.towards, use, patch, cells)
        runs = cells.has_cells.nonzero()[0]
        of, read = level.reads.by(use[runs])
        row, patch, cells = level.reads.row[read], patch[runs][of], cells.take(runs[of])
        cells = self._beside.limited(level.reads_towards, read, patch, cells)
        used = level.reads.access.take(read).cells(cells).where(cells.has_cells)
        owned = self._owned.take(self._places(self._uses.space[row], patch))
        places = [self._places(row + of_whom, patch) for of_whom in (0, len(self._uses.rows))]
        boxes = [used.intersect(owned), used.beyond(owned)]
        self._grow(np.concatenate(places), joined(boxes))

    def _running(
        self, assigned: ByUser, user: NDArray[np.intp], patch: NDArray[np.intp]
    ) -> BoxArray:
        """Return boxes around where users run on patches to assign what is used."""
        of, number = assigned.by(user)
        used = self._used.take(self._places(assigned.row[number], patch[of]))
        some = np.flatnonzero(used.has_cells)
        found = assigned.access.take(number[some]).users(used.take(some))
        return around_each(of[some], found.where(found.has_cells), len(user))

    def _grow(self, places: NDArray[np.intp], boxes: BoxArray) -> None:
        """Put boxes around known cells and new ones, at places which may appear several times."""
        known = self._used.take(places)
        is_new = (boxes.lower < known.lower) | (boxes.upper > known.upper)
        new = np.flatnonzero(np.any(is_new, axis=0))
        if not len(new):
            return
        self._now += 1
        grown, of = np.unique(places[new], return_inverse=True)
        before = self._used.take(grown)
        after = union([before, around_each(of, boxes.take(new), len(grown))])
        after = self._widened(grown, before, after)
        self._used.lower[:, grown], self._used.upper[:, grown] = after
        self._grown_at[grown] = self._now

    def _widened(self, places: NDArray[np.intp], before: BoxArray, after: BoxArray) -> BoxArray:
        """Return boxes that have grown, too often as far as they may grow on the same sides."""
        self._growths[places] += before.has_cells
        row, patch = np.divmod(places, self._shape[1])
        often = (self._growths[places] > _PATIENCE) & (row < len(self._uses.rows))
        if not often.any():
            return after
        space = self._uses.space[np.where(often, row, 0)]
        limits = union([after, self._boxes.take(self._places(space, patch))])
        return BoxArray(
            np.where(often & (after.lower < before.lower), limits.lower, after.lower),
            np.where(often & (after.upper > before.upper), limits.upper, after.upper),
        )

    def doing(self, launches: Sequence[Launch]) -> BoxArray:
        """Return boxes around where kernels assign what is used (axes, kernels, patches).

        Inlined kernels on layers run where the kernels do for which they do.
        """
        own = [dict.fromkeys(map(launch.access, launch.kernel.statements)) for launch in launches]
        assigned = ByUser.of(
            [
                [
                    one
                    for access in accesses
                    for one in self._uses.assigned(access, is_layer=launch.is_layer)
                ]
                for launch, accesses in zip(launches, own, strict=True)
            ]
        )
        user, patch = np.divmod(np.arange(len(launches) * self._shape[1]), self._shape[1])
        found = self._running(assigned, user, patch)
        found = self._beside.limited(by_towards(list(map(towards, launches))), user, patch, found)
        return BoxArray(*(end.reshape(-1, len(launches), self._shape[1]) for end in found))

    def of_others(self, keys: Sequence[Key]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return which cells beyond its own each patch uses: their ends (axes, keys, patches)."""
        rows = [self._uses.of_others(key) for key in keys]
        lower, upper = (end.reshape(-1, *self._shape)[:, rows] for end in self._used)
        return lower, upper

    def are_alike(self, one: str, other: str) -> bool:
        """Return whether all patches use the same cells of others of two storages."""
        numbers = sorted({q for name, q in self._uses.rows if name in (one, other)})
        of_both = [self.of_others([(name, q) for q in numbers]) for name in (one, other)]
        return all(map(np.array_equal, *of_both))
