"""Steps that go on until a condition holds, numbers that steps change, and how long a step is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.errors import PlanError, described
from halocline.language.expressions import operators
from halocline.language.expressions.parameters import CLOCK, Count, Formula, Parameter, formula
from halocline.language.numbers import Range, finite_number, number, whole_number
from halocline.language.place import user_place
from halocline.language.series.series import Series
from halocline.language.steps.steps import Reduction, as_steps
from halocline.language.steps.tree import Assign, Until, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.steps.steps import Step


def until(
    condition: Parameter,
    *steps: object,
    max_iterations: int = 1000,
    on_failure: str = "error",
) -> Until[Step]:
    """Return steps that are repeated within a step: iterations, one at least.

    Args:
        condition: A comparison of parameters, reductions and numbers; the iteration after
            which it holds is the last. What it needs of reductions that are no steps is evaluated
            at the end of each iteration.
        steps: An iteration.
        max_iterations: The largest number of iterations.
        on_failure: What happens if it does not hold then: 'error' on all ranks, or 'ignore'.

    Returns:
        The loop; its attribute 'iterations' is a parameter, the integer number of the last time.

    Raises:
        PlanError: The condition is no comparison, or there are no steps.

    Example:
        >>> u = hc.Grid(8).field("u")
        >>> halve = hc.until(hc.max(u) < 1e-6, print, max_iterations=50)
    """
    if on_failure not in ("error", "ignore"):
        raise PlanError(
            f"'until' was given on_failure={on_failure!r}; expected 'error' or 'ignore'.",
            place=user_place(),
        )
    if not steps:
        raise PlanError(
            "'until' was given a condition and no steps; expected at least one.",
            hint="Write hc.until(condition, step, …).",
            place=user_place(),
        )
    max_iterations = whole_number("'max_iterations' of 'until'", max_iterations, Range(least=1))
    iterations = Count(0, "iterations")
    return Until(
        _condition(condition),
        as_steps(steps),
        max_iterations,
        iterations,
        is_strict=on_failure == "error",
    )


def _condition(condition: Any) -> Formula:
    if isinstance(condition, Formula) and condition.is_condition:
        return condition
    hint = "Write hc.until(error < 1e-6, …), with parameters, reductions and numbers."
    found = described(condition)
    if isinstance(condition, Parameter):
        found = f"the number '{condition.name}'"
    elif isinstance(condition, operators.Operand):
        found = "something that differs from cell to cell"
        hint = "Reduce it to a number: hc.until(hc.max(abs(u - v)) < 1e-6, …)."
    elif isinstance(condition, bool):
        hint = "'==' and '!=' compare objects; write <, <=, > or >= of parameters."
    raise PlanError(
        f"'until' was given {found}; expected a condition, that is a comparison of numbers that "
        "are known at run time.",
        hint=hint,
        place=user_place(),
    )


def assign(parameter: Parameter, value: float | Parameter) -> Assign:
    """Return the step that gives a parameter the value that a formula has then.

    Reductions in it that are no steps are evaluated right there.

    Raises:
        PlanError: It is no parameter that a step may change, or no number that it is given.

    Example:
        >>> kept = hc.Parameter(0.0, "kept")
        >>> u = hc.Grid(8).field("u")
        >>> step = hc.assign(kept, 2 * hc.max(u))
    """
    no_plain = {Formula: "a formula", Reduction: "a reduction", Series: "a series"}
    is_plain = isinstance(parameter, Parameter) and type(parameter) not in no_plain
    if not is_plain or parameter in CLOCK:
        what = f"'{parameter.name}'" if isinstance(parameter, Parameter) else described(parameter)
        why = f", {no_plain[type(parameter)]}" if type(parameter) in no_plain else ""
        raise PlanError(
            f"'assign' was to change {what}{why}; expected an hc.Parameter of your own.",
            hint="Make one that keeps the number: kept = hc.Parameter(0.0, 'kept').",
            place=user_place(),
        )
    if isinstance(value, operators.Operand) and not isinstance(value, Parameter):
        raise PlanError(
            f"'assign' was to give '{parameter.name}' something that differs from cell to cell; "
            "expected a number, or a formula of parameters and reductions.",
            hint="Reduce it to a number: hc.assign(parameter, hc.max(u)).",
            place=user_place(),
        )
    if not isinstance(value, Parameter):
        value = number(f"'assign' to '{parameter.name}'", value, PlanError)
    return Assign(parameter, formula(value))


def length_of_step(dt: Any, steps: Sequence[Step]) -> float | Parameter:
    """Return the length of a step: a number, or one that is computed while steps are done.

    Raises:
        PlanError: It is neither, or has a reduction in it that no step evaluates.
    """
    if not isinstance(dt, Parameter):
        return finite_number("'dt'", dt)
    evaluated = {step for step in walk(steps) if isinstance(step, Reduction)}
    for parameter in dt.parameters:
        if isinstance(parameter, Reduction) and parameter not in evaluated:
            raise PlanError(
                f"'dt' was given '{dt.name}', but no step evaluates the reduction "
                f"'{parameter.name}'.",
                hint="Put the formula or the reduction into the list of steps.",
                place=user_place(),
            )
    return dt
