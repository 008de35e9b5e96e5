"""One kernel of several: the fields and scalars of kernels that a cell does together, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from halocline.language.expressions.expr import Read, renamed, replaced
from halocline.language.expressions.kernel import FieldType, InlinedKernel, Kernel, Statement, reads
from halocline.plan.program.program import Masked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.parameters import Parameter
    from halocline.plan.program.program import Launch


class OneKernel:
    """The fields and scalars of a kernel and of others that join it, each once."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        # The mask stays the last of the fields.
        self._masks = 1 if isinstance(launch.body, Masked) else 0
        count = len(launch.names) - self._masks
        own = launch.kernel.fields
        self._fields = dict(zip(launch.names[:count], own[:count], strict=True))
        self._spaces = dict(zip(launch.names, launch.spaces, strict=True))
        self._scalars = dict(zip(launch.kernel.scalars, launch.scalars, strict=True))
        self._known = {f.name for f in own} | set(self._scalars)

    def kernel_of(self, other: Launch) -> Kernel:
        """Return the kernel of another launch, whose fields and scalars are called as here."""
        kernel = other.kernel
        self._spaces |= zip(other.names, other.spaces, strict=True)
        fields = {
            field.name: self._field(name, field)
            for name, field in zip(other.names, kernel.fields, strict=True)
        }
        scalars = {
            name: self._scalar(name, value)
            for name, value in zip(kernel.scalars, other.scalars, strict=True)
        }
        statements = tuple(
            Statement(fields[s.field], s.component, renamed(s.value, fields, scalars), s.offset)
            for s in kernel.statements
        )
        return replace(kernel, statements=statements)

    def with_inlined(self, inlined: Sequence[InlinedKernel]) -> Launch:
        """Return the launch with inlined kernels, all with the same fields and scalars."""
        old = self._launch
        plain = tuple(self._fields.values())
        whole = plain + old.kernel.fields[len(old.kernel.fields) - self._masks :]
        mask = old.names[len(old.names) - self._masks :]
        scalars = tuple(self._scalars)

        def joined(kernel: Kernel, fields: tuple[FieldType, ...]) -> Kernel:
            own = tuple(
                replace(f, kernel=replace(f.kernel, fields=fields, scalars=scalars))
                for f in inlined
            )
            return replace(kernel, fields=fields, scalars=scalars, inlined=own)

        body = old.body
        if isinstance(body, Masked):
            body = replace(body, kernel=joined(body.kernel, plain))
        return replace(
            old,
            kernel=joined(old.kernel, whole),
            body=body,
            names=(*self._fields, *mask),
            spaces=tuple(self._spaces[name] for name in (*self._fields, *mask)),
            scalars=tuple(self._scalars.values()),
        )

    def followed_by(self, other: Launch) -> Launch:
        """Return one that does in each cell, without a mask, what another does after it there."""
        old = self._launch
        later = self.kernel_of(other).statements
        statements = (*old.kernel.statements, *(self._after_own(s) for s in later))
        kernel = replace(
            old.kernel,
            fields=tuple(self._fields.values()),
            scalars=tuple(self._scalars),
            statements=statements,
        )
        return replace(
            old,
            kernel=kernel,
            names=tuple(self._fields),
            spaces=tuple(self._spaces[name] for name in self._fields),
            scalars=tuple(self._scalars.values()),
        )

    def _after_own(self, statement: Statement) -> Statement:
        """Return a statement that sees what the kernel's own have assigned."""
        own = [(s.field, s.component) for s in self._launch.kernel.statements]
        seen: dict[Expr, Expr] = {
            read: Read(
                read.field, read.component, read.offset, own.count((read.field, read.component))
            )
            for read in reads(statement.value)
        }
        return replace(statement, value=replaced(statement.value, seen))

    def _field(self, name: str, field: FieldType) -> str:
        if name not in self._fields:
            self._fields[name] = replace(field, name=self._new(name))
        return self._fields[name].name

    def _scalar(self, name: str, value: float | Parameter) -> str:
        same = [known for known, other in self._scalars.items() if other is value]
        if not same:
            same = [self._new(name)]
            self._scalars[same[0]] = value
        return same[0]

    def _new(self, wanted: str) -> str:
        name = wanted
        while name in self._known:
            name += "_"
        self._known.add(name)
        return name
