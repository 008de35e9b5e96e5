"""One-shot steps: done outside the time loop, planned and compiled the first time only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.steps.steps import Reduction
from halocline.language.steps.template import Template, value_of
from halocline.plan.pipeline import plan_once
from halocline.runtime.compiled import compile_kernels
from halocline.runtime.executor import check_reach
from halocline.runtime.memory import check_memory
from halocline.runtime.stored import store_fields

if TYPE_CHECKING:
    from collections.abc import Hashable

    from halocline.language.steps.steps import Step
    from halocline.plan.platform import Platform
    from halocline.plan.value.plan import Plan
    from halocline.runtime.executor import Executor
    from halocline.session.consistency import ConsistencyCheck
    from halocline.session.start import Setting

_AMONG = (
    "Put it among the steps, maybe in hc.every(…): a reduction there has its result in 'value'. Or "
    "call it between two runs."
)


class OneShotSteps:
    """The steps that were executed so far, by their value: however they were written.

    Args:
        setting: What they run on.
        executor: Executes them.
        check: Compares what ranks were given.
    """

    def __init__(self, setting: Setting, executor: Executor, check: ConsistencyCheck) -> None:
        self._setting = setting
        self._executor = executor
        self._check = check
        self._templates: dict[Hashable, tuple[str, Template]] = {}

    def execute(self, steps: tuple[Step, ...], main: Plan, platform: Platform) -> None:
        """Execute steps now; collective.

        Args:
            steps: The steps.
            main: The plan of the time step.
            platform: What it is executed on.

        Raises:
            OutOfMemoryError: There is no memory for the fields that only these steps need.
        """
        is_reduced = all(isinstance(step, Reduction) for step in steps)
        executor = self._executor
        executor.check_between_runs("reduce" if is_reduced else "execute", _AMONG)
        value, filling = value_of(steps)
        if value in self._templates:
            name, template = self._templates[value]
            self._check.on_known_steps(steps, name, filling.values)
        else:
            self._check.on_steps(steps)
            name, template = f"once {len(self._templates)}", Template(steps, filling)
            self._load(name, template.steps, main, platform)
            self._templates[value] = name, template
        with template.filled(filling):
            executor.once(name)

    def _load(self, name: str, steps: tuple[Step, ...], main: Plan, platform: Platform) -> None:
        """Plan and compile steps; collective."""
        setting, slots = self._setting, self._executor.slots
        plan, new = plan_once(setting.grid, steps, main, slots.layouts, platform)
        check_reach(plan, setting.job)
        check_memory(new, plan, setting.device, setting.job)
        kernels = compile_kernels([plan], setting.target, setting.job, setting.device)
        store_fields(new, setting.grid, slots, None)
        self._executor.load(name, plan, kernels)
