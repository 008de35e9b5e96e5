"""The step as the planner sees it: fused kernels on named fields, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from halocline.geometry import Box, box_of
from halocline.language.kernel import FieldType, Kernel, reads
from halocline.language.steps import Callback, Parameter, Reduction
from halocline.plan.reach import moved, unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Offset


Uses = tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """A fused kernel bound to fields by name.

    Attributes:
        kernel: What one cell does.
        names: The field of the grid for each of the kernel's, in order.
        scalars: A number or parameter for each of the kernel's scalars.
        region: Where it runs; unbounded on periodic axes that it spans.
        on_demand: Whether only cells that a later kernel reads are worth computing (boundary
            layers); otherwise every cell of the region is.
        is_layer: Whether the region lies beyond a side of the domain.
        place: Where the user wrote it.
        plain: If it runs in the cells of a mask: what is done in those cells. 'kernel' says the
            same as a choice in every cell; its last field is the mask.
        is_listed: Whether these cells can be listed, since the mask does not change in a step.
        space: The cells over which it runs.
        spaces: Those of its fields, in order.
        reads: What it reads, each once.
        assigns: What it assigns, each once.
    """

    kernel: Kernel
    names: tuple[str, ...]
    scalars: tuple[float | Parameter, ...]
    region: Box
    on_demand: bool
    is_layer: bool
    place: str
    plain: Kernel | None = None
    is_listed: bool = False
    space: Space = field(kw_only=True, repr=False)
    # What the names say already.
    spaces: tuple[Space, ...] = field(kw_only=True, repr=False, compare=False)
    reads: Uses = field(init=False, repr=False, compare=False)
    assigns: Uses = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Name the grid's fields in what the kernel uses."""
        parts = zip(self.kernel.fields, self.names, self.spaces, strict=True)
        known = {spec.name: (name, spec.ratio, space) for spec, name, space in parts}
        for used, found in (("reads", self.kernel.read), ("assigns", self.kernel.assigned)):
            accesses = []
            for own_name, component, offset in found:
                name, ratio, space = known[own_name]
                accesses.append(Access(name, component, offset, ratio, space))
            accesses.sort(key=lambda a: (a.field, a.component, a.offset))
            object.__setattr__(self, used, tuple(accesses))

    def access(self, use: Read | Statement) -> Access:
        """Return what a read or a statement of its kernel is, in the grid's fields."""
        position = next(n for n, f in enumerate(self.kernel.fields) if f.name == use.field)
        ratio = self.kernel.fields[position].ratio
        name, space = self.names[position], self.spaces[position]
        return Access(name, use.component, use.offset, ratio, space)

    @property
    def code(self) -> Kernel:
        """The kernel that is compiled."""
        return self.plain if self.plain and self.is_listed else self.kernel

    @property
    def names_of(self) -> dict[str, str]:
        """From the kernel's own names of fields to those of the grid."""
        return dict(zip((f.name for f in self.kernel.fields), self.names, strict=True))

    @property
    def writes(self) -> frozenset[tuple[str, int]]:
        """Fields and components assigned."""
        return frozenset(access.key for access in self.assigns)


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Two fields exchange their names."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Looped:
    """Items repeated within a step."""

    count: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Sometimes:
    """Items at the end of every n-th step."""

    interval: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """One component of a field combined over the domain."""

    kind: str
    field: str
    component: int
    result: Reduction


@dataclass(frozen=True, slots=True)
class Called:
    """A Python function, which may change any field."""

    callback: Callback


@dataclass(frozen=True, slots=True)
class Checked:
    """Fields searched for values that are not numbers."""

    fields: tuple[str, ...]


Item = Launch | Exchanged | Looped | Sometimes | Reduced | Called | Checked


@dataclass(frozen=True, slots=True)
class Program:
    """A time step bound to a grid.

    Attributes:
        extent: Cells of the domain.
        periodic: Whether the grid closes on itself, for each axis.
        fields: All fields, also the hidden ones that reductions need.
        items: What happens, in order.
        boundaries: For each field its boundary kernels for each number of layers up to the one
            read, in order of declaration.
        checked: Fields that are searched for values that are not numbers.
    """

    extent: tuple[int, ...]
    periodic: tuple[bool, ...]
    fields: tuple[FieldType, ...]
    items: tuple[Item, ...]
    boundaries: dict[str, tuple[Launch, ...]]
    checked: tuple[str, ...] = ()

    def filling(self, launch: Launch, field: str) -> tuple[Launch, ...]:
        """Return the boundary kernels of a field if a kernel reads what they fill."""
        kernels = self.boundaries.get(field, ())
        domain = box_of(self.extent)
        if not kernels or beyond(launch, field, domain, self.periodic):
            return kernels
        seen = [moved(launch.region, o) for f, _, o in launch.reads if f == field]
        # A field located on a side has cells of the domain there.
        inner = [kernel.region for kernel in kernels if not kernel.is_layer]
        is_read = any(not box.intersect(cells).is_empty for box in seen for cells in inner)
        return kernels if is_read else ()

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.extent)


def all_launches(items: Iterable[Item]) -> list[Launch]:
    """Return every kernel of the items, those in loops included."""
    result: list[Launch] = []
    for item in items:
        if isinstance(item, Launch):
            result.append(item)
        elif isinstance(item, Looped | Sometimes):
            result += all_launches(item.items)
    return result


def beyond(launch: Launch, field: str, domain: Box, periodic: tuple[bool, ...]) -> list[Box]:
    """Return the cells outside the domain where a kernel reads a field, one box for each offset.

    A value that is kept where a mask is zero is not looked at.
    """
    inside = unbounded(domain, periodic)
    names = launch.names_of
    found = reads(*(s.value for s in (launch.plain or launch.kernel).statements))
    boxes = [moved(launch.region, r.offset) for r in found if names[r.field] == field]
    return [rest for box in boxes for rest in box.subtract(inside)]


def aliases(items: Iterable[Item]) -> dict[str, set[str]]:
    """Return, for each field that is ever swapped, the fields whose values it may hold."""
    groups: dict[str, set[str]] = {}
    for item in items:
        if isinstance(item, Exchanged):
            union = groups.get(item.first, {item.first}) | groups.get(item.second, {item.second})
            groups.update(dict.fromkeys(union, union))
        elif isinstance(item, Looped | Sometimes):
            for group in aliases(item.items).values():
                union = set(group).union(*(groups.get(name, set()) for name in group))
                groups.update(dict.fromkeys(union, union))
    return groups
