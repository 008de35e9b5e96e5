"""Slots: the numbers of blocks, fields, scalars and functions in the C++ runtime."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from halocline.errors import KernelError
from halocline.language.expressions.parameters import Formula, Parameter, step, time
from halocline.language.series.series import Series
from halocline.memo import memoised
from halocline.plan.cells.block import NOBODY
from halocline.runtime import _core
from halocline.runtime.formulas import steps_of
from halocline.runtime.storage import BlockStorage, three

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.language.grids.grid import Grid
    from halocline.language.spaces.space import Space
    from halocline.language.steps.steps import Callback
    from halocline.language.steps.tree import Until
    from halocline.plan.cells.block import Block
    from halocline.plan.schedule.layout import FieldLayout
    from halocline.plan.value.plan import Plan
    from halocline.runtime.job import Job

# The scalars that the runtime keeps itself.
STEP_SLOT, TIME_SLOT = 0, 1


class Slots:
    """Blocks, fields, scalars, loops and functions of one simulation in its C++ runtime.

    Args:
        runtime: The C++ runtime.
        plan: The rank's plan, for its blocks.
        grid: The grid.
        job: The ranks.
        alignment: Of rows, unless a field says it [bytes].
        call: Calls a Python function within a step.

    Attributes:
        decomposition: All blocks.
        blocks: The position of each block of this rank by its number.
        leaves: Those of the forest; None for a grid.
        storages: The fields by name, hidden ones included.
        series: Those that the runtime looks up, in the order of their use.
        loops: Loops whose condition may fail, by number.
        is_abandoned: Whether fields have moved to other slots.
    """

    def __init__(
        self,
        runtime: _core.Runtime,
        plan: Plan,
        grid: Grid,
        job: Job,
        alignment: int,
        call: Callable[[Callback], None],
    ) -> None:
        self.runtime = runtime
        self.job = job
        self.decomposition = plan.decomposition
        self.own_boxes = partial(plan.decomposition.own_boxes, plan.rank)
        self.blocks = {block.number: n for n, block in enumerate(plan.blocks)}
        self.leaves = None if grid.state.forest is None else grid.state.forest.leaves
        self.storages: dict[str, BlockStorage] = {}
        self.series: dict[Series, None] = {}
        self.loops: list[Until[Any]] = []
        self.is_abandoned = False
        self._alignment = alignment
        self._call = call
        self._is_sparse = NOBODY in plan.decomposition.owners
        self._spaces: dict[Space, int] = {}
        self._scalars: dict[Parameter, int] = {step: STEP_SLOT, time: TIME_SLOT}
        self._parameters: list[tuple[Parameter, int]] = []

    @property
    def layouts(self) -> tuple[FieldLayout, ...]:
        """How the fields are stored."""
        return tuple(storage.layout for storage in self.storages.values())

    def blocks_of(self, space: Space) -> tuple[Block, ...]:
        """Return the blocks of this rank, as boxes of a space's cells."""
        return self.decomposition.on(space).blocks_of(self.job.rank)

    def space(self, space: Space) -> int:
        """Return the number of a space."""
        if space not in self._spaces:
            ends = zip(space.extent, space.periodic, strict=True)
            period = tuple(n if closes else 0 for n, closes in ends)
            number = self.runtime.add_space(three(period, 0), _shifted_translations(space))
            self._spaces[space] = number
            for block in self.blocks_of(space):
                box = space.flat(block.box)
                cells = _core.Box(three(box.lower, 0), three(box.upper, 1))
                self.runtime.add_block(number, cells, 0 if space.lacks[0] else block.wrap)
        return self._spaces[space]

    def store(self, layout: FieldLayout) -> BlockStorage:
        """Allocate a field on every block."""
        decomposition, space = self.decomposition.on(layout.space), self.space(layout.space)
        self.storages[layout.name] = storage = BlockStorage(
            layout, decomposition, self.runtime, space, self.job, self._alignment
        )
        for position, block in enumerate(storage.blocks):
            for box in decomposition.absent(block) if self._is_sparse else ():
                storage.clear(position, layout.space.flat(box))
        return storage

    def remove(self, *names: str) -> None:
        """Give back the memory of fields, and forget all programs; collective."""
        self.is_abandoned = True
        for name in names:
            self.runtime.remove_field(self.storages.pop(name).slot)

    def take_block_times(self) -> dict[int, float]:
        """Return the time of kernels on each block of this rank since the last call [s]."""
        times = [self.runtime.take_block_times(space) for space in self._spaces.values()]
        return dict(zip(self.blocks, map(sum, zip(*times, strict=True)), strict=True))

    def scalar(self, value: float | Parameter) -> int:
        """Return the number of a scalar.

        Raises:
            KernelError: It is a series of arrays.
        """
        if not isinstance(value, Parameter):
            return self.runtime.add_scalar(value)
        if isinstance(value, Formula):
            return self.runtime.add_formula(steps_of(value, self.scalar))
        if value not in self._scalars:
            self._scalars[value] = slot = self.runtime.add_scalar(value.value)
            if isinstance(value, Series):
                self._follow(slot, value)
            else:
                self._parameters.append((value, slot))
        return self._scalars[value]

    def _follow(self, slot: int, series: Series) -> None:
        """Let a scalar take the values of a series of one number."""
        if series.shape:
            raise KernelError(
                f"The series '{series.name}' has values of shape {series.shape} at each time; "
                "expected one number, since it stands for a number.",
                hint="Rows of numbers are injected at points, points.inject(series, into=field); "
                "arrays fill a field, hc.fill(field, series).",
            )
        self.runtime.add_series(slot, series.times, series.values, series.period)
        self.series[series] = None

    def write_parameters(self) -> None:
        """Give the runtime the values of parameters."""
        for parameter, slot in self._parameters:
            self.runtime.set_scalar(slot, parameter.value)

    def read_parameters(self) -> None:
        """Give parameters, and the clock, the values that the runtime has."""
        for parameter, slot in (*self._parameters, (step, STEP_SLOT), (time, TIME_SLOT)):
            parameter.value = self.runtime.scalar(slot)

    def loop(self, loop: Until[Any]) -> int:
        """Return the number of a loop whose condition may fail."""
        self.loops.append(loop)
        return len(self.loops) - 1

    @memoised
    def callback(self, callback: Callback) -> int:
        """Return the number of a Python function."""
        return self.runtime.add_callback(partial(self._call, callback))


def _shifted_translations(space: Space) -> list[tuple[int, tuple[int, int, int]]]:
    """Return the translations of a space if not all of them are straight."""
    if all(translation.is_straight for translation in space.translations):
        return []
    return [(translation.axis, three(translation.way, 0)) for translation in space.translations]
