"""The steps as the planner sees them: fused kernels on storages, and what stands between them."""

from __future__ import annotations

from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from msgspec import field
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.language.expressions.expr import Read, Where
from halocline.language.expressions.kernel import FieldType, Kernel, reads
from halocline.language.expressions.parameters import Parameter
from halocline.language.points.at_points import AtPoints
from halocline.language.series.filling import Fill
from halocline.language.spaces.role import ALL, Role
from halocline.language.steps.steps import Callback, Reduction
from halocline.language.steps.tree import Every, Repeat, Swap, Until, walk
from halocline.memo import memoised
from halocline.plan.cells.access import Access
from halocline.plan.program.arrangement import INITIAL, Arrangement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from halocline.geometry import Box, Offset
    from halocline.language.expressions.expr import Expr
    from halocline.language.expressions.kernel import Statement
    from halocline.language.spaces.space import Space


Uses = tuple[Access, ...]
P = ParamSpec("P")
T = TypeVar("T")


class Masked(Frozen):
    """A kernel that runs in the cells of a mask.

    Attributes:
        kernel: What is done in those cells. The kernel of the launch says the same as a choice in
            every cell; its last field is the mask.
        is_compacted: Whether the cells can be listed, since the mask does not change in a step.
    """

    kernel: Kernel
    is_compacted: bool = False


class Launch(Frozen, eq=False, kw_only=True, dict=True):
    """A fused kernel bound to storages by name.

    Attributes:
        kernel: What one cell does.
        names: The storage for each of the kernel's fields, in order.
        scalars: A number or parameter for each of the kernel's scalars.
        region: Where it runs; unbounded on periodic axes that it spans.
        on_demand: Whether only cells that a later kernel reads are worth computing (boundary
            layers); otherwise every cell of the region is.
        is_layer: Whether the region lies beyond a side of the domain.
        place: Where the user wrote it.
        where: Where fields lie when it runs.
        body: What is executed where that is not 'kernel', which then says what cells use.
        role: On which blocks it runs.
        of_leaves: See 'Call'.
        if_leaves: The same.
        towards_leaves: The same.
        space: The cells over which it runs.
        spaces: Those of its fields, in order.
    """

    kernel: Kernel
    names: tuple[str, ...]
    scalars: tuple[float | Parameter, ...]
    region: Box
    on_demand: bool
    is_layer: bool
    place: str
    where: Arrangement = INITIAL
    body: Masked | AtPoints | Fill | None = None
    role: Role = ALL
    of_leaves: frozenset[str] = frozenset()
    if_leaves: tuple[tuple[Offset, ...], ...] = ()
    towards_leaves: tuple[Offset, ...] = ()
    space: Space
    spaces: tuple[Space, ...]

    def __eq__(self, other: object) -> bool:
        """Return whether another one does the same, wherever fields lie."""
        return isinstance(other, Launch) and self._content == other._content

    def __ne__(self, other: object) -> bool:
        """Return the opposite; that of the base compares by identity."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same number for equal ones."""
        return hash(self._content)

    @cached_property
    def _content(self) -> tuple[Any, ...]:
        # The names tell the spaces of the fields.
        left_out = ("where", "spaces")
        return tuple(getattr(self, n) for n in self.__struct_fields__ if n not in left_out)

    @cached_property
    def reads(self) -> Uses:
        """What it reads, each once."""
        return self._uses(self.kernel.read)

    @cached_property
    def assigns(self) -> Uses:
        """What it assigns, each once."""
        return self._uses(self.kernel.assigned)

    @cached_property
    def writes(self) -> frozenset[tuple[str, int]]:
        """Storages and components of what it assigns."""
        return frozenset(access.key for access in self.assigns)

    @cached_property
    def assigns_next_door(self) -> bool:
        """Whether it assigns cells beside its own."""
        return any(any(access.displacement) for access in self.assigns)

    @cached_property
    def read_outside(self) -> frozenset[str]:
        """The storages that it reads outside of the domain, if only to keep values."""
        places = {(access.field, access.offset): access for access in self.reads}
        return frozenset(
            access.field
            for access in places.values()
            if not access.space.inside.contains(access.cells(self.region))
        )

    def _uses(self, found: Iterable[tuple[str, int, Offset]]) -> Uses:
        accesses = (self._accesses(*one) for one in found)
        return tuple(sorted(accesses, key=lambda a: (a.field, a.component, a.offset)))

    def access(self, use: Read | Statement) -> Access:
        """Return what a read or a statement of its kernel is, in storages."""
        return self._accesses(use.field, use.component, use.offset)

    def _accesses(self, field: str, component: int, offset: Offset) -> Access:
        name, ratio, space = self._known[field]
        return Access(name, component, offset, ratio, space)

    @cached_property
    def _known(self) -> dict[str, tuple[str, tuple[int, ...], Space]]:
        parts = zip(self.kernel.fields, self.names, self.spaces, strict=True)
        return {spec.name: (name, spec.ratio, space) for spec, name, space in parts}

    def counts_covered(self, storage: str) -> bool:
        """Return whether it matters what covered cells of a storage of another level hold."""
        pairs = zip(self.kernel.fields, self.names, strict=True)
        return any(name == storage and one.name not in self.of_leaves for one, name in pairs)

    @property
    def code(self) -> Kernel:
        """The kernel that is compiled."""
        match self.body:
            case Masked(kernel, is_compacted=True):
                return kernel
            case _:
                return self.kernel

    @property
    def is_compiled(self) -> bool:
        """Whether there is code of it: the runtime itself executes points and filling."""
        return not isinstance(self.body, AtPoints | Fill)

    @property
    def gathered(self) -> Uses:
        """What it assigns of replicated spaces while each block does its own cells alone."""
        whole = tuple(access for access in self.assigns if access.space.is_replicated)
        return () if self.space.is_replicated else whole

    @property
    def carries(self) -> Uses:
        """What a sweep hands on from cell to cell; nothing of other kernels."""
        if not self.kernel.sweep:
            return ()
        axis, _ = self.kernel.sweep
        return tuple(a for a in self.assigns if a.ratio and not a.ratio[axis])

    def conflicts(self, other: Launch) -> Iterator[tuple[Access, Access]]:
        """Yield what both use of the same component, where one of them assigns it."""
        for mine, theirs in (
            (self.reads, other.assigns),
            (self.assigns, other.reads),
            (self.assigns, other.assigns),
        ):
            for access in theirs:
                yield from ((a, access) for a in mine if a.key == access.key)

    def at(self, where: Arrangement) -> Launch:
        """Return a kernel, bound to fields, where their values then lie."""
        if where == self.where:
            return self
        return replace(self, names=tuple(map(where.storage, self.names)), where=where)

    def on(self, role: Role) -> Launch:
        """Return a kernel on the blocks of a role."""
        return self if role == self.role else replace(self, role=role)


