"""Joining: which kernels, with the boundaries that they read, may share a chain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from halocline.language.expressions.parameters import Parameter
from halocline.plan.cells.reach import renamed
from halocline.plan.program.program import Masked, kept_with_program
from halocline.plan.schedule.chains import (
    Demands,
    demands,
    may_join,
    partial_axes,
)
from halocline.plan.schedule.steps import Break

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from halocline.language.spaces.space import Space
    from halocline.plan.cells.reach import Needs
    from halocline.plan.cells.strategy import Recompute
    from halocline.plan.program.program import Launch, Program
    from halocline.plan.schedule.steps import Passed


# For kernels, by their identity, what of their results later chains read and do not get.
Provided = Mapping[int, "Needs"]
_NOTHING: Provided = MappingProxyType({})


class OpenChain(Struct):
    """A chain that may still grow: its kernels, and what stands between and after them.

    Attributes:
        checked_by: What found that all of its kernels may share an exchange; None if nothing did:
            the first kernel begins a chain with its boundaries, whatever they read.
    """

    launches: list[Launch] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    checked_by: Joining | None = None

    def pass_by(self, item: Passed) -> None:
        """Let something happen after the kernels so far."""
        self.breaks.append(Break(len(self.launches), item))


class Joining:
    """Adds kernels to chains, and remembers what chains ask for.

    Args:
        program: Whose kernels.
        recompute: Of what neighbours have computed, see 'Strategy'.
    """

    def __init__(self, program: Program, recompute: Recompute) -> None:
        self.program = program
        self.recompute = recompute
        self.is_wide = recompute == "all"
        self.known: dict[object, tuple[list[str], Demands]] = {}
        self._alike: dict[int, tuple[Launch, int]] = {}
        self._numbers: dict[object, int] = {}
        self._fillings: dict[tuple[int, str], tuple[Launch, tuple[Launch, ...]]] = {}

    def join(self, chain: OpenChain, launch: Launch) -> bool:
        """Add a kernel and the boundaries it reads to a chain, unless they must not share it."""
        longer = [*chain.launches, *self._boundaries(chain, launch), launch]
        if chain.launches and not self._may_join(chain, longer):
            return False
        chain.checked_by = self if chain.launches else None
        chain.launches = longer
        return True

    def begun_with(self, launch: Launch, chain: OpenChain) -> tuple[OpenChain, OpenChain]:
        """Return a new chain for a kernel, and what then is left of the one before.

        Layers at the end of that one go with the kernel, whose producers they can then be.
        """
        count = len(chain.launches)
        while count and _is_thin(chain.launches[count - 1]):
            count -= 1
        last_break = max((b.position for b in chain.breaks), default=0)
        begun = OpenChain(chain.launches[count:])
        if last_break <= count and self.join(begun, launch):
            return begun, replace(chain, launches=chain.launches[:count], checked_by=None)
        begun = OpenChain()
        self.join(begun, launch)
        return begun, chain

    def _may_join(self, chain: OpenChain, longer: list[Launch]) -> bool:
        is_wide = self.is_wide
        space, role = longer[-1].space, longer[-1].role
        if role != chain.launches[-1].role:
            return False
        if role.is_in_forest:
            # In cells of another level values are others than a neighbour would compute there.
            # What long chains ask for takes long to find, so first what can be told without.
            if _asks_neighbours(chain.launches, longer[-1]):
                return False
            if _stands_beside(chain.launches, longer):
                return True
            if _computes_again(longer, self.demands(longer)):
                return False
        if is_wide and any(
            _grid(o.space) != _grid(space) for o in chain.launches if not o.is_layer
        ):
            # A cell of a coarser grid that is computed again takes many of a finer one.
            return False
        # Around replicated grids nothing is sent, so that nothing is computed again to avoid it.
        is_wide = is_wide and not space.is_replicated
        if is_wide and not any(map(partial_axes, longer)):
            # They always may; asking again and again what long chains need takes long.
            return True
        is_known = chain.checked_by is self and not is_wide and not role.is_in_forest
        if is_known and _reads_own_results(chain.launches, longer):
            # Again, what long chains ask for takes long to find.
            return True
        asked = self.demands(longer)
        if self.recompute == "fewest-bytes" and _computes_again(longer, asked):
            return False
        is_swapped = longer[0].where != longer[-1].where
        if not is_wide and is_swapped and not asked.needs <= self.demands(chain.launches).needs:
            # Another half of the step, that reads what this one leaves: one exchange for both
            # would carry more, and their neighbours' results would be computed again.
            return False
        return may_join(longer, asked, is_wide=is_wide)

    def demands(self, launches: Sequence[Launch], provided: Provided = _NOTHING) -> Demands:
        """Return what kernels ask for; with other storages they ask the same of these.

        Args:
            launches: The kernels.
            provided: What of their results is read by later chains, which do not get it.
        """
        names = list(dict.fromkeys(name for one in launches for name in one.names))
        places = {name: str(place) for place, name in enumerate(names)}
        more = [provided.get(id(one), frozenset()) for one in launches]
        key = tuple(
            (self._likeness(one), *map(places.__getitem__, one.names), renamed(further, places))
            for one, further in zip(launches, more, strict=True)
        )
        if key not in self.known:
            found = demands(launches, provided=more, is_wide=self.is_wide)
            self.known[key] = names, found
        before, found = self.known[key]
        return found if before == names else found.of(dict(zip(before, names, strict=True)))

    def _likeness(self, launch: Launch) -> int:
        """Return a number that kernels have in common which differ in their storages at most."""
        if id(launch) not in self._alike:  # the kernel stays, and with it what it is known by
            what = launch.kernel, launch.region, launch.on_demand, launch.role, launch.spaces
            self._alike[id(launch)] = launch, self._numbers.setdefault(what, len(self._numbers))
        return self._alike[id(launch)][1]

    def _boundaries(
        self, chain: OpenChain, launch: Launch, done: frozenset[str] = frozenset()
    ) -> list[Launch]:
        """Return the boundary kernels of fields that a kernel reads beyond the domain.

        Those may read other fields beyond it. What layers assign themselves they see as it is.
        """
        result: list[Launch] = []
        own = {field for field, _ in launch.writes} if _is_thin(launch) else set()
        for name in dict.fromkeys(launch.names):
            kernels = self._filling(launch, name) if name not in own | done else ()
            if kernels and not _is_fresh(chain, name, kernels):
                done |= {name}
                for kernel in kernels:
                    before = self._boundaries(chain, kernel, done)
                    done |= {field for one in before for field, _ in one.writes}
                    result += before
                result += kernels
        return result

    def _filling(self, launch: Launch, name: str) -> tuple[Launch, ...]:
        """Return the boundary kernels of a field that a kernel needs: the same in every round."""
        key = id(launch), name
        if key not in self._fillings:  # the kernel stays, and with it what it is known by
            found = tuple(one.on(launch.role) for one in self.program.filling(launch, name))
            self._fillings[key] = launch, found
        return self._fillings[key][1]


@kept_with_program
def joining_of(program: Program, recompute: Recompute) -> Joining:
    """Return what joins kernels of a program: what one plan's chains ask for others' do, too."""
    return Joining(program, recompute)


def _grid(space: Space) -> tuple[object, ...]:
    return space.scale, space.is_replicated


def _is_thin(launch: Launch) -> bool:
    return launch.on_demand and not isinstance(launch.body, Masked)


def _is_fresh(chain: OpenChain, name: str, kernels: tuple[Launch, ...]) -> bool:
    """Return whether the boundaries of a field ran in this chain and nothing has changed since."""
    if chain.breaks and any(isinstance(s, Parameter) for one in kernels for s in one.scalars):
        # Another step may have another number.
        return False
    read = {access.field for one in kernels for access in one.reads} - {name}
    missing = list(kernels)
    for one in reversed(chain.launches):
        if _writes(one, {name}):
            if one != missing.pop():
                return False
            if not missing:
                return True
        if _writes(one, read):
            return False
    return False


def _asks_neighbours(launches: Sequence[Launch], new: Launch) -> bool:
    """Return whether a kernel reads next door what others assign, which it would compute again."""
    read = {access.key: access for access in new.reads if any(access.displacement)}
    return any(
        access.key in read and read[access.key].cells(new.region).meets(access.cells(one.region))
        for one in launches
        if not one.on_demand
        for access in one.assigns
    )


def _stands_beside(launches: Sequence[Launch], longer: Sequence[Launch]) -> bool:
    """Return whether a kernel reads what others assign in its own cells alone.

    Then nothing is computed again for it, and what it needs of others it reads itself. Layers of
    constants beyond sides need nothing.
    """
    if len(longer) != len(launches) + 1 or any(map(partial_axes, longer)):
        return False
    new = longer[-1]
    assigned = {key for one in launches if one.reads or not one.on_demand for key in one.writes}
    return new.where == launches[0].where and not any(
        any(access.displacement) and access.key in assigned for access in new.reads
    )


def _reads_own_results(launches: Sequence[Launch], longer: Sequence[Launch]) -> bool:
    """Return whether a kernel, added to others, needs no more from neighbours than it reads itself.

    It does if it reads their results in its own cells alone, which they compute anyway.
    """
    new = longer[-1]
    if len(longer) != len(launches) + 1 or new.where != launches[0].where:
        return False
    read = {access.key: access for access in new.reads}
    results = [(one, a) for one in launches for a in one.assigns if a.key in read]
    if any(
        # Layers compute only what is asked of them.
        one.on_demand and result.cells(one.region).meets(read[result.key].cells(new.region))
        for one, result in results
    ):
        return False
    keys = {result.key for _, result in results}
    used = [*(result for _, result in results), *(a for a in new.reads if a.key in keys)]
    return not any(any(a.displacement) or a.is_part for a in used) and not any(
        map(partial_axes, longer)
    )


def _computes_again(launches: Sequence[Launch], asked: Demands) -> bool:
    """Return whether kernels run in cells of neighbours; those on layers always may."""
    return any(
        reach.is_away
        for launch, reaches in zip(launches, asked.extents, strict=True)
        if not launch.on_demand
        for reach in reaches
    )


def _writes(launch: Launch, fields: AbstractSet[str]) -> bool:
    return any(field in fields for field, _ in launch.writes)
