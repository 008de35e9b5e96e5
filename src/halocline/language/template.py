"""Templates: steps that are planned once for all steps of the same value.

Steps are often written anew each time, as in 'reduce(hc.sum(T * T))'. They have the same value if
they do the same to the same fields; which numbers kernels get for their scalars, which Python
functions are called and which reductions hold the results fills the places that a template leaves.
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from halocline.language.at_points import AtPoints
from halocline.language.steps import Call, Callback, Parameter, Reduction
from halocline.language.tree import Every, Repeat, Swap, mapped, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from halocline.language.steps import Step

Steps = tuple["Step", ...]


@dataclass(frozen=True, slots=True)
class Filling:
    """What fills the places of a template, in the order of the steps.

    Attributes:
        numbers: For kernels' scalars.
        functions: To call.
        reductions: Those evaluated; kernels of the same steps may use them as scalars.
    """

    numbers: list[float] = field(default_factory=list)
    functions: list[Callable[[], object]] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)

    def place(self, scalar: float | Parameter) -> int | None:
        """Return which of the reductions a scalar is, None if it is none of them."""
        return next((n for n, one in enumerate(self.reductions) if one is scalar), None)


def value_of(steps: Steps) -> tuple[Hashable, Filling]:
    """Return the value of some steps, equal for equal ones, and what fills its places.

    Fields and parameters are what they are, so a template of the value must keep them alive.
    """
    filling = Filling()
    _collect(steps, filling)
    return tuple(_value(step, filling) for step in steps), filling


def _collect(steps: Steps, filling: Filling) -> None:
    for step in walk(steps):
        match step:
            case Reduction() if filling.place(step) is None:
                filling.reductions.append(step)
            case Callback(function):
                filling.functions.append(function)
            case Call():
                filling.numbers.extend(s for s in step.scalars if not isinstance(s, Parameter))


def _value(step: Step, filling: Filling) -> Hashable:
    match step:
        case Call():
            return (
                step.kernel,
                tuple(map(id, step.fields)),
                tuple(_scalar(scalar, filling) for scalar in step.scalars),
                step.region,
                step.is_layer,
                id(step.mask),
            )
        case Reduction():
            return step.kind, step.operand, id(step.grid), filling.place(step)
        case Swap(first, second):
            return Swap, id(first), id(second)
        case Repeat(count, inner) | Every(count, inner):
            return type(step), count, tuple(_value(one, filling) for one in inner)
        case Callback():
            return Callback
        case AtPoints():
            return AtPoints, step


def _scalar(scalar: float | Parameter, filling: Filling) -> Hashable:
    if not isinstance(scalar, Parameter):
        return None
    place = filling.place(scalar)
    return ("parameter", id(scalar)) if place is None else ("reduction", place)


class Template:
    """Steps with parameters, functions and reductions of their own, for all steps of one value.

    Attributes:
        steps: What is to be planned.
    """

    def __init__(self, steps: Steps, filling: Filling) -> None:
        self._numbers = [Parameter(number, "number") for number in filling.numbers]
        self._reductions = list(map(copy, filling.reductions))
        self._filling = filling
        numbers, functions = iter(self._numbers), iter(range(len(filling.functions)))
        self.steps = mapped(steps, lambda step: [self._own(step, numbers, functions)])

    def _own(self, step: Step, numbers: Iterator[Parameter], functions: Iterator[int]) -> Step:
        match step:
            case Call():
                return replace(step, scalars=tuple(self._place(s, numbers) for s in step.scalars))
            case Reduction():
                return self._reductions[self._filling.place(step) or 0]
            case Callback():
                return Callback(self._caller(next(functions)))
            case _:
                return step

    def _place(self, scalar: float | Parameter, numbers: Iterator[Parameter]) -> Parameter:
        if not isinstance(scalar, Parameter):
            return next(numbers)
        place = self._filling.place(scalar)
        return scalar if place is None else self._reductions[place]

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
        for own, number in zip(self._numbers, filling.numbers, strict=True):
            own.value = number
        for own, asked in zip(self._reductions, filling.reductions, strict=True):
            own.value = asked.value
        try:
            yield
            self._tell()
        finally:
            # Nothing of the user's is kept but what makes the value.
            self._filling = Filling()
