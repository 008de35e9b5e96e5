"""Once: steps done outside the time loop are planned and compiled the first time, then known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from halocline.language.steps.steps import Reduction
from halocline.language.steps.template import Template, value_of
from halocline.plan.pipeline import plan_once
from halocline.tune.start import Started, start_once

if TYPE_CHECKING:
    from collections.abc import Hashable

    from halocline.language.steps.steps import Step
    from halocline.plan.platform import Platform
    from halocline.plan.value.plan import Plan
    from halocline.runtime.agreement import Agreement
    from halocline.runtime.executor import Executor

_AMONG = (
    "Put it among the steps, maybe in hc.every(…): a reduction there has its result in 'value'. Or "
    "call it between two runs."
)


class Planned(Started, Protocol):
    """A simulation that has been started."""

    @property
    def plan(self) -> Plan:
        """What this rank does in a step."""


class Once:
    """The steps that a simulation has done so, by their value: however they were written."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[str, Template]] = {}

    def execute(
        self,
        simulation: Planned,
        executor: Executor,
        agreement: Agreement,
        steps: tuple[Step, ...],
        platform: Platform,
    ) -> None:
        """Do steps now; collective.

        Args:
            simulation: Whose steps they are.
            executor: What executes them.
            agreement: Compares what ranks were given.
            steps: The steps.
            platform: What they run on.
        """
        is_reduced = all(isinstance(step, Reduction) for step in steps)
        executor.check_between_runs("reduce" if is_reduced else "execute", _AMONG)
        value, filling = value_of(steps)
        if value in self._known:
            name, template = self._known[value]
            agreement.on_known_steps(steps, name, filling.values)
        else:
            agreement.on_steps(steps)
            name, template = f"once {len(self._known)}", Template(steps, filling)
            plan, new = plan_once(
                simulation.grid, template.steps, simulation.plan, executor.slots.layouts, platform
            )
            start_once(simulation, executor, name, plan, new)
            self._known[value] = name, template
        with template.filled(filling):
            executor.once(name)
