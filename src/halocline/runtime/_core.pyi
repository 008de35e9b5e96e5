"""The runtime in C++: executes plans. Cells are global indices along x, y, z; boxes half-open."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, overload

from numpy.typing import NDArray

from halocline.runtime._records import Assigned as Assigned
from halocline.runtime._records import BlockBox as BlockBox
from halocline.runtime._records import Box as Box
from halocline.runtime._records import Call as Call
from halocline.runtime._records import Check as Check
from halocline.runtime._records import Choice as Choice
from halocline.runtime._records import Compute as Compute
from halocline.runtime._records import Every as Every
from halocline.runtime._records import Exchange as Exchange
from halocline.runtime._records import FormulaStep as FormulaStep
from halocline.runtime._records import Kernel as Kernel
from halocline.runtime._records import Layers as Layers
from halocline.runtime._records import Loop as Loop
from halocline.runtime._records import Message as Message
from halocline.runtime._records import Operation as Operation
from halocline.runtime._records import Pause as Pause
from halocline.runtime._records import Piece as Piece
from halocline.runtime._records import Poison as Poison
from halocline.runtime._records import Poll as Poll
from halocline.runtime._records import Reduce as Reduce
from halocline.runtime._records import Reduction as Reduction
from halocline.runtime._records import Run as Run
from halocline.runtime._records import Skew as Skew
from halocline.runtime._records import Start as Start
from halocline.runtime._records import StepEnd as StepEnd
from halocline.runtime._records import Swap as Swap
from halocline.runtime._records import Threads as Threads
from halocline.runtime._records import TransportKind as TransportKind
from halocline.runtime._records import Until as Until
from halocline.runtime._records import Wait as Wait
from halocline.runtime._records import WaitAny as WaitAny
from halocline.runtime._records import Wavefront as Wavefront

_Cell: TypeAlias = tuple[int, int, int]

ABI: int

class OutOfLimitsError(ArithmeticError):
    """A value is not within limits; 'args' are field, step, component, global cell and value."""

    args: tuple[str, int, int, _Cell, float]

class UnmetError(ArithmeticError):
    """A condition does not hold; 'args' are the number of its loop, passes and step."""

    args: tuple[int, int, int]

class TransportError(RuntimeError):
    """Bytes could not be moved between ranks; most often another rank has died."""

class DeviceError(RuntimeError):
    """A device cannot do what is wanted, or is lost."""

class Transport:
    """How bytes move between ranks."""

    @property
    def rank(self) -> int:
        """The number of this process."""

    @property
    def size(self) -> int:
        """The number of processes."""

    def try_device(self, transport: TransportKind, device: Device) -> str:
        """Try whether a way to send works with a device; collective.

        Returns what this rank found to be wrong, nothing if it works.
        """

class VirtualRanks:
    def __init__(self, nodes: Sequence[int], latency_s: float, seconds_per_byte: float) -> None: ...
    def transport(self, rank: int) -> Transport: ...
    def fail(self, why: str) -> None: ...

class Device:
    """Where kernels run beside the processor."""

    name: str

    def copy_seconds(self, size_bytes: int, count: int, from_host: bool = False) -> float:
        """Return the time of copies within the device, or from its host, one by one [s]."""

@overload
def elementary(name: str, x: NDArray[Any], result: NDArray[Any]) -> None:
    """Write an elementary function of one array or two of numbers into the last one.

    All have one dimension, one size, contiguous, and the same type, float64 or float32.
    """

@overload
def elementary(name: str, x: NDArray[Any], y: NDArray[Any], result: NDArray[Any]) -> None: ...
def emulated_device(seed: int) -> Device:
    """Return a device on the processor, which does what it may in a random order."""

class CudaDevice(Device):
    """A device of NVIDIA's driver; whatever it does may throw DeviceError."""

    architecture: str

    @property
    def memory(self) -> tuple[int, int]:
        """What nobody has taken of its memory yet, and what it has [bytes]."""

    def load(self, image: bytes, names: Sequence[str]) -> list[int]:
        """Load machine code and return the addresses of its kernels of these names."""

def cuda_device_count() -> int:
    """Return how many devices the NVIDIA driver has.

    DeviceError says that there is no driver, or that it has none.
    """

def cuda_device(ordinal: int) -> CudaDevice:
    """Open a device by its number, from 0; DeviceError says that there is none."""

class Field:
    """What a field is: 'alignment' is that of its rows [bytes].

    'frames' are halos and alignments of its blocks, where they differ; None of a block that does
    not store it.
    """

    def __init__(
        self,
        name: str,
        dtype: str,
        components: int,
        halo_lower: _Cell,
        halo_upper: _Cell,
        is_interleaved: bool = False,
        alignment: int = 64,
        space: int = 0,
        frames: list[tuple[_Cell, _Cell, int] | None] = ...,
    ) -> None: ...
    def bytes_on_block(self, block: int, extent: _Cell, slot: int) -> int:
        """Return the memory that it will take on a block, halo and padding included [bytes]."""

