"""Border use: which cells of the thin blocks between a forest's levels anybody asks for.

What kernels do along a border they are written to do in all cells and for all components. But of a
thin block's cells others read some only, and of these some components: so it computes no more than
these follow from, and gets no more than that takes. That is found from who asks, block by block,
backwards: from what others get of a block to what its own kernels read for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halocline.geometry import Box, bounding_box
from halocline.language.expressions.kernel import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from halocline.language.spaces.role import Role
    from halocline.plan.access import Access, Key
    from halocline.plan.block import Block
    from halocline.plan.decomposition import Decomposition
    from halocline.plan.message import Part
    from halocline.plan.program import Launch, Program

# A box around cells, by component of a field, whichever of those that it is swapped with.
Cells = dict["Key", Box]


class BorderUse:
    """Says of each thin block which cells it uses, of its own and of others'.

    Args:
        program: The steps.
        launches: Their kernels.
        decomposition: The blocks.
        asked: Returns what blocks get of a block's own cells.
    """

    def __init__(
        self,
        program: Program,
        launches: Iterable[Launch],
        decomposition: Decomposition,
        asked: Callable[[Block], Iterable[Part]],
    ) -> None:
        self._decomposition = decomposition
        self._asked = asked
        self._groups = {name: min(group) for name, group in program.groups.items()}
        self._uses: dict[Role | None, list[_Use]] = {}
        for launch in launches:
            if launch.role is not None and launch.role.kind != "leaf":
                known = self._uses.setdefault(launch.role, [])
                known += [use for use in _uses_of(launch) if use not in known]
        self._known: dict[int, tuple[Cells, Cells]] = {}

    def of_others(self, block: Block) -> Cells | None:
        """Return the cells that a thin block uses beyond its own; None for other blocks."""
        return None if self._is_free(block) else self._found(block)[1]

    def _is_free(self, block: Block) -> bool:
        return block.role is None or block.role.kind == "leaf"

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
            access.users(used[key])
            for access in launch.assigns
            for used in ((own, others) if launch.is_layer else (own,))
            if (key := self.key(access.key)) in used
        )
        if found is None or not found.meets(box):
            return None
        return found.intersect(box)

    def key(self, key: Key) -> Key:
        """Return the name under which cells of a component are known."""
        return self._groups.get(key[0], key[0]), key[1]

    def _found(self, block: Block) -> tuple[Cells, Cells]:
        if block.number not in self._known:
            self._known[block.number] = self._find(block)
        return self._known[block.number]

    def _find(self, block: Block) -> tuple[Cells, Cells]:
        """Follow the kernels of a block back from what others get until nothing new is used."""
        own: Cells = {}
        others: Cells = {}
        new: list[tuple[Key, Box, bool]] = []

        def use(cells: Cells, key: Key, box: Box) -> None:
            known = cells.get(key)
            around = bounding_box([box] if known is None else [known, box])
            if around is not None and around != known:
                cells[key] = around
                new.append((key, around, cells is own))

        for part in self._asked(block):
            use(own, self.key((part.field, part.component)), part.source_box)
        while new:
            key, box, is_own = new.pop()
            for made in self._uses.get(block.role, ()):
                # Others compute their cells themselves, but no layers beyond sides for this block.
                if self.key(made.assigned.key) != key or not (is_own or made.is_layer):
                    continue
                where = made.assigned.users(box).intersect(made.region)
                if where.is_empty:
                    continue
                for access in made.reads:
                    self._use(block, access, access.cells(where), own, others, use)
        return own, others

    def _use(
        self,
        block: Block,
        access: Access,
        cells: Box,
        own: Cells,
        others: Cells,
        use: Callable[[Cells, Key, Box], None],
    ) -> None:
        """Note that a block uses some cells."""
        place = self._decomposition.on(access.space).block(block.number)
        key = self.key(access.key)
        if place.is_guest:
            use(others, key, cells)
            return
        use(own, key, cells.intersect(place.owned))
        for box in cells.subtract(place.owned):
            use(others, key, box)


@dataclass(frozen=True, slots=True)
class _Use:
    """What a kernel reads for a component that it assigns, and where it runs."""

    assigned: Access
    reads: tuple[Access, ...]
    region: Box
    is_layer: bool


def _uses_of(launch: Launch) -> list[_Use]:
    """Return for each component that a kernel assigns what it reads for that."""
    result = []
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
        assigned = launch.access(statement)
        result.append(_Use(assigned, tuple(every), launch.region, launch.is_layer))
    return result