class Reduced(Frozen):
    """One component of a field, that lies somewhere, combined over the domain."""

    kind: str
    field: str
    component: int
    result: Reduction
    where: Arrangement = INITIAL

    @property
    def storage(self) -> str:
        """Where the field lies."""
        return self.where.storage(self.field)

    @property
    def looked_at(self) -> frozenset[tuple[str, int]]:
        """Storages and components whose values it combines."""
        return frozenset({(self.storage, self.component)})

    def at(self, where: Arrangement) -> Reduced:
        """Return the same where fields then lie."""
        return replace(self, where=where)


class Computed(Frozen):
    """A parameter that gets the value of a formula."""

    parameter: Parameter
    value: Parameter


class Called(Frozen):
    """A Python function, which may change any field."""

    callback: Callback
    where: Arrangement = INITIAL


class Checked(Frozen):
    """Fields searched for values outside of their limits, see 'Program'."""

    fields: tuple[str, ...]
    where: Arrangement = INITIAL

    @property
    def storages(self) -> tuple[str, ...]:
        """Where the fields lie."""
        return tuple(map(self.where.storage, self.fields))


Leaf = Launch | Reduced | Computed | Called | Checked
# The passes of 'repeat' are tuples; swaps stand at the end of what is done now and then, or until a
# condition holds.
Item = Leaf | Swap[str] | Repeat[Any] | Every[Any] | Until[Any]


