"""Consistency check: what the ranks of a simulation compare, so that all compute the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.language.steps.numbers_read import numbers_read
from halocline.plan.cells.strategy import Strategy
from halocline.runtime.collective import digest_of
from halocline.session.facts import (
    facts_of_grid,
    facts_of_numbers,
    facts_of_parameters,
    facts_of_steps,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.parameters import Parameter
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step
    from halocline.plan.blocks.decomposition import Decomposition
    from halocline.runtime.job import Job
    from halocline.session.facts import Facts


class ConsistencyCheck:
    """What ranks compare; nothing where there is one only. All methods are collective.

    Each raises an MpiError that names the first thing in which ranks differ.

    Args:
        job: The ranks.
        grid: Of the simulation.
    """

    def __init__(self, job: Job, grid: Grid) -> None:
        self._job = job
        self._grid = grid

    def on_options(self, made: Decomposition, **options: Any) -> None:
        """Compare the grid and the options of a simulation.

        Args:
            made: What has become of the option 'decomposition', which may be an object.
            options: Options by name.
        """
        if self._job.size > 1:
            facts = {
                f"'{name}'": str(value)
                for name, value in options.items()
                if isinstance(value, str | int | float | tuple | Strategy | None)
            }
            facts["the blocks of the decomposition"] = made.listing
            facts["the owners of blocks"] = str(made.owners)
            self._job.collective.agree(facts_of_grid(self._grid) | facts)

    def on_steps(self, steps: Sequence[Step]) -> None:
        """Compare fields and steps, before they are planned, and the numbers that these read."""
        if self._job.size > 1:
            self._job.collective.agree(facts_of_grid(self._grid) | self._facts_of(steps))

    def on_known_steps(self, steps: Sequence[Step], name: str, numbers: Sequence[float]) -> None:
        """Compare steps that have been compared before, by the name that they were given then.

        And the numbers that they give to kernels now.
        """
        if self._job.size > 1:
            compared = [name, *numbers, *(one.compared for one in numbers_read(steps))]
            self._job.collective.meet(
                "agree",
                digest=digest_of(" ".join(map(str, compared)).encode()),
                facts=lambda: self._facts_of(steps),
            )

    def _facts_of(self, steps: Sequence[Step]) -> Facts:
        return facts_of_steps(steps, self._grid) | facts_of_parameters(numbers_read(steps))

    def on_run(self, steps: int, before: int, parameters: Sequence[Parameter]) -> None:
        """Compare the numbers of steps, to do and done, and all numbers that users have given."""
        if self._job.size == 1:
            return
        fields = self._grid.fields.values()
        compared = [
            steps,
            before,
            *(p.compared for p in parameters),
            *(field.digest for field in fields),
        ]
        self._job.collective.meet(
            "run",
            digest=digest_of(" ".join(map(str, compared)).encode()),
            facts=lambda: facts_of_numbers(steps, before, parameters, fields),
        )
