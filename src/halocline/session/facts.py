"""What must be the same on all ranks before they compute together, as text by its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.boundaries.boundary import boundary_calls
from halocline.language.expressions.kernel import Kernel, Statement
from halocline.language.expressions.parameters import Parameter
from halocline.language.expressions.show import show
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.steps.steps import Call, Callback, Reduction
from halocline.language.steps.tree import Assign, Every, Repeat, Swap, Until

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.grids.fields import Field
    from halocline.language.grids.grid import Grid
    from halocline.language.steps.steps import Step

Facts = dict[str, str]


def facts_of_grid(grid: Grid) -> Facts:
    """Return what a grid and its fields are, with what lies beyond their sides."""
    facts = {
        f"the grid's {name}": str(getattr(grid, name))
        for name in ("extent", "periodic", "shifts", "spacing", "origin")
    }
    facts["the fields"] = ", ".join(grid.fields)
    for field in list(grid.fields.values()):
        facts |= _facts_of_field(field)
    return facts


def _facts_of_field(field: Field) -> Facts:
    facts = {
        f"the {name} of '{field.name}'": str(getattr(field, name))
        for name in ("dtype", "components", "layout", "alignment", "location")
    }
    # The side declared last decides where two meet.
    facts[f"the boundaries of '{field.name}'"] = ", ".join(field.boundaries)
    for side in field.boundaries:
        for number, call in enumerate(boundary_calls(field, side, 1), start=1):
            facts |= _facts_of_call(call, f"boundary {number} of '{field.name}' on '{side}'")
    return facts


def facts_of_steps(steps: Sequence[Step], grid: Grid, within: str = "") -> Facts:
    """Return what steps do; the numbers of parameters, which may change, apart.

    Args:
        steps: The steps.
        grid: Of their fields.
        within: What the numbers of the steps begin with.
    """
    facts = {f"the number of steps{within and f' in step {within}'}": str(len(steps))}
    for position, step in enumerate(steps, start=1):
        number = f"{within}{position}"
        name = f"step {number}"
        match step:
            case Call():
                facts |= _facts_of_call(step, name)
            case Swap(first, second):
                facts[name] = f"swap({first.name}, {second.name})"
            case Repeat(count, inner):
                facts[name] = f"repeat({count}, …)"
                facts |= facts_of_steps(inner, grid, f"{number}.")
            case Every(interval, inner):
                facts[name] = f"every({interval}, …)"
                facts |= facts_of_steps(inner, grid, f"{number}.")
            case Until(condition, inner, most):
                facts[name] = f"until({condition.name}, …, max_iterations={most})"
                facts |= facts_of_steps(inner, grid, f"{number}.")
            case Assign(parameter, value):
                facts[name] = f"assign({parameter.name}, {value.name})"
            case Callback():
                facts[name] = f"the function '{step.name}'"
            case AtPoints():
                facts[name] = f"'{step.name}' at points"
                facts[f"the points and values of {name}"] = step.digest
            case Fill():
                facts[name] = f"fill({step.field.name}, {step.series.name})"
                facts[f"the values of {name}"] = step.digest
            case Reduction():
                facts[name] = f"{step.kind} '{step.name}'"
                facts[f"the expression of {name}"] = _shown(step, grid)
    return facts


def _facts_of_call(call: Call, name: str) -> Facts:
    fields = [field.name for field in call.fields]
    given = zip(call.kernel.scalars, call.scalars, strict=True)
    scalars = [f"{k}={v.name if isinstance(v, Parameter) else v!r}" for k, v in given]
    mask = f" where {call.mask.name}" if call.mask else ""
    return {
        name: f"{call.kernel.name}({', '.join([*fields, *scalars])}){mask}",
        f"where {name} runs": str(call.region or call.space),
        f"the kernel of {name}": show(call.kernel),
    }


def _shown(reduction: Reduction, grid: Grid) -> str:
    """Return the expression of a reduction as text."""
    fields = tuple(field.type_as(field.name) for field in list(grid.fields.values()))
    result = Statement(fields[0].name, 0, reduction.operand, (0,) * grid.dimensions)
    return show(Kernel(reduction.name, grid.dimensions, fields, (), (result,)))


def facts_of_parameters(parameters: Iterable[Parameter]) -> Facts:
    """Return the numbers that steps read, and digests of series."""
    return {
        f"{type(read).__name__.lower()} '{read.name}' (number {number})": read.compared
        for number, read in enumerate(parameters, start=1)
    }


def facts_of_numbers(
    steps: int, before: int, parameters: Iterable[Parameter], fields: Iterable[Field]
) -> Facts:
    """Return the numbers of a run: steps, parameters, and digests of series and fields' values."""
    facts = {
        "the number of steps of 'run'": str(steps),
        "the number of steps before": str(before),
    }
    facts |= facts_of_parameters(parameters)
    for field in fields:
        facts[f"the values that '{field.name}' was set to"] = f"digest {field.digest:08x}"
    return facts
