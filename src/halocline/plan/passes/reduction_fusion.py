"""Taking: on a processor, values that only a reduction looks at are never stored.

Kernels hand them on, row by row, to what combines them; on a device they are stored and then
reduced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.plan.value.operations import Reduce

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from halocline.language.expressions.kernel import Kernel
    from halocline.plan.program.program import Launch
    from halocline.plan.value.plan import Plan


def with_reduction_fusion(plan: Plan) -> Plan:
    """Let kernels hand values that only a reduction reads on to it, without storing them."""
    names = {op.field for op in plan.operations() if isinstance(op, Reduce) and op.is_alone}
    return replace(
        plan,
        layouts=tuple(layout for layout in plan.layouts if layout.name not in names),
        launches=tuple(_taking(launch, names) for launch in plan.launches),
    )


def taken(launch: Launch) -> tuple[str, ...]:
    """Return the fields of a kernel whose values are taken, in its order."""
    pairs = zip(launch.kernel.fields, launch.names, strict=True)
    return tuple(name for field, name in pairs if field.is_reduced)


def _taking(launch: Launch, names: AbstractSet[str]) -> Launch:
    if names.isdisjoint(launch.names):
        return launch
    kernel = launch.kernel
    fields = tuple(
        replace(field, is_reduced=name in names)
        for field, name in zip(kernel.fields, launch.names, strict=True)
    )

    def marked(one: Kernel) -> Kernel:
        inner = (replace(p, kernel=replace(p.kernel, fields=fields)) for p in one.inlined)
        return replace(one, fields=fields, inlined=tuple(inner))

    assert launch.body is None
    return replace(launch, kernel=marked(kernel))
