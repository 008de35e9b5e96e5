"""A schedule on blocks: how fields are stored there, and who sends what to whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.spaces.role import runs_on
from halocline.memo import memoised
from halocline.plan.exchange.exchange import Exchanger
from halocline.plan.exchange.kernel_uses import uses_of
from halocline.plan.program.program import all_launches
from halocline.plan.schedule.layout import launched, make_layouts
from halocline.plan.schedule.layout_checks import check_layouts
from halocline.plan.schedule.steps import all_needs, with_chains

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.spaces.role import Role
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.cells.strategy import Strategy
    from halocline.plan.exchange.kernel_uses import KernelUses
    from halocline.plan.program.program import Program
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.schedule.steps import Chain, Schedule


class Distribution(Frozen):
    """How a program is distributed.

    Attributes:
        decomposition: Blocks and their owners.
        strategy: How blocks communicate.
        stored: How fields are already stored; others are stored as their kernels need it.
    """

    decomposition: Decomposition
    strategy: Strategy
    stored: tuple[FieldLayout, ...] = ()


class DistributedSchedule(Frozen):
    """A schedule on the blocks of all ranks.

    Attributes:
        schedule: Chains of kernels and what they need.
        distribution: Blocks and strategy.
        layouts: How fields are stored.
        exchanger: Makes messages from needs.
    """

    schedule: Schedule
    distribution: Distribution
    layouts: tuple[FieldLayout, ...]
    exchanger: Exchanger

    @property
    def program(self) -> Program:
        """What is scheduled."""
        return self.schedule.program

    def with_chains(self, change: Callable[[Chain], Chain]) -> DistributedSchedule:
        """Return a schedule in which each chain is changed."""
        items = with_chains(self.schedule.items, change)
        return replace(self, schedule=replace(self.schedule, items=items))


def distributed(schedule: Schedule, how: Distribution) -> DistributedSchedule:
    """Make halos as wide as kernels read, and check that blocks are.

    Raises:
        PlanError: A halo leads more than once around rows that are cut, is deeper than blocks are
            wide, or is wider than fields are stored with.
    """
    wanted = _layouts(schedule)
    check_layouts(wanted, how.stored, how.strategy, how.decomposition)
    known = {layout.name for layout in how.stored}
    layouts = (*how.stored, *(layout for layout in wanted if layout.name not in known))
    shared = _may_hold_pushed(schedule.program)
    exchanger = Exchanger(how.decomposition, layouts, how.strategy, shared).tracing(schedule.moved)
    return DistributedSchedule(schedule, how, layouts, exchanger)


def with_live_patches(distributed: DistributedSchedule) -> DistributedSchedule:
    """Limit the ghost patches of a forest to the cells that are used later (liveness)."""
    schedule = distributed.schedule
    uses = partial(_uses, schedule)
    exchanger = distributed.exchanger.limited(uses, all_needs(schedule))
    return replace(distributed, exchanger=exchanger)


@memoised
def _layouts(schedule: Schedule) -> tuple[FieldLayout, ...]:
    """Return how fields are stored, whatever the blocks are."""
    return make_layouts(schedule.program, schedule)


@memoised
def _uses(schedule: Schedule, role: Role) -> KernelUses:
    """Return what kernels on blocks of a role use, whatever the blocks are."""
    return uses_of(one for one, _ in launched(schedule.items) if runs_on(one.role, role))


def _may_hold_pushed(program: Program) -> frozenset[str]:
    """Return the fields that may hold what any kernel assigns next door, after swaps too."""
    names = {
        access.field
        for launch in all_launches(program.steps)
        for access in launch.assigns
        if any(access.displacement)
    }
    return frozenset(names.union(*(program.groups.get(name, ()) for name in names)))
