"""What kernels on ghost patches read for what they assign, in arrays that liveness follows back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from halocline.box_array import BoxArray, enumerated
from halocline.plan.cells.access import AccessArray
from halocline.plan.exchange.beside_leaves import ByTowards, Towards, by_towards
from halocline.plan.schedule.chains import read_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.language.expressions.expr import Read
    from halocline.language.expressions.kernel import Kernel
    from halocline.language.spaces.space import Space
    from halocline.plan.cells.access import Access, Key
    from halocline.plan.program.program import Launch


class ByUser(NamedTuple):
    """Accesses of several users to components, user by user.

    Attributes:
        first: Where those of each user begin.
        counts: How many each has.
        row: The row of a table with cells of the component; see 'KernelUses'.
        access: How each is accessed.
    """

    first: NDArray[np.int64]
    counts: NDArray[np.int64]
    row: NDArray[np.intp]
    access: AccessArray

    @classmethod
    def of(cls, found: Sequence[Sequence[tuple[int, Access]]]) -> ByUser:
        """Return what each user accesses: rows, and how."""
        counts = np.array([len(some) for some in found], np.int64)
        every = [one for some in found for one in some]
        rows = np.array([row for row, _ in every], np.intp)
        return cls(
            np.cumsum(counts) - counts,
            counts,
            rows,
            AccessArray.of([access for _, access in every]),
        )

    def by(self, users: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return what some users access: the position of the user, and the number of the access."""
        of, number = enumerated(self.counts[users])
        return of, self.first[users][of] + number


class Level(NamedTuple):
    """Uses of which none reads what another one assigns, as far as their order allows.

    Attributes:
        assigned: What each assigns.
        reads: What it reads for that.
        region: Where it runs.
        towards: In which cells there it matters.
        reads_towards: In which of them each read matters.
    """

    assigned: ByUser
    reads: ByUser
    region: BoxArray
    towards: ByTowards
    reads_towards: ByTowards


class KernelUses(NamedTuple):
    """What kernels use, as rows of a table that holds boxes of used cells.

    Attributes:
        rows: For each component the row with a patch's own cells; as many rows later lie those
            with cells of others, and after all these is one for what nobody uses.
        spaces: The spaces of all components.
        space: The number of the space of each component.
        levels: What is followed at once, the last kernels first.
    """

    rows: Mapping[Key, int]
    spaces: tuple[Space, ...]
    space: NDArray[np.intp]
    levels: tuple[Level, ...]

    def assigned(self, access: Access, *, is_layer: bool) -> list[tuple[int, Access]]:
        """Return rows with the cells for which a kernel assigns a component.

        Others compute their cells themselves, but no layers beyond sides for these patches.
        """
        if access.key not in self.rows:
            return []
        row = self.rows[access.key]
        return [(row, access), (row + len(self.rows), access)] if is_layer else [(row, access)]

    def of_others(self, key: Key) -> int:
        """Return the row with cells of others."""
        return len(self.rows) + self.rows.get(key, len(self.rows))


class _Use(NamedTuple):
    """What kernels read for components that they assign.

    Attributes:
        reads: What they read for each of the components, and in which cells each read matters.
        region: Where they run.
        is_layer: Whether they fill layers beyond sides.
        towards: In which cells they matter.
    """

    reads: tuple[tuple[Access, Towards], ...]
    region: Box
    is_layer: bool
    towards: Towards


def uses_of(launches: Iterable[Launch]) -> KernelUses:
    """Return what kernels use.

    Components for which a kernel reads the same belong together: all 19 populations after a
    collision follow from all 19 before it.
    """
    grouped: dict[_Use, dict[Access, None]] = {}
    for launch in launches:
        for read, assigned in _read_for(launch):
            use = _Use(read, launch.region, launch.is_layer, towards(launch))
            grouped.setdefault(use, {}).update(dict.fromkeys(assigned))
    uses = [(use, tuple(assigned)) for use, assigned in reversed(grouped.items())]
    spaces = {a.key: a.space for use, some in uses for a in (*some, *(a for a, _ in use.reads))}
    number = {space: n for n, space in enumerate(dict.fromkeys(spaces.values()))}
    found = KernelUses(
        {key: row for row, key in enumerate(spaces)},
        tuple(number),
        np.array([number[space] for space in spaces.values()], np.intp),
        (),
    )
    return found._replace(levels=tuple([_level(found, some) for some in _by_level(uses)]))


def towards(launch: Launch) -> Towards:
    """Return in which cells a kernel matters."""
    return Towards(launch.space, launch.towards_leaves)


def _towards_of(launch: Launch, access: Access) -> Towards:
    """Return in which cells it matters what a kernel reads."""
    parts = zip(launch.kernel.fields, launch.names, strict=True)
    limited = {name for spec, name in parts if spec.name in launch.of_leaves}
    groups = launch.if_leaves if access.field in limited else ()
    found = (group for group in groups if access.offset in group)
    return Towards(launch.space, next(found, ()))


def _by_level(
    uses: Iterable[tuple[_Use, tuple[Access, ...]]],
) -> list[list[tuple[_Use, tuple[Access, ...]]]]:
    """Return uses by level: each lies beyond those before it that read what it assigns."""
    found: list[list[tuple[_Use, tuple[Access, ...]]]] = []
    beyond: dict[Key, int] = {}
    for use, assigned in uses:
        level = max(beyond.get(access.key, 0) for access in assigned)
        if level == len(found):
            found.append([])
        found[level].append((use, assigned))
        for key in {access.key for access, _ in use.reads}:
            beyond[key] = max(beyond.get(key, 0), level + 1)
    return found


def _level(of: KernelUses, uses: Sequence[tuple[_Use, tuple[Access, ...]]]) -> Level:
    assigned = [
        [one for a in some for one in of.assigned(a, is_layer=use.is_layer)] for use, some in uses
    ]
    return Level(
        ByUser.of(assigned),
        ByUser.of([[(of.rows[a.key], a) for a, _ in use.reads] for use, _ in uses]),
        BoxArray.of([use.region for use, _ in uses]),
        by_towards([use.towards for use, _ in uses]),
        by_towards([way for use, _ in uses for _, way in use.reads]),
    )


def _read_for(
    launch: Launch,
) -> Iterator[tuple[tuple[tuple[Access, Towards], ...], list[Access]]]:
    """Yield what a kernel reads, and the components that it assigns from that."""
    statements = launch.kernel.statements
    for read, numbers in _found_in_memory(launch.kernel):
        every = sorted(
            set(map(launch.access, read)), key=lambda a: (a.field, a.component, a.offset)
        )
        reads = tuple([(access, _towards_of(launch, access)) for access in every])
        yield reads, [launch.access(statements[number]) for number in numbers]


@lru_cache(maxsize=4096)  # rounds have many kernels in common
def _found_in_memory(kernel: Kernel) -> tuple[tuple[frozenset[Read], tuple[int, ...]], ...]:
    """Return reads of memory, and the statements whose values follow from these alone."""
    alike: dict[frozenset[Read], list[int]] = {}
    every: list[frozenset[Read]] = []
    for number, (earlier, in_memory) in enumerate(read_by(kernel)):
        read = frozenset(in_memory).union(*(every[n] for n in earlier))
        every.append(read)
        if read:
            alike.setdefault(read, []).append(number)
    return tuple((read, tuple(numbers)) for read, numbers in alike.items())
