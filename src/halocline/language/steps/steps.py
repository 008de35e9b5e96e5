"""What a time step is made of: frozen values that a simulation executes in order."""

from __future__ import annotations

from contextlib import suppress
from inspect import signature
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, overload

from msgspec.structs import replace

from halocline.errors import GridError, KernelError, PlanError, described
from halocline.frozen import Frozen
from halocline.language.expressions import expr, operators
from halocline.language.expressions.parameters import Formula, Parameter, numbers_in
from halocline.language.grids.composite import CompositeField, at_level, forest_of
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place
from halocline.language.points.at_points import AtPoints
from halocline.language.points.record import Record
from halocline.language.series.filling import Fill
from halocline.language.spaces.role import ALL, Role
from halocline.language.steps.draws import with_distinct_draws
from halocline.language.steps.tree import Assign, Every, OnLevels, Repeat, Swap, Until, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from halocline.geometry import Box, Offset
    from halocline.language.expressions.kernel import Kernel
    from halocline.language.spaces.space import Space


class Call(Frozen, eq=False):
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
        role: On which blocks it runs.
        is_inner: Whether it does nothing along borders between levels, and reads nothing there.
        of_leaves: Names of the kernel's fields of which, of another level, leaves alone count: in
            covered cells it may find anything.
        if_leaves: Groups of offsets: what it reads of these fields at an offset of a group counts
            only where all of the group lead to leaves, as for a slope from one to the other.
        towards_leaves: Of a kernel on covered cells, offsets to other cells of its level: where any
            of them leads to no leaf, it may assign anything.
    """

    kernel: Kernel
    fields: tuple[Field, ...]
    scalars: tuple[float | Parameter, ...]
    region: Box | None
    is_layer: bool
    place: str
    mask: Field | None
    space: Space
    role: Role = ALL
    is_inner: bool = False
    of_leaves: frozenset[str] = frozenset()
    if_leaves: tuple[tuple[Offset, ...], ...] = ()
    towards_leaves: tuple[Offset, ...] = ()

    def field(self, name: str) -> Field:
        """Return the field bound to one of the kernel's parameters."""
        names = [field.name for field in self.kernel.fields]
        return self.fields[names.index(name)]

    def children_of(self, field: Field) -> int:
        """Return how many cells of a field one cell of the kernel spans."""
        return prod(self.kernel.fields[self.fields.index(field)].ratio)


class Callback(Frozen, eq=False):
    """Call a Python function; it may change fields and parameters."""

    function: Callable[[], object]

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))


def closing_function(steps: Sequence[Step]) -> Callback | None:
    """Return the Python function after which nothing is left of a step, if there is one."""
    last = steps[-1] if steps else None
    while isinstance(last, Every):
        last = last.body[-1]
    if not isinstance(last, Callback):
        return None
    # If it is called before, too, a failure may be that of the other call.
    calls = [one for one in walk(steps) if isinstance(one, Callback) and one == last]
    return last if len(calls) == 1 else None


