"""Points as kernels: what the planner must know of them is what a kernel of their cells would use.

An interpolation reads the cells around the one that a point belongs to, and assigns a hidden
number; an injection changes the cells that points weight, each by itself: every block adds to all
of its own, whoever has the points.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import PlanError
from halocline.geometry import AXES
from halocline.language.expressions.expr import Binary, Expr, Read, Scalar
from halocline.language.expressions.kernel import FieldType, Kernel, Statement
from halocline.language.points.at_points import AtPoints, Injection
from halocline.language.steps.tree import Repeat, Until, walk
from halocline.plan.program.program import Launch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.geometry import Box
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.steps.steps import Step


def launch_at_points(step: AtPoints, hidden: tuple[str, ...] = ()) -> Launch:
    """Return what is done at points as the launch of a kernel.

    Args:
        step: What is done.
        hidden: The field without axes that an interpolation assigns; none for an injection.
    """
    if isinstance(step, Injection):
        return _launch(step, step.footprint.around, _injecting(step), (step.factor,))
    return _launch(step, step.footprint.cells, _interpolating(step, hidden), (), hidden)


def _launch(
    step: AtPoints,
    region: Box,
    kernel: Kernel,
    scalars: tuple[float | Parameter, ...],
    hidden: tuple[str, ...] = (),
) -> Launch:
    field = step.field
    none = (0,) * field.dimensions
    nowhere = field.grid.first.space_with("")
    return Launch(
        kernel=kernel,
        names=(field.name, *hidden),
        scalars=scalars,
        region=region,
        on_demand=False,
        is_layer=False,
        place=f"points in '{field.name}'",
        body=step,
        space=replace(field.space, closing=none),
        spaces=(field.space, *(nowhere for _ in hidden)),
    )


def _injecting(step: Injection) -> Kernel:
    field = step.field
    here = (0,) * field.dimensions
    value = Binary("add", Read(field.name, step.component, here), Scalar("value"))
    statement = Statement(field.name, step.component, value, here)
    types = (field.type_as(field.name),)
    return Kernel(step.name, field.dimensions, types, ("value",), (statement,))


def _interpolating(step: AtPoints, hidden: tuple[str, ...]) -> Kernel:
    field, found = step.field, step.footprint
    here = (0,) * field.dimensions
    ranges = [range(l, u + 1) for l, u in zip(found.lower, found.upper, strict=True)]
    reads: list[Expr] = [Read(field.name, step.component, offset) for offset in product(*ranges)]
    (name,) = hidden
    result = FieldType(name, "float64", 1, ratio=here)
    statement = Statement(name, 0, _sum(reads), here)
    types = (field.type_as(field.name), result)
    return Kernel(step.name, field.dimensions, types, (), (statement,))


def _sum(values: Sequence[Expr]) -> Expr:
    """Return a sum that is no deeper than it must be."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return Binary("add", _sum(values[:half]), _sum(values[half:]))


def _of_side(side: str) -> tuple[int, int]:
    """Return the axis and the sign of a side."""
    return AXES.index(side[0]), 1 if side.endswith("+") else -1


def weights_beyond(step: AtPoints, side: str) -> bool:
    """Return whether some point weights a layer beyond a side."""
    return _of_side(side) in step.footprint.beyond


def point_beyond(step: AtPoints, side: str) -> PlanError:
    """Return the refusal of points that need a layer which nothing fills."""
    number = step.footprint.beyond[_of_side(side)]
    where = tuple(float(x) for x in step.points.coordinates[number])
    name = step.field.name
    return PlanError(
        f"Point {number} at {where} is so near to side '{side}' that interpolating '{name}' needs "
        "values beyond it, where no boundary is given.",
        hint=f"Write {name}.boundary('{side}', …), or move the point inwards.",
    )


def check_once(steps: Iterable[Step]) -> None:
    """Refuse steps at points that are done several times in a step, or stand in it twice."""
    for step in walk(steps):
        if isinstance(step, Repeat | Until):
            for inner in walk(step.body):
                if isinstance(inner, AtPoints):
                    raise PlanError(
                        f"'{inner.name}' at points stands within a loop, whose passes are all at "
                        "one time; expected it among the steps themselves.",
                        hint="Put it before or after the repeated steps.",
                    )
    found = [step for step in walk(steps) if isinstance(step, AtPoints)]
    for position, step in enumerate(found):
        if step in found[:position]:
            raise PlanError(
                f"'{step.name}' at points stands twice among the steps; expected each once.",
                hint="Make another one: points.record(…) or points.inject(…).",
            )
