"""Kernels that run in the cells of a mask, spelled out as a choice in every cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.language.expr import Compare, Const, Read, Where
from halocline.language.kernel import Kernel

if TYPE_CHECKING:
    from halocline.language.fields import Field


def masked(kernel: Kernel, mask: Field) -> Kernel:
    """Return the kernel that keeps the old values where the mask is zero; the mask comes last."""
    name = "mask_of_" + kernel.name
    chosen = Compare("ne", Read(name, 0, (0,) * kernel.dimensions), Const(0))
    versions: Counter[tuple[str, int]] = Counter()
    statements = []
    for s in kernel.statements:
        old = Read(s.field, s.component, s.offset, versions[s.field, s.component])
        statements.append(replace(s, value=Where(chosen, s.value, old)))
        versions[s.field, s.component] += 1
    fields = (*kernel.fields, mask.type_as(name))
    return replace(kernel, fields=fields, statements=tuple(statements))
