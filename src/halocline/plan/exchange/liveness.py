"""Border use: which cells of the ghost patches between a forest's levels anybody asks for.

What kernels do along a border they are written to do in all cells and for all components. But of a
ghost patch's cells others read some only, and of these some components: so it computes no more than
these follow from, and gets no more than that takes. That is found from who asks, block by block,
backwards: from what others get of a block to what its own kernels read for that.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from halocline.geometry import Box, bounding_box
from halocline.language.expressions.kernel import reads
from halocline.language.spaces.role import runs_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from halocline.language.spaces.role import Role
    from halocline.plan.blocks.decomposition import BlockView, Decomposition
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.cells.block import Block
    from halocline.plan.program.program import Launch

# What grows so often within a block belongs to a step that follows from its like: it grows, cell by
# cell, to the block's end.
_PATIENCE = 8

# A box around cells, by component of a storage.
Cells = dict["Key", Box]


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
        self._uses: dict[Role, _Uses] = {}
        self._known: dict[int, tuple[Cells, Cells]] = {}

    def of_others(self, block: Block) -> Cells | None:
        """Return the cells that a ghost patch uses beyond its own; None for other blocks."""
        return None if self._is_free(block) else self._found(block)[1]

    def is_alike(self, storages: Mapping[str, str]) -> bool:
        """Return whether ghost patches use the same cells of some storages and of others.

        Those are asked that have been asked before: to make an exchange of the first.
        """
        pairs = [pair for pair in storages.items() if pair[0] != pair[1]]
        return all(
            {q: box for (name, q), box in used.items() if name == one}
            == {q: box for (name, q), box in used.items() if name == other}
            for one, other in pairs
            for _, used in self._known.values()
        )

    def _is_free(self, block: Block) -> bool:
        return block.role.kind == "leaf"

    def narrowed(self, launch: Launch, block: Block, box: Box | None) -> Box | None:
        """Return a box around the cells where a kernel does something for others on a block.

        Args:
            launch: The kernel.
            block: The block.
            box: Where it runs if all is used; None if it does not.
        """
        if box is None or self._is_free(block):
            return box
        own, others = self._found(block)
        found = bounding_box(
            access.users(used[access.key])
            for access in launch.assigns
            for used in ((own, others) if launch.is_layer else (own,))
            if access.key in used
        )
        if found is None or not found.meets(box):
            return None
        return found.intersect(box)

    def _found(self, block: Block) -> tuple[Cells, Cells]:
        if block.number not in self._known:
            self._known[block.number] = self._find(block)
        return self._known[block.number]

    def _find(self, block: Block) -> tuple[Cells, Cells]:
        """Follow the kernels of a block back from what others get until nothing new is used."""
        own: Cells = {}
        others: Cells = {}
        new: dict[tuple[Key, bool], None] = {}
        grown: Counter[Key] = Counter()

        def use(cells: Cells, key: Key, box: Box, within: Box | None = None) -> None:
            known = cells.get(key)
            if box.is_empty or (known is not None and known.contains(box)):
                return
            around = box if known is None else box.around(known)
            if known is not None and within is not None:
                grown[key] += 1
                if grown[key] > _PATIENCE:
                    around = _widened(known, around, within)
            cells[key] = around
            new[key, cells is own] = None

        for key, box in self._asked(block).items():
            use(own, key, box)
        uses = self._uses_on(block.role)
        while new:
            used = [(key, (own if is_own else others)[key], is_own) for key, is_own in new]
            new.clear()
            for accesses, where in uses.behind(used):
                for access, view in accesses:
                    place = view.block(block.number)
                    self._use(place, access.key, access.cells(where), own, others, use)
        return own, others

    def _uses_on(self, role: Role) -> _Uses:
        """Return what kernels on blocks of a role use."""
        if role not in self._uses:
            self._uses[role] = _Uses(self._decomposition)
            for launch in self._launches:
                if runs_on(launch.role, role):
                    self._uses[role].add(launch)
        return self._uses[role]

    def _use(
        self,
        place: Block,
        key: Key,
        cells: Box,
        own: Cells,
        others: Cells,
        use: Callable[..., None],
    ) -> None:
        """Note that a block, as a box of cells of a component's space, uses some of these."""
        if place.is_guest:
            use(others, key, cells)
            return
        if place.owned.contains(cells):  # most often
            use(own, key, cells, place.box)
            return
        use(own, key, cells.intersect(place.owned), place.box)
        for box in cells.subtract(place.owned):
            use(others, key, box)


def _widened(known: Box, around: Box, within: Box) -> Box:
    """Return a box that has grown, as far as it may grow on the same sides."""
    old, new, most = (zip(box.lower, box.upper, strict=True) for box in (known, around, within))
    ends = [
        (min(l, m) if l < k else l, max(u, n) if u > v else u)
        for (k, v), (l, u), (m, n) in zip(old, new, most, strict=True)
    ]
    return Box(tuple([l for l, _ in ends]), tuple([u for _, u in ends]))


# What kernels read, with the blocks as boxes of its cells.
Reads = tuple[tuple["Access", "BlockView"], ...]


class _Use(NamedTuple):
    """What kernels read for some of what they assign, and where they run."""

    reads: Reads
    region: Box
    is_layer: bool


class _Uses:
    """What the kernels of a role read for each component that they assign.

    Components for which a kernel reads the same belong together: all 19 populations after a
    collision follow from all 19 before it.

    Args:
        decomposition: The blocks.
    """

    def __init__(self, decomposition: Decomposition) -> None:
        self._decomposition = decomposition
        self._numbers: dict[_Use, int] = {}  # hashing a use takes long
        self._assigning: dict[Key, dict[tuple[Access, int], _Use]] = {}

    def add(self, launch: Launch) -> None:
        """Add what a kernel reads."""
        for assigned, accesses in _uses_of(launch):
            reads_on = tuple([(one, self._decomposition.on(one.space)) for one in accesses])
            use = _Use(reads_on, launch.region, launch.is_layer)
            number = self._numbers.setdefault(use, len(self._numbers))
            self._assigning.setdefault(assigned.key, {}).setdefault((assigned, number), use)

    def behind(self, used: Iterable[tuple[Key, Box, bool]]) -> Iterator[tuple[Reads, Box]]:
        """Yield what is read for some cells, and in a box around which cells of the kernel.

        Args:
            used: Components, their cells, and whether these are the block's own: others compute
                their cells themselves, but no layers beyond sides for this block.
        """
        where: dict[int, tuple[_Use, Box]] = {}
        for key, box, is_own in used:
            for (assigned, number), use in self._assigning.get(key, {}).items():
                cells = assigned.users(box).intersect(use.region)
                if cells.is_empty or not (is_own or use.is_layer):
                    continue
                known = where.get(number)
                where[number] = use, cells if known is None else cells.around(known[1])
        for use, cells in where.values():
            yield use.reads, cells


def _uses_of(launch: Launch) -> Iterator[tuple[Access, tuple[Access, ...]]]:
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
