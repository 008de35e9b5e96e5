"""What plans are made of for the runtime: records of '_core', declared apart."""

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Cell: TypeAlias = tuple[int, int, int]

class Box:
    """Cells from a lower corner to before an upper one."""

    def __init__(self, lower: _Cell, upper: _Cell) -> None: ...

class BlockBox:
    """Cells of one block, by its number."""

    def __init__(self, block: int, box: Box) -> None: ...

class Layers:
    """Where the feeders of a kernel run on one block: a box each, and cells for which none does."""

    def __init__(self, block: int, boxes: Sequence[Box], free_of_inlined: Box) -> None: ...

class Threads:
    """How threads of a device share cells: those of a block, and cells of each, along each axis."""

    def __init__(self, block: _Cell, cells: _Cell, is_batched: bool) -> None: ...

class Choice(Enum):
    """Whether something is done: a kernel may try, and stay with what is faster."""

    never = ...
    always = ...
    trial = ...

class Kernel:
    """A compiled kernel, called with the fields and scalars in these slots.

    It runs on blocks of the space that its fields are on. With a mask (a slot) it runs only where
    that field is not zero. A device must know which slots are 'written'.
    Where blocks of fields begin elsewhere than its own, 'ratios' says how many cells of each field
    one of its cells spans along each axis.
    """

    def __init__(
        self,
        name: str,
        address: int,
        fields: Sequence[int],
        scalars: Sequence[int],
        stream: Choice = ...,
        tile: tuple[int, int] = (0, 0),
        mask: int = -1,
        layers: Sequence[Layers] = (),
        space: int = 0,
        fetch: Choice = ...,
        written: Sequence[int] = (),
        ratios: Sequence[tuple[int, ...]] = (),
        threads: Threads = ...,
        points: int = -1,
        filling: int = -1,
        sinks: Sequence[int] = ...,
    ) -> None: ...

# How the values of a message move from one rank to another.
TransportKind = Enum(
    "TransportKind",
    [
        "shared",
        "shared-push",
        "two-sided",
        "persistent",
        "datatype",
        "put",
        "get",
        "box-copies",
        "via-host",
        "from-device",
        "peer",
    ],
)

# A row for each box of a component that moves: slot, component, block and the first cell there,
# the other block and the first cell there, extent.
_Moved: TypeAlias = NDArray[np.int64]

class Message:
    """What travels at once to or from one rank; parts have the same order on both sides."""

    def __init__(self, rank: int, tag: int, transport: TransportKind, parts: _Moved) -> None: ...

class Exchange:
    """Everything that brings the halos of some fields up to date; timers have its name."""

    def __init__(
        self,
        name: str,
        sends: Sequence[Message] = (),
        receives: Sequence[Message] = (),
        copies: _Moved | None = None,
    ) -> None: ...

class Run:
    """Run a kernel on boxes; the late rim of a kernel may go on beside its core."""

    def __init__(
        self,
        kernel: int,
        label: str,
        boxes: Sequence[BlockBox],
        is_late_rim: bool = False,
        is_concurrent: bool = False,
    ) -> None: ...

class Start:
    """Begin an exchange."""

    def __init__(self, exchange: int) -> None: ...

class Wait:
    """Complete an exchange."""

    def __init__(self, exchange: int) -> None: ...

class Poll:
    """Let the messages of an exchange progress."""

    def __init__(self, exchange: int) -> None: ...

class Piece:
    """What is run as soon as some messages, by their positions, have arrived."""

    def __init__(self, messages: Sequence[int], run: Run) -> None: ...

class WaitAny:
    """Complete an exchange, running pieces meanwhile."""

    def __init__(self, exchange: int, pieces: Sequence[Piece]) -> None: ...

class Swap:
    """Exchange the contents of two fields without copying."""

    def __init__(self, slot_a: int, slot_b: int) -> None: ...

class Loop:
    """Repeat the body."""

    def __init__(self, count: int, body: Sequence[Operation]) -> None: ...

class Every:
    """Run the body at the end of every n-th step."""

    def __init__(self, interval: int, body: Sequence[Operation]) -> None: ...

class Until:
    """Repeat the body until a scalar is not zero after a pass; UnmetError if it never is."""

    def __init__(
        self,
        condition: int,
        most: int,
        passes: int,
        must_hold: bool,
        number: int,
        body: Sequence[Operation],
        before_error: Sequence[Operation],
    ) -> None: ...

class FormulaStep:
    """A step of a formula: 'constant', the 'scalar' in a slot, or of results of earlier steps."""

    def __init__(
        self, operation: str, value: float = 0.0, operands: Sequence[int] = ()
    ) -> None: ...

class Compute:
    """Give a scalar the value of another one, most often of a formula."""

    def __init__(self, scalar: int, value: int) -> None: ...

class Reduction(Enum):
    """How values are combined."""

    sum = ...
    min = ...
    max = ...

class Reduce:
    """Combine one component over all boxes and ranks into a scalar."""

    def __init__(
        self,
        reduction: Reduction,
        slot: int,
        component: int,
        boxes: Sequence[BlockBox],
        scalar: int,
        sink: int = -1,
    ) -> None: ...

class Call:
    """Call a function of Python."""

    def __init__(self, callback: int) -> None: ...

class StepEnd:
    """Count a step: what follows belongs to the next one."""

    def __init__(self) -> None: ...

class Skew:
    """Where a run of a wavefront begins and ends."""

    def __init__(self, lower: int, upper: int, across: int, is_first: bool) -> None: ...

class Wavefront:
    """Do runs one after the other plane by plane, tile by tile; with what stands between them."""

    def __init__(
        self,
        label: str,
        parts: Sequence[Operation],
        skews: Sequence[Skew],
        axis: int,
        planes: int,
        rows: int,
    ) -> None: ...

class Pause:
    """A step of a temporal block, at the end of every so many of which it must pause."""

    def __init__(self, offset: int, interval: int) -> None: ...

class Poison:
    """Overwrite cells with poison."""

    def __init__(self, slot: int, components: Sequence[int], boxes: Sequence[BlockBox]) -> None: ...

class Assigned:
    """Cells that a kernel assigns: those of a box, or of a mask (a slot; -1 for none) in it."""

    def __init__(self, box: Box, mask: int) -> None: ...

class Check:
    """Raise OutOfLimitsError on every rank if any has a value not in [low, high].

    In assigned cells, if some are named.
    """

    def __init__(
        self,
        slot: int,
        boxes: Sequence[BlockBox],
        low: float,
        high: float,
        assigned: Sequence[Assigned] = ...,
    ) -> None: ...

_Nested: TypeAlias = Loop | Every | Until
_Exchanging: TypeAlias = Start | Wait | WaitAny | Poll
_Working: TypeAlias = Run | Wavefront | Compute | Reduce | Call | Poison | Check
Operation: TypeAlias = _Working | _Exchanging | Swap | _Nested | StepEnd
