"""What a time step is made of: frozen values that a simulation executes in order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from halocline.errors import GridError, KernelError, PlanError, described
from halocline.language import operators
from halocline.language.expr import numbers_in
from halocline.language.fields import Field
from halocline.language.grid import same_family
from halocline.language.numbers import Range, finite_number, number, whole_number
from halocline.language.parameters import CLOCK, Formula, Parameter, formula
from halocline.language.place import user_place
from halocline.language.tree import Every, Repeat, Swap, Until, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from halocline.geometry import Box
    from halocline.language.kernel import Kernel
    from halocline.language.space import Space


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Run a kernel on its fields.

    Attributes:
        kernel: What one cell does.
        fields: The fields in the order of the kernel's.
        scalars: Numbers or parameters in the order of the kernel's scalars.
        region: The cells where it runs, unbounded on periodic axes that it spans; None for all
            that assign to a cell.
        is_layer: Whether the region lies beyond a side of the domain.
        place: 'file:line' of the user's function.
        mask: If given, it runs only in the cells of the region where this field is not zero.
        space: The cells over which it runs.
    """

    kernel: Kernel
    fields: tuple[Field, ...]
    scalars: tuple[float | Parameter, ...]
    region: Box | None
    is_layer: bool
    place: str
    mask: Field | None
    space: Space

    def field(self, name: str) -> Field:
        """Return the field bound to one of the kernel's parameters."""
        names = [field.name for field in self.kernel.fields]
        return self.fields[names.index(name)]

    def children_of(self, field: Field) -> int:
        """Return how many cells of a field one cell of the kernel spans."""
        return prod(self.kernel.fields[self.fields.index(field)].ratio)


@dataclass(frozen=True, slots=True, eq=False)
class Callback:
    """Call a Python function; it may change fields and parameters."""

    function: Callable[[], object]

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))


class Reduction(Parameter):
    """Combine an expression over all cells of the domain: the same bits on any number of ranks.

    As a step it runs where it stands; 'value' then holds the result and kernels may use it as a
    scalar. 'Simulation.reduce' runs it at once. A sum is exact, then rounded once.
    """

    def __init__(self, kind: str, operand: operators.Operand, name: str) -> None:
        if not isinstance(operand, operators.Operand):
            raise KernelError(
                f"'hc.{kind}' was given {operand!r}; expected a field or an expression of fields.",
                hint="To compare, name the cell: hc.sum(T[0, 0] == 1.0).",
                place=user_place(),
            )
        if isinstance(operand, Parameter):
            raise KernelError(
                f"'hc.{kind}' was given the parameter '{operand.name}'; expected a field or an "
                "expression of fields.",
                place=user_place(),
            )
        super().__init__(float("nan"), name or kind)
        self.kind = kind
        self.operand = operand.expression()
        self.grid = operand.grid if isinstance(operand, Field) else None

    @property
    def needed(self) -> tuple[Parameter, ...]:
        """The parameters in what is reduced."""
        return numbers_in(self.operand)


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """Give a parameter the value that a formula has then."""

    parameter: Parameter
    value: Parameter


Loop = Repeat[Any] | Every[Any] | Until[Any]
# A formula stands for the reductions in it; see 'spelled_out'.
Step = Call | Swap[Field] | Loop | Callback | Reduction | Assign | Formula
_KINDS = (Call, Swap, Repeat, Every, Until, Callback, Reduction, Assign)


def swap(first: Field, second: Field) -> Swap[Field]:
    """Return the step that exchanges two fields of the same type.

    Raises:
        GridError: The fields differ in grid, element type or components.
    """
    for field in (first, second):
        if not isinstance(field, Field):
            raise PlanError(
                f"'swap' was given {described(field)}; expected two fields.", place=user_place()
            )
    if first is second:
        raise PlanError(
            f"'swap' was given the field '{first.name}' twice; expected two different fields.",
            place=user_place(),
        )
    same_family((first, second), "'swap'")
    if first.space != second.space:
        raise GridError(
            f"'swap' was given '{first.name}' of {_cells(first)} and '{second.name}' of "
            f"{_cells(second)}; expected fields with the same cells.",
            place=user_place(),
        )
    if first.type_as("") != second.type_as(""):
        raise GridError(
            f"'swap' was given '{first.name}' ({_kind(first)}) and '{second.name}' "
            f"({_kind(second)}); expected fields of one type.",
        )
    return Swap(first, second)


def _cells(field: Field) -> str:
    return f"{field.space.size} cells on '{field.axes}'"


def _kind(field: Field) -> str:
    aligned = f", rows aligned to {field.alignment} bytes" if field.alignment else ""
    return f"{field.dtype}, {field.components} components, {field.layout}{aligned}"


def repeat(count: int, *steps: Step) -> Repeat[Step]:
    """Return steps that run 'count' times within each step (sub-stepping)."""
    return Repeat(whole_number("'repeat'", count, Range(least=1)), _check(steps))


def every(interval: int, *steps: Step | Callable[[], object]) -> Every[Step]:
    """Return steps, or Python functions, that run at the end of every 'interval'-th step."""
    return Every(whole_number("'every'", interval, Range(least=1)), _check(steps))


