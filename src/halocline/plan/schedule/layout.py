"""How many halo cells each field is stored with: as far as any kernel reads or writes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from halocline.box_array import BoxArray
from halocline.frozen import Frozen
from halocline.geometry import Box, bounding_box, by_axes
from halocline.language.spaces.role import PATCHES, Role, blocks_of
from halocline.language.steps.tree import Every, walk
from halocline.plan.cells.reach import Reach
from halocline.plan.program.program import swapped_storages
from halocline.plan.schedule.copy_propagation import needless
from halocline.plan.schedule.steps import Chain, all_needs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import FieldType
    from halocline.language.spaces.space import Space
    from halocline.plan.blocks.decomposition import BlockView
    from halocline.plan.cells.access import Access
    from halocline.plan.cells.block import Block
    from halocline.plan.program.program import Launch, Program
    from halocline.plan.schedule.steps import Schedule, ScheduleItem


# How many cells at the low and at the high side of each axis.
Halo = tuple["Offset", "Offset"]


class FieldLayout(Frozen):
    """How a field is stored on every block.

    Attributes:
        spec: The field.
        lower: Halo cells at the low side of each axis.
        upper: Halo cells at the high side of each axis.
        space: Its cells.
        halos: In a forest the same of blocks of each role, and above the most; ghost patches of
            other roles do not store the field. In a grid there are none: all blocks are alike.
        is_on_every_leaf: Whether leaves store it in any case, since users see it.
    """

    spec: FieldType
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    space: Space
    halos: tuple[tuple[Role, Halo], ...] = ()
    is_on_every_leaf: bool = True

    def __str__(self) -> str:
        """Return the halo as text: 'field T, halo 1x1 below and 1x1 above'."""
        return (
            f"field {self.name}, halo {by_axes(self.lower)} below and {by_axes(self.upper)} above"
        )

    @property
    def name(self) -> str:
        """The field's name."""
        return self.spec.name

    @property
    def dtype(self) -> str:
        """Its element type."""
        return self.spec.dtype

    @property
    def components(self) -> int:
        """Numbers per cell."""
        return self.spec.components

    @property
    def bytes_per_value(self) -> int:
        """Size of one number [bytes]."""
        return np.dtype(self.dtype).itemsize

    def halo(self, role: Role) -> Halo:
        """Return the halo cells of blocks of a role."""
        most = self.lower, self.upper
        return dict(self.halos).get(role, _none_of(most)) if self.halos else most

    def is_stored_on(self, role: Role) -> bool:
        """Return whether blocks of a role store the field."""
        return (role.is_leaf and self.is_on_every_leaf) or role in dict(self.halos)

    def stored(self, block: Block) -> Box:
        """Return the cells stored for a block, if it stores the field: its own and the halo."""
        box = self.space.flat(block.box)
        if not self.is_stored_on(block.role):
            return Box(box.lower, box.lower)
        return box.grow(*self.halo(block.role))

    def all_stored(self, blocks: BlockView, numbers: NDArray[np.intp]) -> BoxArray:
        """Return the cells stored for each of some blocks, if it stores the field.

        Args:
            blocks: All blocks, as boxes of the field's space.
            numbers: Which of them.
        """
        box = self.space.all_flat(blocks.table(numbers).box)
        levels = blocks.decomposition.levels
        kind = levels.kind_of(numbers)
        halos = np.array([self.halo(role) for role in levels.kinds])[kind]
        is_stored = np.array([self.is_stored_on(role) for role in levels.kinds])[kind]
        return BoxArray(box.lower - halos[:, 0].T, box.upper + halos[:, 1].T).where(is_stored)

    def all_kept(self, blocks: BlockView, numbers: NDArray[np.intp]) -> BoxArray:
        """Return the cells that blocks have themselves: own ones and stored ones beyond the domain.

        Args:
            blocks: All blocks, as boxes of the field's space.
            numbers: Which of them.
        """
        owned = self.space.all_flat(blocks.table(numbers).owned)
        return owned.intersect(self.all_stored(blocks, numbers))

    def fits(self, other: FieldLayout) -> bool:
        """Return whether halos are at most as wide as those of another one."""
        pairs = [((self.lower, self.upper), (other.lower, other.upper))]
        pairs += [(halo, other.halo(role)) for role, halo in self.halos]
        is_stored = all(other.is_stored_on(role) for role, _ in self.halos)
        return is_stored and all(widest([one, there]) == there for one, there in pairs)

    def widened(self, other: FieldLayout) -> FieldLayout:
        """Return a layout whose halos are as wide as those of both."""
        lower, upper = widest([(self.lower, self.upper), (other.lower, other.upper)])
        return replace(self, lower=lower, upper=upper, halos=_of_roles(self.halos + other.halos))


def make_layouts(program: Program, schedule: Schedule) -> tuple[FieldLayout, ...]:
    """Return the layout of every field; leaves store fields that are swapped alike."""
    halos = _halos(program, schedule)
    result = []
    for spec in program.fields:
        layout = _layout(spec, program.spaces[spec.name], halos.get(spec.name, {}))
        is_seen = spec.name not in program.only_assigned or not layout.halos
        result.append(replace(layout, is_on_every_leaf=is_seen))
    return tuple(result)


