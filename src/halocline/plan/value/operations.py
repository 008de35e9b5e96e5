"""Operations: what one rank does in a step, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halocline.frozen import Frozen
from halocline.language.steps import tree
from halocline.language.steps.tree import Every, Repeat, Swap, Until

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halocline.geometry import Box
    from halocline.language.expressions.parameters import Parameter
    from halocline.language.steps.steps import Callback, Reduction

# A box of cells on one of the rank's blocks, by the block's number.
Placed = tuple[int, "Box"]
# For each block where the inlined kernels of a kernel run; empty for a kernel without any.
Layers = dict[int, tuple["Box | None", ...]]


class Run(Frozen):
    """Compute a kernel (by its number in the plan) in boxes.

    Attributes:
        launch: Which kernel.
        zone: What the boxes are called.
        boxes: The cells.
        is_late: Whether it is the rest of a kernel, of whose core it needs nothing that was run
            since the exchange began: a device may do it beside the core.
        is_concurrent: Whether a device may do it at once with the run right before it, and with
            those that that one may be done with (see 'concurrency.py').
    """

    launch: int
    zone: str
    boxes: tuple[Placed, ...]
    is_late: bool = False
    is_concurrent: bool = False


class Start(Frozen):
    """Begin an exchange (by its position in the plan)."""

    exchange: int


class Wait(Frozen):
    """Complete an exchange."""

    exchange: int


class Arrival(Frozen):
    """What is computed as soon as some messages of an exchange have arrived.

    Attributes:
        messages: Their positions among the exchange's receives.
        run: What needs them and no others.
    """

    messages: tuple[int, ...]
    run: Run


class WaitAny(Frozen):
    """Complete an exchange, working on whichever messages have arrived."""

    exchange: int
    arrivals: tuple[Arrival, ...]


class Poll(Frozen):
    """Let the messages of an exchange progress."""

    exchange: int


class Reduce(Frozen):
    """Combine a component of a field over all cells of all ranks.

    Swaps restore the initial arrangement before it and undo that after it; likewise below.

    Attributes:
        kind: How values are combined.
        field: The field.
        component: Which of its components.
        boxes: The cells.
        result: What gets the value.
        restore: The swaps.
        is_alone: Whether nobody else reads the field: a processor does not store it, see 'taking'.
    """

    kind: str
    field: str
    component: int
    boxes: tuple[Placed, ...]
    result: Reduction
    restore: tuple[Swap[str], ...] = ()
    is_alone: bool = False


class Compute(Frozen):
    """Give a parameter the value of a formula."""

    parameter: Parameter
    value: Parameter


class CallFunction(Frozen):
    """Call a Python function."""

    callback: Callback
    restore: tuple[Swap[str], ...] = ()


class Poison(Frozen):
    """Overwrite cells with signalling NaN."""

    field: str
    components: tuple[int, ...]
    boxes: tuple[Placed, ...]


class Assigned(Frozen):
    """Cells that a kernel assigns: those of a box, or of a mask in it."""

    box: Box
    mask: str | None = None


class Check(Frozen):
    """Search a field for values outside of limits, and for those that are not numbers.

    Attributes:
        field: The field.
        boxes: Its cells on this rank.
        limits: The least and the greatest value that are right.
        restore: See 'Reduce'.
        assigned: If there are some: only what lies in one of them is searched.
    """

    field: str
    boxes: tuple[Placed, ...]
    limits: tuple[float, float]
    restore: tuple[Swap[str], ...] = ()
    assigned: tuple[Assigned, ...] = ()


class StepEnd(Frozen):
    """Count a step, within a temporal block."""


class Skew(Frozen):
    """Where a run of a wavefront begins and ends, so that none comes too early or too late.

    Attributes:
        lower: So many planes above the place where the wavefront begins.
        upper: So many below the place where it ends.
        across: Its tiles are moved by so many rows towards the first one.
        is_first: Whether it brings fields to the caches, so that it prefetches.
    """

    lower: int
    upper: int
    across: int
    is_first: bool


class Wavefront(Frozen):
    """Do runs one after the other plane by plane, tile by tile (see 'wavefront.py').

    Attributes:
        parts: The runs, and what happens between them.
        skews: Of the runs, in order.
        axis: Along which it goes; tiles are cut along the one before.
        planes: Of a run at once.
        rows: Of a tile; 0 for all there are.
    """

    parts: tuple[Run | Compute | StepEnd, ...]
    skews: tuple[Skew, ...]
    axis: int
    planes: int
    rows: int

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs among its parts."""
        return tuple(part for part in self.parts if isinstance(part, Run))


Exchanging = Start | Wait | WaitAny | Poll
Working = Run | Wavefront | Reduce | Compute | CallFunction | Poison | Check
Leaf = Working | Exchanging | Swap[str] | StepEnd
Operation = Leaf | Repeat[Any] | Every[Any] | Until[Any]


def walk(operations: Iterable[Operation]) -> Iterator[Operation]:
    """Yield operations and those inside others, in order."""
    for op in tree.walk(operations):
        yield op
        if isinstance(op, WaitAny):
            yield from (arrival.run for arrival in op.arrivals)
        elif isinstance(op, Wavefront):
            yield from op.parts
