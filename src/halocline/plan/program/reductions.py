"""Reductions as kernels that evaluate an expression in each cell, and what combines the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.errors import GridError
from halocline.language.expressions.expr import Read
from halocline.language.expressions.kernel import FieldType, Kernel, Statement, reads
from halocline.language.expressions.promotion import WEAK, types_of
from halocline.language.expressions.scalars import with_scalars
from halocline.language.grids.related import resolved
from halocline.language.spaces.space import finest
from halocline.plan.cells.access import Access
from halocline.plan.program.program import Launch, Reduced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.language.grids.fields import Field
    from halocline.language.spaces.space import Space
    from halocline.language.steps.steps import Reduction


def reduced_field(reduction: Reduction, fields: Mapping[str, Field]) -> Field | None:
    """Return the field whose stored values are reduced as they are; None if there is none.

    Raises:
        GridError: There is no field of such a name.
    """
    value = reduction.operand
    for read in reads(value):
        if read.field not in fields:
            raise GridError(
                f"The reduction '{reduction.name}' uses the field '{read.field}', which is not on "
                "the simulation's grid."
            )
    if not isinstance(value, Read) or any(value.offset) or any(value.shift):
        return None
    # Numbers of 16 bits are only stored: they are widened as they are read.
    return None if fields[value.field].dtype == "float16" else fields[value.field]


def evaluated_in(reduction: Reduction, fields: Mapping[str, Field]) -> Space:
    """Return the cells in which an expression has values.

    What reads no field has a value in each cell of the grid that the family began with.
    """
    spaces = [fields[read.field].space for read in reads(reduction.operand)]
    return finest(spaces) if spaces else next(iter(fields.values())).grid.first.space


def evaluated_as(reduction: Reduction, fields: Mapping[str, Field]) -> str:
    """Return the type of an expression's values: float64, unless that would round integers."""
    types = types_of(reduction.operand, {name: field.dtype for name, field in fields.items()})
    kind = WEAK.get(types[reduction.operand], types[reduction.operand])
    return kind if kind in ("int64", "uint64") else "float64"


def evaluation(
    reduction: Reduction, fields: Mapping[str, Field], name: str, space: Space
) -> tuple[Launch, Reduced]:
    """Return what evaluates an expression in each cell of a hidden field, and reduces that.

    Args:
        reduction: What is evaluated.
        fields: By name.
        name: Of the hidden field.
        space: Its cells.

    Returns:
        The kernel, and the reduction of its results.
    """
    value = reduction.operand
    used = tuple(dict.fromkeys(read.field for read in reads(value)))
    here = (0,) * len(space.extent)
    spaces = {**{each: fields[each].space for each in used}, name: space}
    hidden = FieldType(name, evaluated_as(reduction, fields), 1)
    statements, scalars = with_scalars((Statement(name, 0, value, here),))
    kernel = Kernel(
        f"evaluate_{reduction.kind}",
        len(space.extent),
        (*(fields[each].type_as(each) for each in used), hidden),
        tuple(scalars),
        statements,
    )
    place = f"reduction '{reduction.name}'"
    found = resolved(kernel, spaces, replace(space, closing=here), [place])
    ratio = found.kernel.field(name).ratio
    launch = Launch(
        kernel=found.kernel,
        names=(*used, name),
        scalars=tuple(scalars.values()),
        region=Access(name, 0, here, ratio, space).users(space.inside),
        on_demand=False,
        is_layer=False,
        place=place,
        space=found.space,
        spaces=tuple(spaces.values()),
    )
    return launch, Reduced(reduction.kind, name, 0, reduction)
