"""Kernels that run in the cells of a mask, spelled out as a choice in every cell."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.expressions.expr import Cast, Read, Where
from halocline.language.expressions.kernel import Kernel
from halocline.language.expressions.promotion import computed, value_types

if TYPE_CHECKING:
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import Statement
    from halocline.language.grids.fields import Field
    from halocline.language.spaces.space import Ratio


def masked(kernel: Kernel, mask: Field, known: str = "", ratio: Ratio = ()) -> Kernel:
    """Return the kernel that keeps the old values where a mask is zero.

    Args:
        kernel: The kernel.
        mask: The mask; it comes last.
        known: What the kernel calls it, if it is one of its fields.
        ratio: How many of its cells one of the kernel spans, see 'FieldType'; of a kernel as it is
            written nobody knows yet.
    """
    name = known or "mask_of_" + kernel.name
    chosen = Read(name, 0, (0,) * kernel.dimensions)
    versions: Counter[tuple[str, int]] = Counter()
    statements = []
    for s in kernel.statements:
        old = Read(s.field, s.component, s.offset, versions[s.field, s.component])
        statements.append(replace(s, value=Where(chosen, _assigned(kernel, s), old)))
        versions[s.field, s.component] += 1
    fields = kernel.fields if known else (*kernel.fields, mask.type_as(name, ratio))
    return replace(kernel, fields=fields, statements=tuple(statements))


def _assigned(kernel: Kernel, statement: Statement) -> Expr:
    """Return a value converted as its assignment does it, before a choice would convert it."""
    dtype = computed(kernel.field(statement.field).dtype)
    value = statement.value
    return value if value_types(kernel, statement)[value] == dtype else Cast(dtype, value)
