"""The steps as the planner sees them: fused kernels on storages, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from halocline.geometry import Box, box_of
from halocline.language.kernel import FieldType, Kernel, reads
from halocline.language.steps import Callback, Parameter, Reduction
from halocline.language.tree import Every, Repeat, Swap, walk
from halocline.plan.arrangement import HOME, Arrangement
from halocline.plan.reach import moved, unbounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from halocline.geometry import Offset


# Fields, components and offsets.
Uses = tuple[tuple[str, int, "Offset"], ...]


@dataclass(frozen=True, slots=True)
class Launch:
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
        plain: If it runs in the cells of a mask: what is done in those cells. 'kernel' says the
            same as a choice in every cell; its last field is the mask.
        is_listed: Whether these cells can be listed, since the mask does not change in a step.
        where: Where fields lie when it runs.
        reads: Storages, components and offsets read, each once.
        assigns: Storages, components and offsets assigned, each once.
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
    where: Arrangement = field(default=HOME, compare=False)
    reads: Uses = field(init=False, repr=False, compare=False)
    assigns: Uses = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Name the storages in what the kernel uses."""
        names = self.names_of
        for used, found in (("reads", self.kernel.read), ("assigns", self.kernel.assigned)):
            named = tuple(sorted((names[f], q, offset) for f, q, offset in found))
            object.__setattr__(self, used, named)

    @property
    def code(self) -> Kernel:
        """The kernel that is compiled."""
        return self.plain if self.plain and self.is_listed else self.kernel

    @property
    def names_of(self) -> dict[str, str]:
        """From the kernel's own names of fields to storages."""
        return dict(zip((f.name for f in self.kernel.fields), self.names, strict=True))

    @property
    def writes(self) -> frozenset[tuple[str, int]]:
        """Storages and components assigned."""
        return frozenset((name, component) for name, component, _ in self.assigns)

    def at(self, where: Arrangement) -> Launch:
        """Return a kernel, bound to fields at home, where these lie elsewhere."""
        if where == self.where:
            return self
        return replace(self, names=tuple(map(where.storage, self.names)), where=where)


@dataclass(frozen=True, slots=True)
class Reduced:
    """One component of a field, that lies somewhere, combined over the domain."""

    kind: str
    field: str
    component: int
    result: Reduction
    where: Arrangement = HOME

    @property
    def storage(self) -> str:
        """Where the field lies."""
        return self.where.storage(self.field)


@dataclass(frozen=True, slots=True)
class Called:
    """A Python function, which may change any field."""

    callback: Callback
    where: Arrangement = HOME


@dataclass(frozen=True, slots=True)
class Checked:
    """Fields searched for values that are not numbers."""

    fields: tuple[str, ...]
    where: Arrangement = HOME

    @property
    def storages(self) -> tuple[str, ...]:
        """Where the fields lie."""
        return tuple(map(self.where.storage, self.fields))


Leaf = Launch | Reduced | Called | Checked
# The passes of a loop are tuples; swaps stand at the end of what is done every n-th step only.
Item = Leaf | Swap[str] | Repeat[Any] | Every[Any]


@dataclass(frozen=True, slots=True)
class Program:
    """Time steps bound to a grid: a round, after which every field lies where it did.

    Attributes:
        extent: Cells of the domain.
        periodic: Whether the grid closes on itself, for each axis.
        fields: All fields, also the hidden ones that reductions need.
        steps: What happens in each step of a round, in order.
        ends: Where fields lie after each of them.
        boundaries: For each arrangement that kernels of a round meet, and each storage, the
            boundary kernels of the field that lies there, for each number of layers up to the one
            read, in order of declaration.
        groups: For each field that is ever swapped, those whose values its storage may hold.
        checked: Fields that are searched for values that are not numbers.
    """

    extent: tuple[int, ...]
    periodic: tuple[bool, ...]
    fields: tuple[FieldType, ...]
    steps: tuple[tuple[Item, ...], ...]
    ends: tuple[Arrangement, ...]
    boundaries: Mapping[Arrangement, Mapping[str, tuple[Launch, ...]]]
    groups: Mapping[str, frozenset[str]]
    checked: tuple[str, ...] = ()

    def filling(self, launch: Launch, storage: str) -> tuple[Launch, ...]:
        """Return the boundary kernels of a storage if a kernel reads what they fill."""
        kernels = self.boundaries[launch.where].get(storage, ())
        domain = box_of(self.extent)
        if not kernels or beyond(launch, storage, domain, self.periodic):
            return kernels
        seen = [moved(launch.region, o) for name, _, o in launch.reads if name == storage]
        # A field located on a side has cells of the domain there.
        inner = [kernel.region for kernel in kernels if not kernel.is_layer]
        is_read = any(not box.intersect(cells).is_empty for box in seen for cells in inner)
        return kernels if is_read else ()

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.extent)


def all_launches(items: Iterable[Any]) -> list[Launch]:
    """Return every kernel of the items, those in loops included."""
    return [item for item in walk(items) if isinstance(item, Launch)]


def beyond(launch: Launch, storage: str, domain: Box, periodic: tuple[bool, ...]) -> list[Box]:
    """Return the cells outside the domain where a kernel reads a storage, a box for each offset.

    A value that is kept where a mask is zero is not looked at.
    """
    inside = unbounded(domain, periodic)
    names = launch.names_of
    found = reads(*(s.value for s in (launch.plain or launch.kernel).statements))
    boxes = [moved(launch.region, r.offset) for r in found if names[r.field] == storage]
    return [rest for box in boxes for rest in box.subtract(inside)]
