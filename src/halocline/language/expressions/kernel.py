"""A kernel as a frozen value: what one cell does, with the types of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.geometry import added
from halocline.language.expressions.expr import Read, walk
from halocline.memo import memoised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Offset
    from halocline.language.expressions.expr import Expr

# A field, one of its components, and a place relative to the cell.
Use = tuple[str, int, "Offset"]

INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
DTYPES = ("float64", "float32", "float16", *INTEGERS, "bool")
# What is next to a number in memory: the same component of the next cell ('structure of arrays'),
# or the next component of the same cell ('array of structures').
LAYOUTS = ("soa", "aos")


class FieldType(Frozen):
    """What kernels and plans know of a field.

    Attributes:
        name: In a kernel that of the user's parameter, in a plan that of the grid's field.
        dtype: One of DTYPES.
        components: Numbers per cell.
        layout: One of LAYOUTS; 'soa' for fields of one component.
        alignment: Rows begin at multiples of it [bytes]; 0 for what suits where kernels run.
        ratio: How many cells of the field a cell of the kernel spans along each axis: 1 in the same
            index space, r > 1 in one finer by r, 0 where the field has no such axis. At a cell i
            the offset o means the field's cell ratio * i + o. Empty: 1 along all axes.
        is_reduced: Whether what a kernel assigns to it goes to a reduction, and is not stored.
    """

    name: str
    dtype: str
    components: int
    layout: str = "soa"
    alignment: int = 0
    ratio: tuple[int, ...] = ()
    is_reduced: bool = False

    def ratio_along(self, axis: int) -> int:
        """Return how many cells of the field a cell of the kernel spans along an axis."""
        return self.ratio[axis] if axis < len(self.ratio) else 1

    def parted(self, offset: Offset) -> tuple[Offset, Offset]:
        """Return how many cells of the kernel an offset leads on, and to which child of that cell.

        No two cells of a kernel share a child: each of them is like a component of its own.
        """
        if max(self.ratio, default=1) <= 1:
            return offset, (0,) * len(offset)
        ratios = [max(1, self.ratio_along(axis)) for axis in range(len(offset))]
        cell = tuple(o // r for o, r in zip(offset, ratios, strict=True))
        return cell, tuple(o % r for o, r in zip(offset, ratios, strict=True))

    @property
    def x_step(self) -> int:
        """How far the next cell of a row is in memory [numbers]."""
        return self.components if self.layout == "aos" else 1


class Statement(Frozen):
    """Assign 'value' to one component of a field, at the cell itself or at an offset from it."""

    field: str
    component: int
    value: Expr
    offset: Offset


class Kernel(Frozen):
    """The computation in one cell.

    Statements behave as if each ran over the whole region before the next began; a read sees the
    assignments that stood before it in the user's function. A kernel whose statements may share one
    loop over the cells is called fused; 'language.fuse' makes such kernels from any. In a fused
    kernel a component that is assigned at an offset is read at that offset only: every number in
    memory is read and written by one cell, in whatever order cells are computed.

    In a sweep the cells of a column are computed in order. What one passes on to the next are its
    carries: fields without the swept axis that it reads and then assigns.

    Attributes:
        name: A C identifier, the name of the user's function.
        dimensions: 1, 2 or 3.
        fields: The fields in the order of the parameters.
        scalars: Names of the run-time scalars, in order.
        statements: In the order written.
        inlined: What a cell does before that, in cells of layers beside it.
        sweep: The axis of the columns, and 1 for upwards or -1 for downwards; None for no order.

    Example:
        >>> grid = hc.Grid((8, 8), periodic=True)
        >>> @hc.kernel
        ... def smooth(u, u_new):
        ...     u_new[0, 0] = 0.5 * (u[-1, 0] + u[1, 0])
        >>> smooth(grid.field("u"), grid.field("u_new")).kernel.name
        'smooth'
    """

    name: str
    dimensions: int
    fields: tuple[FieldType, ...]
    scalars: tuple[str, ...]
    statements: tuple[Statement, ...]
    inlined: tuple[InlinedKernel, ...] = ()
    sweep: tuple[int, int] | None = None

    def field(self, name: str) -> FieldType:
        """Return the type of the field called 'name'."""
        return next(field for field in self.fields if field.name == name)

    @property
    def stored(self) -> tuple[FieldType, ...]:
        """The fields that lie in memory."""
        return tuple(field for field in self.fields if not field.is_reduced)

    @property
    def reduced(self) -> tuple[FieldType, ...]:
        """The others, whose values are reduced where they are computed."""
        return tuple(field for field in self.fields if field.is_reduced)

    def assigning(self, read: Read) -> int | None:
        """Return the position of the statement whose value a read sees; None for the memory."""
        if not read.version:
            return None
        key = (read.field, read.component)
        _, child = self.field(read.field).parted(read.offset)
        own = [n for n, s in enumerate(self.statements) if (s.field, s.component) == key]
        for number in reversed(own[: read.version]):
            if self.field(read.field).parted(self.statements[number].offset)[1] == child:
                return number
        return None

    def is_last(self, number: int) -> bool:
        """Return whether no later statement overwrites what one assigns."""
        statement = self.statements[number]
        return not any(
            (s.field, s.component, s.offset)
            == (statement.field, statement.component, statement.offset)
            for s in self.statements[number + 1 :]
        )

    @property
    def read(self) -> frozenset[Use]:
        """All reads relative to the cell, those of inlined kernels included."""
        values = [statement.value for statement in self.statements]
        own = {(r.field, r.component, r.offset) for r in reads(*values)}
        return frozenset(
            own.union(*(inlined.seen(inlined.kernel.read) for inlined in self.inlined))
        )

    @property
    def assigned(self) -> frozenset[Use]:
        """All assignments relative to the cell, those of inlined kernels included."""
        own = {(s.field, s.component, s.offset) for s in self.statements}
        others = (inlined.seen(inlined.kernel.assigned) for inlined in self.inlined)
        return frozenset(own.union(*others))


class InlinedKernel(Frozen):
    """A kernel on a layer that runs cell by cell with the one that reads its results.

    Attributes:
        kernel: Fused, with all fields and scalars of its consumer.
        offsets: From a cell of its consumer to the cells where this one runs before it: one, or
            several of a row if neighbours in a row of the consumer read the same.
        layer: The axis that its layer lies across, and which it is: -1 next below the domain, 1
            next above.
    """

    kernel: Kernel
    offsets: tuple[Offset, ...]
    layer: tuple[int, int]

    def seen(self, uses: frozenset[Use]) -> set[Use]:
        """Return what this one uses, relative to the cell of its consumer."""
        ways = {
            field.name: [
                tuple(o * field.ratio_along(axis) for axis, o in enumerate(offset))
                for offset in self.offsets
            ]
            for field in self.kernel.fields
        }
        return {(f, q, added(o, way)) for f, q, o in uses for way in ways[f]}


def reads(*values: Expr) -> tuple[Read, ...]:
    """Return the distinct reads of the expressions in a fixed order."""
    if len(values) == 1:
        return _reads_of(values[0])
    return _in_order(set().union(*map(_reads_of, values)))


@memoised
def _reads_of(value: Expr) -> tuple[Read, ...]:
    return _in_order(n for n in walk(value) if isinstance(n, Read))


def _in_order(found: Iterable[Read]) -> tuple[Read, ...]:
    return tuple(sorted(found, key=lambda r: (r.field, r.component, r.offset, r.version)))
