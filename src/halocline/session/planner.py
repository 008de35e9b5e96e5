"""Planner: the plans of a simulation, made or read from a file; to look at them changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.cells.strategy import Strategy
from halocline.plan.encoding import Encoder
from halocline.plan.pipeline import bound, decided, for_all_ranks, of_rank, plan_of
from halocline.plan.plan_file import section_of, write_plans
from halocline.session.kept_plans import KeptPlans
from halocline.tune.candidates import candidate_plans
from halocline.tune.predictor import prices_here

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.plan.blocks.choice import AnyDecomposition
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.plan.plan_file import PlanFile
    from halocline.plan.platform import Platform
    from halocline.plan.program.program import Program
    from halocline.plan.value.plan import Plan
    from halocline.runtime.job import Job
    from halocline.tune.candidates import CandidatePlans
    from halocline.tune.predictor import Predictor


class Bound(Struct):
    """A step bound to a grid, with which all is kept that follows from it alone.

    Attributes:
        program: The step; None before it is bound for the first time.
        made_of: How often fields had been given boundaries then, and which there were.
    """

    program: Program | None = None
    made_of: tuple[int, tuple[str, ...]] = (0, ())


class Planner(Frozen):
    """Plans the steps of a simulation, which need not be complete before it is asked.

    Attributes:
        grid: The grid.
        steps: The time step.
        check_every: After how many steps fields are searched for values that are not numbers.
        job: The ranks.
        platform: What they run on.
        predictor: What predicts their steps.
        strategy: The one that the user has chosen, or 'auto'.
        shape: The decomposition that the user has chosen, and the blocks a rank.
        file: Where the plans stand; None if they are to be made.
        reason: Why the strategy is kept that an earlier plan had, for the report.
        known: The step as it was bound last.
    """

    grid: Grid
    steps: tuple[Step, ...]
    check_every: int
    job: Job
    platform: Platform
    predictor: Predictor
    strategy: Strategy | str
    shape: tuple[AnyDecomposition, int]
    file: PlanFile | None = None
    reason: str = ""
    known: Bound = field(default_factory=Bound)

    def __post_init__(self) -> None:
        """Refuse a file whose plans are for devices where there are none, and the other way."""
        if self.file is not None:
            self.file.check_device(has_devices=self.platform.has_devices)

    def bound(self) -> Program:
        """Return the step bound to the grid, the same while nothing but its blocks changes."""
        made_of = self.grid.state.boundaries, tuple(self.grid.fields)
        if self.known.program is None or self.known.made_of != made_of:
            self.known.program = bound(self.grid, self.steps, self.check_every)
            self.known.made_of = made_of
        return self.known.program

    def plan(self) -> Plan:
        """Return this rank's plan, with the default strategy if none was chosen."""
        program = self.bound()
        return self._plan(program, self._decomposition(program), self._fixed)

    def candidates(self) -> CandidatePlans:
        """Return the plans worth trying; collective.

        Raises:
            PlanError: The step cannot be distributed as asked.
        """
        program = self.bound()
        split = self._decomposition(program)
        found = candidate_plans(
            program,
            split,
            self.strategy,
            self._maker(program, split),
            self.job,
            self.predictor,
        )
        return replace(found, reason=self.reason) if self.reason else found

    def write(self, path: Path, plan: Plan) -> None:
        """Write the plans that ranks have to a file; collective.

        Raises:
            OutputError: The file cannot be written.
        """
        encoder = Encoder(self.bound())
        sections = self.job.gather(section_of(plan, encoder))
        self.job.on_first(lambda: write_plans(path, encoder, plan, sections or ()))

    @property
    def _fixed(self) -> Strategy:
        return self.strategy if isinstance(self.strategy, Strategy) else Strategy()

    def _decomposition(self, program: Program) -> Decomposition:
        """Return the decomposition; which shape is the cheapest depends on the step."""
        wanted, blocks = self.shape
        prices = None
        # Finding them takes as long as planning does; the blocks of a forest have their shape.
        if self.grid.state.forest is None and (wanted is None or isinstance(wanted, str)):
            prices = prices_here(program, self._fixed, self.job, self.predictor)
        return decomposition_for(self.grid, self.job.size, wanted, blocks, prices, self.steps)

    def _maker(self, program: Program, split: Decomposition) -> Callable[[Strategy], Plan]:
        """Return what makes this rank's plan for a strategy, or has kept it.

        Those of a forest that goes on changing are hardly ever asked for again.
        """
        if self.file is not None or self.reason or self.job.process is not None:
            return lambda strategy: self._plan(program, split, strategy)
        return KeptPlans(program, split, self.job.rank, self.platform).plan

    def _plan(self, program: Program, split: Decomposition, strategy: Strategy) -> Plan:
        rank, process = self.job.rank, self.job.process
        if self.file is not None:
            return decided(self.file.plan(program, rank), self.platform)
        if process is None:
            return plan_of(program, split, strategy, rank, self.platform)
        made_of = program, split, strategy
        return of_rank(process.once(made_of, lambda: for_all_ranks(*made_of)), rank, self.platform)
