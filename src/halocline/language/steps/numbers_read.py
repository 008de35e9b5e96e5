"""The numbers that steps read at run time: parameters, series, and what reductions find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.language.expressions.parameters import CLOCK, Parameter
from halocline.language.points.at_points import Injection
from halocline.language.steps.steps import Call, Reduction
from halocline.language.steps.tree import Assign, Until, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halocline.language.steps.steps import Step


def numbers_read(steps: Iterable[Step]) -> tuple[Parameter, ...]:
    """Return the numbers that steps read or find, each once, in a fixed order, but for the clock.

    Formulas are told by the numbers of which they are computed.
    """
    return tuple(p for p in dict.fromkeys(_numbers(steps)) if p not in CLOCK)


def _numbers(steps: Iterable[Step]) -> Iterator[Parameter]:
    for step in walk(steps):
        match step:
            case Call():
                for scalar in step.scalars:
                    yield from scalar.parameters if isinstance(scalar, Parameter) else ()
            case Injection(factor=factor) if isinstance(factor, Parameter):
                yield from factor.parameters
            case Reduction():
                yield from (*step.needed, step)
            case Assign(parameter, value):
                yield from (*value.parameters, parameter)
            case Until(condition):
                yield from (*condition.parameters, step.iterations)