class Runtime:
    """Executes a plan: add spaces, blocks, fields, then the rest; then run programs."""

    def __init__(
        self,
        threads: int,
        transport: Transport | None = None,
        share: bool = True,
        device: Device | None = None,
        services: Sequence[int] = (0, 0, 0, 0, 0),
    ) -> None:
        """Make an empty runtime; without a transport it is a single process.

        With 'share' its fields lie where other ranks of the node can map them. With a device
        kernels are functions of it and run there, and so are the services, the kernels of
        'print_services'.
        """

    def add_space(
        self, period: _Cell = (0, 0, 0), translations: Sequence[tuple[int, _Cell]] = ()
    ) -> int:
        """Add an index space and return its number.

        Along each axis the indices that kernels see begin again after so many cells; 0 for never.
        If the grid closes with a shift, 'translations' are the axes around which it closes, each
        with how far away the same cell is.
        """

    def add_block(self, space: int, box: Box, wrap: int = 0) -> int:
        """Add a block of a space that has no fields yet, and return its number."""

    def add_field(self, field: Field) -> int:
        """Allocate a field on every block of its space and return its slot.

        Owned cells are zero, the halo is poison.
        """

    def remove_field(self, slot: int) -> None:
        """Give back a field's memory, and forget kernels, exchanges and programs; collective."""

    def view(self, slot: int, block: int, will_write: bool = True) -> NDArray[Any]:
        """View the field's current memory on a block, halo included: (components, x, y, z).

        Unless 'will_write' a device keeps its own values, whatever becomes of the view.
        """

    def device_view(self, slot: int, block: int, dimensions: int) -> Any:
        """View a block's own cells where kernels use them, as an array for 'from_dlpack'."""

    def add_scalar(self, value: float) -> int:
        """Add a number that kernels read and return its slot (0 is the step, 1 the time)."""

    def add_formula(self, steps: Sequence[FormulaStep]) -> int:
        """Add a number that is computed of others wherever it is read, and return its slot."""

    def bytes_stored(self, slot: int, block: int) -> int:
        """Return the size of a field's memory on a block, halo and padding included [bytes]."""

    def set_scalar(self, slot: int, value: float) -> None:
        """Set a scalar."""

    def scalar(self, slot: int) -> float:
        """Return a scalar."""

    def add_sink(self, reduction: Reduction) -> int:
        """Add what takes values from kernels and return its number."""

    def add_kernel(self, kernel: Kernel) -> int:
        """Add a kernel and return its number."""

    def add_exchange(self, exchange: Exchange) -> int:
        """Add an exchange, allocate its buffers and return its number."""

    def add_series(
        self, scalar: int, times: NDArray[Any], values: NDArray[Any], period: float
    ) -> None:
        """Let a scalar be what a series of one number says; a period of 0 is none."""

    def add_injection(
        self,
        component: int,
        widths: _Cell,
        first: NDArray[Any],
        weights: NDArray[Any],
        scales: NDArray[Any],
    ) -> int:
        """Add points where values are injected; return the number that kernels refer to."""

    def inject_series(
        self, points: int, times: NDArray[Any], values: NDArray[Any], period: float
    ) -> None:
        """Multiply what is injected by a series with a column for each point."""

    def add_interpolation(
        self,
        component: int,
        widths: _Cell,
        first: NDArray[Any],
        weights: NDArray[Any],
        cells: NDArray[Any],
    ) -> int:
        """Add points where values are recorded; return the number that kernels refer to."""

    def add_filling(
        self,
        times: NDArray[Any],
        period: float,
        dtype: str,
        boxes: Sequence[Box],
        values: Sequence[NDArray[Any]],
    ) -> int:
        """Add what a field is filled with: for each block the box of its cells and their values.

        These are kept, not copied: by time, component, z, y, x.
        """

    def take_rows(self, points: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the steps, times and values recorded so far, and forget them."""

    def add_callback(self, callback: Callable[[], object]) -> int:
        """Add a function for the operation 'call' and return its number."""

    def connect(self) -> None:
        """Connect the exchanges added since the last time; all ranks must call it.

        TransportError says what cannot be reached.
        """

    def set_program(self, name: str, operations: Sequence[Operation]) -> None:
        """Check and add or replace a program; ValueError names the operation that is wrong."""

    def set_temporal_block(
        self, name: str, steps: int, pauses: Sequence[Pause], operations: Sequence[Operation]
    ) -> None:
        """Add a way to do a program and the next ones of a round at once, where none pauses."""

    def execute(self, name: str) -> None:
        """Run a program once, outside of any step."""

    def advance(self, names: Sequence[str], steps: int, phase: int = 0) -> None:
        """Run so many steps without holding the interpreter lock.

        Step i runs the program names[(phase + i) % len(names)].
        """

    @property
    def step(self) -> int:
        """The number of the next step."""

    @step.setter
    def step(self, value: int) -> None: ...
    @property
    def is_within_step(self) -> bool:
        """Whether a step has begun and not ended: it goes on, or something in it has failed."""

    def end_step(self) -> None:
        """Count a step in which something has failed that comes after all that changes fields."""

    def set_dt(self, dt: float) -> None:
        """Set the length of a step, so that the time is step * dt."""

    def set_dt_scalar(self, slot: int) -> None:
        """Add a scalar to the time at the end of each step instead."""

    @property
    def time(self) -> float:
        """The time; it can be set where a scalar is added to it."""

    @time.setter
    def time(self, value: float) -> None: ...
    def timers(self) -> list[tuple[str, str, int, float]]:
        """Return label, kind, count and seconds of every timed operation, in program order."""

    def take_block_times(self, space: int) -> list[float]:
        """Return how long kernels have run on each block of a space since this was asked last [s].

        On a device they are not timed.
        """

    def reset_timers(self) -> None:
        """Set all counts and times to zero."""

    def trial_calls(self) -> int:
        """Return how many calls of kernels have been trials of how these are fastest."""
