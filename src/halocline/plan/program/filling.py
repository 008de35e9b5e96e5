"""Filling as a kernel: what the planner must know of it is that each cell gets a value by itself.

So every block fills its own cells, and those of halos that it recomputes: nothing is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.expressions.expr import Scalar
from halocline.language.expressions.kernel import Kernel, Statement
from halocline.language.expressions.parameters import time
from halocline.language.steps.steps import Call
from halocline.plan.program.launches import launches_of

if TYPE_CHECKING:
    from halocline.language.series.filling import Fill
    from halocline.plan.program.program import Launch


def launches_filling(step: Fill) -> tuple[Launch, ...]:
    """Return the filling of a field as launches of a kernel, which the runtime does."""
    field = step.field
    here = (0,) * field.dimensions
    kernel = Kernel(
        step.name,
        field.dimensions,
        (field.type_as(field.name),),
        ("time",),
        tuple(Statement(field.name, q, Scalar("time"), here) for q in range(field.components)),
    )
    space = replace(field.space, closing=here)
    call = Call(
        kernel,
        (field,),
        (time,),
        region=None,
        is_layer=False,
        place=step.place,
        mask=None,
        space=space,
    )
    return tuple(replace(launch, body=step) for launch in launches_of(call))