class Reduction(Parameter):
    """Combine an expression over all cells of the domain: the same bits on any number of ranks.

    As a step it runs where it stands; 'value' then holds the result and kernels may use it as a
    scalar. Before the first time 'value' is NaN. 'Simulation.reduce' runs it at once. A sum is
    exact, then rounded once.
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
        if any(
            isinstance(node, expr.Derivative | expr.Metric)
            for node in expr.walk(operand.expression())
        ):
            raise KernelError(
                f"'hc.{kind}' was given an expression with a derivative or a place; expected "
                "values of fields.",
                hint="Assign it to a field in a kernel, and combine that.",
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


Loop = Repeat[Any] | Every[Any] | Until[Any]
# A formula stands for the reductions in it; see 'spelled_out'.
Done = Call | Swap[Field] | Callback | Reduction | Assign | Formula | AtPoints | Fill
Step = Done | Loop | OnLevels[Any]
_KINDS = (Call, Swap, Repeat, Every, Until, Callback, Reduction, Assign, AtPoints, Fill, OnLevels)


@overload
def swap(first: Field, second: Field) -> Swap[Field]: ...


@overload
def swap(first: CompositeField, second: CompositeField) -> OnLevels[Swap[Field]]: ...


def swap(first: Any, second: Any) -> Any:
    """Return the step that exchanges two fields of the same type, of a forest on all levels.

    Raises:
        GridError: The fields differ in grid, element type or components.

    Example:
        >>> grid = hc.Grid(8)
        >>> step = hc.swap(grid.field("u"), grid.field("u_new"))
    """
    forest = forest_of((first, second), "'swap'")
    if forest is None:
        (result,) = _taking_turns("swap", (first, second), "two fields", "two different fields")
        return result
    pairs = (at_level((first, second), level) for level in range(forest.levels))
    return OnLevels(forest, tuple(swap(*pair) for pair in pairs))


def rotate(*fields: Field) -> tuple[Swap[Field], ...]:
    """Return the step in which each field gets the contents of the next, and the last of the first.

    For time levels: 'hc.rotate(u_old, u, u_new)' makes what is new the present and what is present
    old. Nothing is moved in memory.

    Args:
        fields: At least two of the same type.

    Raises:
        GridError: The fields differ in grid, element type or components.

    Example:
        >>> grid = hc.Grid(8)
        >>> u_old, u, u_new = (grid.field(name) for name in ("u_old", "u", "u_new"))
        >>> len(hc.rotate(u_old, u, u_new))
        2
    """
    return _taking_turns("rotate", fields, "at least two fields", "different fields")


def _taking_turns(
    what: str, fields: tuple[Any, ...], expected: str, different: str
) -> tuple[Swap[Field], ...]:
    """Return the swaps after which each field has the contents of the next."""
    for field in fields:
        if not isinstance(field, Field):
            raise PlanError(
                f"'{what}' was given {described(field)}; expected {expected}.", place=user_place()
            )
    if len(fields) < 2:  # noqa: PLR2004
        raise PlanError(
            f"'{what}' was given {len(fields)} field(s); expected {expected}.", place=user_place()
        )
    for position, field in enumerate(fields):
        if field in fields[:position]:
            raise PlanError(
                f"'{what}' was given the field '{field.name}' twice; expected {different}.",
                place=user_place(),
            )
    same_family(fields, f"'{what}'")
    first = fields[0]
    for other in fields[1:]:
        if first.space != other.space:
            raise GridError(
                f"'{what}' was given '{first.name}' of {_cells(first)} and '{other.name}' of "
                f"{_cells(other)}; expected fields with the same cells.",
                place=user_place(),
            )
        if first.type_as("") != other.type_as(""):
            raise GridError(
                f"'{what}' was given '{first.name}' ({_kind(first)}) and '{other.name}' "
                f"({_kind(other)}); expected fields of one type.",
            )
    return tuple(Swap(one, next_) for one, next_ in pairwise(fields))


def _cells(field: Field) -> str:
    return f"{field.space.size} cells on '{field.axes}'"


def _kind(field: Field) -> str:
    aligned = f", rows aligned to {field.alignment} bytes" if field.alignment else ""
    return f"{field.dtype}, {field.components} components, {field.layout}{aligned}"


def repeat(count: int, *steps: object) -> Repeat[Step]:
    """Return steps that run 'count' times within each step (sub-stepping).

    Example:
        >>> grid = hc.Grid(8)
        >>> twice = hc.repeat(2, hc.swap(grid.field("u"), grid.field("u_new")))
    """
    return Repeat(whole_number("'repeat'", count, Range(least=1)), _body("repeat", count, steps))


def every(interval: int, *steps: object) -> Every[Step]:
    """Return steps, or Python functions, that run in every 'interval'-th step.

    They run there where they stand among the others; the first time in step 'interval'.

    Example:
        >>> hc.every(10, print).interval
        10
    """
    return Every(whole_number("'every'", interval, Range(least=1)), _body("every", interval, steps))


def _body(what: str, number: int, steps: tuple[Any, ...]) -> tuple[Step, ...]:
    """Return the steps within a loop, of which there must be one."""
    if not steps:
        raise PlanError(
            f"'{what}' was given {number} and no steps; expected at least one.",
            hint=f"Write hc.{what}({number}, step, …).",
            place=user_place(),
        )
    return as_steps(steps)


def as_steps(steps: tuple[Any, ...]) -> tuple[Step, ...]:
    """Return the steps with plain functions wrapped, or refuse what is no step."""
    result: list[Step] = []
    for item in steps:
        if isinstance(item, Record) and item.every > 1:
            result.append(Every(item.every, (item,)))
        elif isinstance(item, _KINDS):
            result.append(item)
        elif isinstance(item, Formula):
            result.append(_evaluating(item))
        elif isinstance(item, tuple | list):
            result += as_steps(tuple(item))
        elif callable(item) and not hasattr(item, "field_names"):
            result.append(_calling(item))
        else:
            what = f"The kernel '{item.name}'" if hasattr(item, "field_names") else described(item)
            raise PlanError(
                f"{what} stands in the list of steps; expected a called kernel, swap, repeat, "
                "every, until, assign, a reduction or a function.",
                hint="Call the kernel with its fields: heat(T, T_new, a=0.1).",
                place=user_place(),
            )
    return tuple(result)


def _calling(item: Callable[[], object]) -> Callback:
    callback = Callback(item)
    with suppress(ValueError):  # of some of C nobody knows what they take
        try:
            signature(item).bind()
        except TypeError as error:
            raise PlanError(
                f"The function '{callback.name}' stands in the list of steps; expected one that is "
                f"called with nothing, but it says {error}.",
                hint="Write a function without arguments around it: lambda: …",
                place=user_place(),
            ) from None
    return callback


def _evaluating(item: Formula) -> Formula:
    if any(isinstance(parameter, Reduction) for parameter in item.parameters):
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
    checked = as_steps(steps)
    evaluated = {reduction for step in walk(checked) for reduction in _reductions(step)}
    return with_distinct_draws(spelled_out(checked, evaluated))


def spelled_out(steps: Sequence[Step], evaluated: Collection[Reduction]) -> tuple[Step, ...]:
    """Return steps with the reductions that they need and that no step evaluates.

    Those in a formula, an assignment or another reduction come before it, those in the condition of
    a loop at the end of each iteration.

    Args:
        steps: The steps.
        evaluated: The reductions that are steps.
    """
    result: list[Step] = []
    for step in steps:
        match step:
            case Formula():
                for reduction in _reductions(step):
                    result += [*_missing(reduction.needed, evaluated), reduction]
            case Reduction():
                result += [*_missing(step.needed, evaluated), step]
            case Assign(_, value):
                result += [*_missing(value.parameters, evaluated), step]
            case Until(condition, body):
                after = _missing(condition.parameters, evaluated)
                result.append(replace(step, body=(*spelled_out(body, evaluated), *after)))
            case Repeat(_, body) | Every(_, body):
                result.append(replace(step, body=spelled_out(body, evaluated)))
            case _:
                result.append(step)
    return tuple(result)


def _reductions(step: Step) -> list[Reduction]:
    """Return the reductions that a step evaluates."""
    parameters = step.parameters if isinstance(step, Parameter) else ()
    return [parameter for parameter in parameters if isinstance(parameter, Reduction)]


def _missing(used: Sequence[Parameter], evaluated: Collection[Reduction]) -> list[Reduction]:
    """Return the reductions among parameters that no step evaluates, after those they need."""
    result: list[Reduction] = []
    for parameter in used:
        if isinstance(parameter, Reduction) and parameter not in evaluated:
            result += [*_missing(parameter.needed, evaluated), parameter]
    return result


def time_step(steps: Sequence[Any]) -> tuple[Step, ...]:
    """Return the steps that a simulation does in each time step, of which there must be one."""
    if not tuple(steps):
        raise PlanError(
            "The simulation was given an empty list of steps; expected at least one, such as a "
            "called kernel.",
            place=user_place(),
        )
    return check_steps(tuple(steps))