def until(
    condition: Parameter,
    *steps: Step | Callable[[], object],
    most: int = 1000,
    otherwise: str = "error",
) -> Until[Step]:
    """Return steps that are done again and again within a step: passes, one at least.

    Args:
        condition: A comparison of parameters, reductions and numbers; after a pass in which it has
            come to hold there is no other. What it needs of reductions that are no steps is
            evaluated at the end of each pass.
        steps: A pass.
        most: How many passes are done at most.
        otherwise: What happens if it does not hold then: an 'error' on all ranks, or 'go on'.

    Returns:
        The loop; its attribute 'passes' is a parameter, how many were done the last time.

    Raises:
        PlanError: The condition is no comparison, or there are no steps.
    """
    if otherwise not in ("error", "go on"):
        raise PlanError(
            f"'until' was told otherwise={otherwise!r}; expected 'error' or 'go on'.",
            place=user_place(),
        )
    if not steps:
        raise PlanError(
            "'until' was given a condition and no steps; expected at least one.",
            hint="Write hc.until(condition, step, …).",
            place=user_place(),
        )
    most = whole_number("'most' of 'until'", most, Range(least=1))
    passes = Parameter(0.0, "passes")
    return Until(_condition(condition), _check(steps), most, passes, is_strict=otherwise == "error")


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
    """
    is_plain = isinstance(parameter, Parameter) and not isinstance(parameter, Formula | Reduction)
    if not is_plain or parameter in CLOCK:
        found = f"'{parameter.name}'" if isinstance(parameter, Parameter) else described(parameter)
        why = {Formula: ", a formula", Reduction: ", a reduction"}.get(type(parameter), "")
        raise PlanError(
            f"'assign' was to change {found}{why}; expected an hc.Parameter of your own.",
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


def _check(steps: tuple[Any, ...]) -> tuple[Step, ...]:
    """Return the steps with plain functions wrapped, or refuse what is no step."""
    result: list[Step] = []
    for item in steps:
        if isinstance(item, _KINDS):
            result.append(item)
        elif isinstance(item, Formula):
            result.append(_evaluating(item))
        elif isinstance(item, tuple | list):
            result += _check(tuple(item))
        elif callable(item) and not hasattr(item, "field_names"):
            result.append(Callback(item))
        else:
            what = f"The kernel '{item.name}'" if hasattr(item, "field_names") else described(item)
            raise PlanError(
                f"{what} stands in the list of steps; expected a called kernel, swap, repeat, "
                "every, until, assign, a reduction or a function.",
                hint="Call the kernel with its fields: heat(T, T_new, a=0.1).",
                place=user_place(),
            )
    return tuple(result)


def _evaluating(item: Formula) -> Formula:
    if any(isinstance(one, Reduction) for one in item.parameters):
        return item
    raise PlanError(
        f"The formula '{item.name}' stands in the list of steps and has no reduction in it; "
        "there is nothing to evaluate.",
        hint="It is computed wherever it is used; to keep the value that it has here, write "
        "hc.assign(parameter, formula).",
        place=user_place(),
    )


def check_steps(steps: tuple[Any, ...]) -> tuple[Step, ...]:
    """Return steps with plain functions wrapped and reductions spelled out, or refuse them."""
    checked = _check(steps)
    known = {id(r) for one in walk(checked) for r in _reductions(one)}
    return spelled_out(checked, known)


def spelled_out(steps: Sequence[Step], known: Collection[int]) -> tuple[Step, ...]:
    """Return steps with the reductions that they need and that are no steps anywhere.

    Those in a formula, an assignment or another reduction come before it, those in the condition of
    a loop at the end of each pass.

    Args:
        steps: The steps.
        known: The reductions that are steps, by 'id'.
    """
    result: list[Step] = []
    for one in steps:
        match one:
            case Formula():
                for reduction in _reductions(one):
                    result += [*_missing(reduction.needed, known), reduction]
            case Reduction():
                result += [*_missing(one.needed, known), one]
            case Assign(_, value):
                result += [*_missing(value.parameters, known), one]
            case Until(condition, body):
                after = _missing(condition.parameters, known)
                result.append(replace(one, body=(*spelled_out(body, known), *after)))
            case Repeat(_, body) | Every(_, body):
                result.append(replace(one, body=spelled_out(body, known)))
            case _:
                result.append(one)
    return tuple(result)


def _reductions(step: Step) -> list[Reduction]:
    """Return the reductions that a step evaluates."""
    found = step.parameters if isinstance(step, Parameter) else ()
    return [one for one in found if isinstance(one, Reduction)]


def _missing(used: Sequence[Parameter], known: Collection[int]) -> list[Reduction]:
    """Return the reductions among some numbers that are no steps, after those that they need."""
    result: list[Reduction] = []
    for one in used:
        if isinstance(one, Reduction) and id(one) not in known:
            result += [*_missing(one.needed, known), one]
    return result


def length_of_step(dt: Any, steps: Sequence[Step]) -> float | Parameter:
    """Return the length of a step: a number, or one that is computed while steps are done.

    Raises:
        PlanError: It is neither, or has a reduction in it that no step evaluates.
    """
    if not isinstance(dt, Parameter):
        return finite_number("'dt'", dt)
    known = {id(one) for one in walk(steps)}
    for one in dt.parameters:
        if isinstance(one, Reduction) and id(one) not in known:
            raise PlanError(
                f"'dt' was given '{dt.name}', but no step evaluates the reduction '{one.name}'.",
                hint="Put the formula or the reduction into the list of steps.",
                place=user_place(),
            )
    return dt


def time_step(steps: Sequence[Any]) -> tuple[Step, ...]:
    """Return the steps that a simulation does in each time step, of which there must be one."""
    if not tuple(steps):
        raise PlanError(
            "The simulation was given an empty list of steps; expected at least one, such as a "
            "called kernel.",
            place=user_place(),
        )
    return check_steps(tuple(steps))