def _halos(program: Program, schedule: Schedule) -> dict[str, dict[Role, Halo]]:
    """Return the halos of each storage, by the roles of kernels, on whose blocks it is stored."""
    none = ((0,) * program.dimensions,) * 2
    every = launched(schedule.items)
    left_out = needless([launch for launch, _ in every], schedule.moved)
    widths = _widths((launch, extent) for launch, extent in every if launch not in left_out)
    halos: dict[str, dict[Role, Halo]] = {}
    for (field, role), of_field in widths.items():
        for name in program.groups.get(field, (field,)):
            of_roles = halos.setdefault(name, {})
            of_roles[role] = widest([of_roles.get(role, none), *of_field])
    used = set(widths)
    unused = {(a.field, launch.role) for launch in left_out for a in launch.assigns} - used
    for name, role in _got_from_patches(program, schedule) - unused:
        halos.setdefault(name, {}).setdefault(role, none)
        used.add((name, role))
    # Where contents are swapped at run time, a storage has to hold what the other one holds.
    may_swap = swapped_storages(schedule.items).union(*(dict(end.away) for end in program.ends))
    used |= {(o, r) for n, r in used if n in may_swap for o in program.groups[n] & may_swap}
    return {
        name: {r: halo for r, halo in of_roles.items() if r.is_leaf or (name, r) in used}
        for name, of_roles in halos.items()
    }


def _widths(
    launches: Iterable[tuple[Launch, frozenset[Reach]]],
) -> dict[tuple[str, Role], set[Halo]]:
    """Return how far kernels of each role get at each storage beyond a block's own cells."""
    found: dict[tuple[str, Role], set[Halo]] = {}
    for launch, extent in launches:
        somewhere = bounding_box(reach.region for reach in extent)
        if somewhere is None:
            continue
        furthest = Reach(
            tuple(map(min, zip(*(reach.lower for reach in extent), strict=True))),
            tuple(map(max, zip(*(reach.upper for reach in extent), strict=True))),
            somewhere,
        )
        for access in _accesses(launch):
            found.setdefault((access.field, launch.role), set()).add(_width(access, furthest))
    return found


def _got_from_patches(program: Program, schedule: Schedule) -> set[tuple[str, Role]]:
    """Return the storages that others get from ghost patches, with the patches' roles."""
    needs = frozenset().union(*all_needs(schedule))
    names = {need.field for need in needs if need.role.is_in_forest} - program.only_assigned
    return {(name, Role(kind, program.spaces[name].level)) for name in names for kind in PATCHES}


def _layout(spec: FieldType, space: Space, halos: dict[Role, Halo]) -> FieldLayout:
    """Return the layout of a field that kernels of some roles ask for halos of."""
    none = ((0,) * len(space.extent),) * 2
    lower, upper = widest([none, *halos.values()])
    apart = [(role, halo) for role, halo in halos.items() if role.is_in_forest]
    on_blocks = [(block, halo) for role, halo in apart for block in blocks_of(role)]
    return FieldLayout(spec, lower, upper, space, _of_roles(on_blocks))


def _of_roles(halos: Iterable[tuple[Role, Halo]]) -> tuple[tuple[Role, Halo], ...]:
    """Return one halo for each role, as wide as all."""
    found: dict[Role, Halo] = {}
    for role, halo in halos:
        found[role] = widest([halo, found.get(role, halo)])
    return tuple(sorted(found.items()))


def widest(halos: Iterable[Halo]) -> Halo:
    """Return a halo as wide as all of some."""
    lower, upper = zip(*halos, strict=True)
    return tuple(map(max, zip(*lower, strict=True))), tuple(map(max, zip(*upper, strict=True)))


def _none_of(halo: Halo) -> Halo:
    none = (0,) * len(halo[0])
    return none, none


def launched(items: Iterable[ScheduleItem]) -> list[tuple[Launch, frozenset[Reach]]]:
    """Return every kernel of a schedule with where it runs."""
    result: list[tuple[Launch, frozenset[Reach]]] = []
    for item in walk(items):
        if isinstance(item, Chain):
            result += zip(item.launches, item.extents, strict=True)
            result += launched(b.item for b in item.breaks if isinstance(b.item, Every))
    return result


def _accesses(launch: Launch) -> list[Access]:
    used = {(a.field, a.offset): a for a in (*launch.reads, *launch.assigns)}
    # A kernel may do nothing but assign next door, and in cells beyond those that it assigns.
    here = (0,) * launch.kernel.dimensions
    used |= {(a.field, here): a._replace(offset=here) for a in launch.assigns}
    return list(used.values())


@lru_cache(maxsize=1 << 12)
def _width(access: Access, furthest: Reach) -> tuple[Offset, Offset]:
    """Return how far beyond a block's own cells of a field a kernel gets.

    Args:
        access: How it uses the field.
        furthest: Around all that it computes.
    """
    space = access.space
    if space.periodic[0]:
        # Where rows close on themselves, a kernel runs in a block's own cells of them.
        lower, upper = min(furthest.lower[0], 0), max(furthest.upper[0], 0)
        furthest = Reach(
            (lower, *furthest.lower[1:]), (upper, *furthest.upper[1:]), furthest.region
        )
    reach = access.used_from(furthest)
    below, above = [], []
    for axis, (lower, upper) in enumerate(zip(reach.lower, reach.upper, strict=True)):
        # Beyond a replicated space lie layers alone.
        is_closed = space.is_replicated and not space.periodic[axis]
        low, high = ([0], [0]) if is_closed else ([0, -lower], [0, upper])
        if not space.periodic[axis]:
            # At the edge of the domain a block's own cells include boundary layers.
            low.append(-reach.region.lower[axis])
            high.append(reach.region.upper[axis] - space.domain.upper[axis])
        below.append(0 if space.lacks[axis] else max(low))
        above.append(0 if space.lacks[axis] else max(high))
    return tuple(below), tuple(above)