class Program(Frozen, dict=True):
    """Time steps bound to a grid: a round, after which every field lies where it did.

    Attributes:
        extent: Cells of the family's first grid.
        periodic: Whether the grid closes on itself, for each axis.
        fields: All fields, also the hidden ones that reductions need.
        spaces: The cells of each field.
        steps: What happens in each step of a round, in order.
        ends: Where fields lie after each of them.
        boundaries: For each arrangement that kernels of a round meet, and each storage, the
            boundary kernels of the field that lies there, for each number of layers up to the one
            read, in order of declaration.
        groups: For each field that is ever swapped, those whose values its storage may hold.
        limits: Fields that are searched for values that are not numbers or outside of an interval.
        only_carried: Fields of which nobody reads what a sweep leaves in them.
        only_assigned: Fields that users do not see, and that were set to nothing.
        only_reduced: Fields that a kernel gives values for a reduction, which alone reads them:
            in each cell of the domain once, on one block.
    """

    extent: tuple[int, ...]
    periodic: tuple[bool, ...]
    fields: tuple[FieldType, ...]
    spaces: Mapping[str, Space]
    steps: tuple[tuple[Item, ...], ...]
    ends: tuple[Arrangement, ...]
    boundaries: Mapping[Arrangement, Mapping[str, tuple[Launch, ...]]]
    groups: Mapping[str, frozenset[str]]
    limits: Mapping[str, tuple[float, float]] = field(
        default_factory=dict[str, tuple[float, float]]
    )
    only_carried: frozenset[str] = frozenset()
    only_assigned: frozenset[str] = frozenset()
    only_reduced: frozenset[str] = frozenset()

    @cached_property
    def made(self) -> dict[Any, Any]:
        """What follows from it, whatever the blocks are, by function and arguments."""
        return {}

    def filling(self, launch: Launch, storage: str) -> tuple[Launch, ...]:
        """Return the boundary kernels of a storage if a kernel reads what they fill."""
        kernels = self.boundaries[launch.where].get(storage, ())
        if not kernels or beyond(launch, storage):
            return kernels
        seen = [a.cells(launch.region) for a in launch.reads if a.field == storage]
        # A field located on a side has cells of the domain there.
        inner = [kernel.region for kernel in kernels if not kernel.is_layer]
        is_read = any(box.meets(cells) for box in seen for cells in inner)
        return kernels if is_read else ()

    @property
    def checked(self) -> tuple[str, ...]:
        """The fields that are searched."""
        return tuple(self.limits)

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.extent)


def kept_with_program(
    make: Callable[Concatenate[Program, P], T],
) -> Callable[..., T]:
    """Return a function of a program that makes a thing once, as long as the program lives."""

    @wraps(make)
    def kept(program: Program, *rest: P.args, **named: P.kwargs) -> T:
        key = (make.__name__, *rest, *named.items())
        if key not in program.made:
            program.made[key] = make(program, *rest, **named)
        found: T = program.made[key]
        return found

    return kept


def all_launches(items: Iterable[Any]) -> list[Launch]:
    """Return every kernel of the items, those in loops included."""
    return [item for item in walk(items) if isinstance(item, Launch)]


def used_beside(program: Program) -> dict[Every[Any], set[str]]:
    """Return for all that is done now and then the storages that others use, in any step."""
    result: dict[Every[Any], set[str]] = {}
    for step in program.steps:
        everything = all_launches(step)
        for item in walk(step):
            if isinstance(item, Every):
                inner = all_launches(item.body)
                names = {name for one in everything if one not in inner for name in one.names}
                result[item] = names.union(*(program.groups.get(name, ()) for name in names))
    return result


def swapped_storages(items: Iterable[Any]) -> set[str]:
    """Return the storages that are swapped, not only in name."""
    swaps = (item for item in walk(items) if isinstance(item, Swap))
    return {name for swap in swaps for name in (swap.first, swap.second)}


def _looked_at(statement: Statement) -> tuple[Expr, ...]:
    """Return the expressions of a statement without the value that it may keep."""
    match statement.value:
        case Where(condition, new, Read(field, component, offset)):
            target = (statement.field, statement.component, statement.offset)
            is_kept = (field, component, offset) == target
            return (condition, new) if is_kept else (statement.value,)
        case _:
            return (statement.value,)


@memoised
def beyond(launch: Launch, storage: str) -> list[Box]:
    """Return the cells outside the domain where a kernel reads a storage, a box for each offset.

    A value that is kept where a mask is zero is not looked at.
    """
    if storage not in launch.read_outside:  # as most are not: plans ask for every field
        return []
    parts = zip(launch.kernel.fields, launch.names, strict=True)
    own = {field.name for field, name in parts if name == storage}
    found = reads(*(value for s in launch.kernel.statements for value in _looked_at(s)))
    accesses = [launch.access(read) for read in found if read.field in own]
    return [rest for a in accesses for rest in a.cells(launch.region).subtract(a.space.inside)]
