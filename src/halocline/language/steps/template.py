"""Templates: steps that are planned once for all steps of the same value.

Steps are often written anew each time, as in 'reduce(hc.sum(T * T))'. They have the same value if
they do the same to the same fields; which numbers kernels get for their scalars, which floats are
written in reductions, which Python functions are called and which reductions hold the results fills
the places that a template leaves.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.expressions.expr import Const, Expr, Number, Scalar, replaced, walk
from halocline.language.expressions.parameters import Formula, Parameter, parameter_of
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.steps.steps import Call, Callback, Reduction
from halocline.language.steps.tree import Assign, Every, Repeat, Swap, Until
from halocline.language.steps.tree import walk as walk_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from halocline.language.steps.steps import Step

Steps = tuple["Step", ...]


class Filling(Frozen):
    """What fills the places of a template, in the order of the steps.

    Attributes:
        numbers: For kernels' scalars.
        constants: The floats written in reductions, each once.
        functions: To call.
        reductions: Those evaluated; kernels of the same steps may use them as scalars.
    """

    numbers: list[float] = field(default_factory=list)
    constants: list[Const] = field(default_factory=list)
    functions: list[Callable[[], object]] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)

    def place(self, scalar: float | Parameter) -> int | None:
        """Return which of the reductions a scalar is, None if it is none of them."""
        return next((n for n, reduction in enumerate(self.reductions) if reduction is scalar), None)

    def shape(self, expression: Expr) -> Expr:
        """Return an expression in which the reductions are known by their places alone."""
        places = enumerate(self.reductions)
        return replaced(
            expression, {Number(reduction): Scalar(f"reduction {n}") for n, reduction in places}
        )

    def shape_of_operand(self, reduction: Reduction) -> Expr:
        """Return what is reduced, without the floats in it: another one needs no other kernel."""
        places = enumerate(self.constants)
        shape = self.shape(reduction.operand)
        return replaced(shape, {constant: Scalar(f"constant {n}") for n, constant in places})

    @property
    def values(self) -> list[float]:
        """The numbers of a template's parameters: those of kernels, then the constants."""
        return [*self.numbers, *(constant.value for constant in self.constants)]


def value_of(steps: Steps) -> tuple[Hashable, Filling]:
    """Return the value of some steps, equal for equal ones, and what fills its places."""
    filling = Filling()
    _collect(steps, filling)
    return tuple(_value(step, filling) for step in steps), filling


def _collect(steps: Steps, filling: Filling) -> None:
    for step in walk_steps(steps):
        match step:
            case Reduction() if filling.place(step) is None:
                filling.reductions.append(step)
                new = (n for n in _floats(step.operand) if n not in filling.constants)
                filling.constants.extend(new)
            case Callback(function):
                filling.functions.append(function)
            case Call():
                filling.numbers.extend(s for s in step.scalars if not isinstance(s, Parameter))


def _floats(operand: Expr) -> Iterator[Const]:
    """Return the finite floats in an expression: kernels take these as scalars, of one type."""
    for node in walk(operand):
        if isinstance(node, Const) and isinstance(node.value, float) and math.isfinite(node.value):
            yield node


def _value(step: Step, filling: Filling) -> Hashable:
    match step:
        case Call():
            return (
                step.kernel,
                step.fields,
                tuple(_scalar(scalar, filling) for scalar in step.scalars),
                step.region,
                step.is_layer,
                step.mask,
            )
        case Reduction():
            operand = filling.shape_of_operand(step)
            return step.kind, operand, step.grid, filling.place(step)
        case Assign(parameter, value):
            return Assign, parameter, filling.shape(value.expression())
        case Swap(first, second):
            return Swap, first, second
        case Repeat(count, inner) | Every(count, inner):
            return type(step), count, tuple(_value(step_within, filling) for step_within in inner)
        case Until(condition, inner, most, iterations, is_strict):
            shape = filling.shape(condition.expression())
            body = tuple(_value(step_within, filling) for step_within in inner)
            return Until, shape, body, most, iterations, is_strict
        case Callback():
            return Callback
        case AtPoints():
            return AtPoints, step
        case Fill(field=field, series=series):
            return Fill, field, series
        case _:
            raise AssertionError(step)


def _scalar(scalar: float | Parameter, filling: Filling) -> Hashable:
    if not isinstance(scalar, Parameter):
        return None
    return filling.shape(scalar.expression())


class Template:
    """Steps with parameters, functions and reductions of their own, for all steps of one value.

    Attributes:
        steps: What is to be planned.
    """

    def __init__(self, steps: Steps, filling: Filling) -> None:
        self._numbers = [Parameter(number, "number") for number in filling.values]
        scalars = self._numbers[len(filling.numbers) :]
        self._reductions = list(map(copy, filling.reductions))
        pairs = zip(filling.reductions, self._reductions, strict=True)
        self._others: dict[Expr, Expr] = {Number(given): Number(own) for given, own in pairs}
        others = {**self._others}
        others |= {one: Number(own) for one, own in zip(filling.constants, scalars, strict=True)}
        for own in self._reductions:
            own.operand = replaced(own.operand, others)
        self._filling = filling
        numbers, functions = iter(self._numbers), iter(range(len(filling.functions)))
        self.steps = tuple(self._own(step, numbers, functions) for step in steps)

    def _own(self, step: Step, numbers: Iterator[Parameter], functions: Iterator[int]) -> Step:
        match step:
            case Repeat() | Every() | Until():
                body = tuple(
                    self._own(step_within, numbers, functions) for step_within in step.body
                )
                if isinstance(step, Until):
                    step = replace(step, condition=Formula(self._changed(step.condition)))
                return replace(step, body=body)
            case Call():
                return replace(step, scalars=tuple(self._place(s, numbers) for s in step.scalars))
            case Reduction():
                return self._reductions[self._filling.place(step) or 0]
            case Assign(parameter, value):
                return Assign(parameter, self._parameter(value))
            case Callback():
                return Callback(self._caller(next(functions)))
            case _:
                return step

    def _place(self, scalar: float | Parameter, numbers: Iterator[Parameter]) -> Parameter:
        return self._parameter(scalar) if isinstance(scalar, Parameter) else next(numbers)

    def _parameter(self, given: Parameter) -> Parameter:
        """Return the template's own reduction for one of the user's; a formula of these for one."""
        return parameter_of(self._changed(given))

    def _changed(self, given: Parameter) -> Expr:
        return replaced(given.expression(), self._others)

    def _caller(self, position: int) -> Callable[[], object]:
        def call() -> object:
            self._tell()
            return self._filling.functions[position]()

        return call

    def _tell(self) -> None:
        for asked, own in zip(self._filling.reductions, self._reductions, strict=True):
            asked.value = own.value

    @contextmanager
    def filled(self, filling: Filling) -> Iterator[None]:
        """Stand for some steps of this value; at the end their reductions hold the results."""
        self._filling = filling
        for own, number in zip(self._numbers, filling.values, strict=True):
            own.value = number
        for own, asked in zip(self._reductions, filling.reductions, strict=True):
            own.value = asked.value
        try:
            yield
            self._tell()
        finally:
            # Nothing of the user's is kept but what makes the value.
            self._filling = Filling()
