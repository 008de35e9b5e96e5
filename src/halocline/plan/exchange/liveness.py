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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box, Offset
    from halocline.language.spaces.role import Role
    from halocline.language.spaces.space import Ratio
    from halocline.plan.blocks.decomposition import BlockView, Decomposition
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.cells.block import Block
    from halocline.plan.program.program import Launch

# What grows so often within a block belongs to a step that follows from its like: it grows, cell by
# cell, to the block's end.
_PATIENCE = 8

# A box around cells, by component of a storage.
Cells = dict["Key", "Box"]


class PatchLiveness:
    """Says of each ghost patch which cells it uses, of its own and of others'.

    Args:
        launches: The kernels of a round.
        decomposition: The blocks.
        asked: Returns boxes around what blocks get of a block's own cells.
    """

    def __init__(
        self,
        launches: Iterable[Launch],
        decomposition: Decomposition,
        asked: Callable[[Block], Cells],
    ) -> None:
        self._decomposition = decomposition
        self._asked = asked
        self._launches = tuple(launches)
        self._uses: dict[Role, tuple[_Use, ...]] = {}
        self._found: dict[int, tuple[_Patches, int]] = {}

    def find(self, blocks: Iterable[Block]) -> None:
        """Find what blocks use, all at once: sooner than one after the other."""
        of_role: dict[Role, list[Block]] = {}
        for block in blocks:
            if not _uses_all(block) and block.number not in self._found:
                of_role.setdefault(block.role, []).append(block)
        for role, found in of_role.items():
            patches = _Patches(self._decomposition, found)
            patches.follow(self._uses_on(role), [self._asked(block) for block in found])
            self._found.update({block.number: (patches, n) for n, block in enumerate(found)})

    def of_others(self, block: Block) -> Cells | None:
        """Return the cells that a ghost patch uses beyond its own; None for other blocks."""
        if _uses_all(block):
            return None
        self.find([block])
        patches, position = self._found[block.number]
        return patches.cells_of_others()[position]

    def is_alike(self, storages: Mapping[str, str]) -> bool:
        """Return whether ghost patches use the same cells of some storages and of others.

        Those are asked that have been asked before: to make an exchange of the first.
        """
        pairs = [pair for pair in storages.items() if pair[0] != pair[1]]
        every = {patches for patches, _ in self._found.values()}
        return all(patches.are_alike(*pair) for pair in pairs for patches in every)

    def narrowed(
        self, launch: Launch, blocks: Sequence[Block], boxes: Sequence[Box | None]
    ) -> list[Box | None]:
        """Return boxes around the cells where a kernel does something for others on blocks.

        Args:
            launch: The kernel.
            blocks: The blocks.
            boxes: For each where it runs if all is used; None if it does not.
        """
        self.find(blocks)
        doing: dict[_Patches, list[Box | None]] = {}
        result: list[Box | None] = []
        for block, box in zip(blocks, boxes, strict=True):
            if box is None or _uses_all(block):
                result.append(box)
                continue
            patches, position = self._found[block.number]
            if patches not in doing:
                doing[patches] = patches.doing(launch)
            used = doing[patches][position]
            result.append(used.intersect(box) if used and used.meets(box) else None)
        return result

    def _uses_on(self, role: Role) -> tuple[_Use, ...]:
        """Return what kernels on blocks of a role use."""
        if role not in self._uses:
            running = [launch for launch in self._launches if runs_on(launch.role, role)]
            self._uses[role] = _uses_of(running, self._decomposition)
        return self._uses[role]


def _uses_all(block: Block) -> bool:
    """Return whether a block uses all that its kernels read: others than ghost patches do."""
    return block.role.kind == "leaf"


class _Place(NamedTuple):
    """Blocks of a role as boxes of a space's cells; see 'Block'."""

    box: BoxArray
    owned: BoxArray
    is_guest: bool


class _Patches:
    """What ghost patches of a role use: for each component of a storage a box of each patch.

    Args:
        decomposition: All blocks.
        patches: These ones.
    """

    def __init__(self, decomposition: Decomposition, patches: Sequence[Block]) -> None:
        self._numbers = [patch.number for patch in patches]
        self._nothing = BoxArray.without_cells(len(decomposition.extent), len(patches))
        self._own: dict[Key, BoxArray] = {}
        self._others: dict[Key, BoxArray] = {}
        # Where components of storages may grow to, and how often they have grown.
        self._limits: dict[Key, BoxArray] = {}
        self._grown: dict[Key, NDArray[np.int64]] = {}

    def follow(self, uses: Sequence[_Use], asked: Sequence[Cells]) -> None:
        """Follow kernels back from what others get until nothing new is used.

        Args:
            uses: What the kernels use.
            asked: What others get of each patch.
        """
        growing = self._grow(self._own, _arrays(asked, self._nothing))
        while growing:
            own: dict[Key, list[BoxArray]] = {}
            others: dict[Key, list[BoxArray]] = {}
            for use in uses:
                if use.keys.isdisjoint(growing):
                    continue
                running = self._assigning(use.assigned, is_layer=use.is_layer)
                cells = running.within(use.region)
                for access, view in use.reads if cells.has_cells.any() else ():
                    used, place = access.cells(cells), self._place(view)
                    if place.is_guest:
                        others.setdefault(access.key, []).append(used)
                        continue
                    self._limits[access.key] = place.box
                    own.setdefault(access.key, []).append(used.intersect(place.owned))
                    others.setdefault(access.key, []).append(used.beyond(place.owned))
            growing = self._grow(self._own, own) | self._grow(self._others, others)

    def doing(self, launch: Launch) -> list[Box | None]:
        """Return boxes around where a kernel assigns what is used; None where it does not."""
        assigned = ((access, (access.key,)) for access in launch.assigns)
        return self._assigning(assigned, is_layer=launch.is_layer).boxes()

    @memoised
    def cells_of_others(self) -> list[Cells]:
        """Return the cells that each patch uses beyond its own."""
        result: list[Cells] = [{} for _ in self._numbers]
        for key, used in self._others.items():
            for cells, box in zip(result, used.boxes(), strict=True):
                if box is not None:
                    cells[key] = box
        return result

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
        blocks = [view.block(number) for number in self._numbers]
        box, owned = (
            BoxArray.of([getattr(one, name) for one in blocks]) for name in ("box", "owned")
        )
        return _Place(box, owned, blocks[0].is_guest)

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


def _arrays(cells: Sequence[Cells], nothing: BoxArray) -> dict[Key, list[BoxArray]]:
    """Return boxes of several patches, for each component an array."""
    found: dict[Key, BoxArray] = {}
    for position, boxes in enumerate(cells):
        for key, box in boxes.items():
            if key not in found:
                found[key] = BoxArray(nothing.lower.copy(), nothing.upper.copy())
            if not box.is_empty:
                found[key].lower[:, position] = box.lower
                found[key].upper[:, position] = box.upper
    return {key: [boxes] for key, boxes in found.items()}


# What kernels read, with the blocks as boxes of its cells.
Reads = tuple[tuple["Access", "BlockView"], ...]


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
            reads_on = tuple([(one, decomposition.on(one.space)) for one in accesses])
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
