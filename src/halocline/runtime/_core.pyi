"""The runtime in C++: executes plans. Cells are global indices along x, y, z; boxes half-open."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from numpy.typing import NDArray

_Cell: TypeAlias = tuple[int, int, int]
_BlockBox: TypeAlias = tuple[int, _Cell, _Cell]
_Part: TypeAlias = tuple[int, int, int, _Cell, int, _Cell, _Cell]
_Message: TypeAlias = tuple[int, int, str, Sequence[_Part]]
_Copy: TypeAlias = tuple[int, int, int, _Cell, int, _Cell, _Cell]
_Run: TypeAlias = Literal["run", "late-rim"]
_Piece: TypeAlias = tuple[Sequence[int], _Run, int, str, Sequence[_BlockBox]]
_Operation: TypeAlias = (
    tuple[_Run, int, str, Sequence[_BlockBox]]
    | tuple[Literal["start", "wait", "poll", "call"], int]
    | tuple[Literal["any"], int, Sequence[_Piece]]
    | tuple[Literal["swap"], int, int]
    | tuple[Literal["loop", "every"], int, Sequence[_Operation]]
    | tuple[Literal["reduce"], Literal["sum", "min", "max"], int, int, Sequence[_BlockBox], int]
    | tuple[Literal["poison"], int, Sequence[int], Sequence[_BlockBox]]
    | tuple[Literal["check"], int, Sequence[_BlockBox]]
)

ABI: int

class NotFiniteError(ArithmeticError):
    """A checked field holds a NaN; 'args' are field name, step, component and global cell."""

    args: tuple[str, int, int, _Cell]

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

    def try_device(self, way: str, device: Device) -> str:
        """Try whether a way to send works with a device; collective.

        Returns what this rank found to be wrong, nothing if it works.
        """

class Device:
    """Where kernels run beside the processor."""

    name: str

    def copy_seconds(self, size_bytes: int, count: int, from_host: bool = False) -> float:
        """Return the time of copies within the device, or from its host, one by one [s]."""

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
    """What a field is: 'alignment' is that of its rows [bytes]."""

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
    ) -> None: ...
    def bytes_on_block(self, extent: _Cell, slot: int) -> int:
        """Return the memory that it will take on a block, halo and padding included [bytes]."""

class Runtime:
    """Executes a plan: add blocks, then fields, then the rest; then run programs."""

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

    def add_space(self) -> int:
        """Add a space, which is to have the same blocks as the others, and return its number."""

    def add_block(self, lower: _Cell, upper: _Cell, turn: int = 0, space: int = 0) -> int:
        """Add a block that owns these cells of a space and return its number."""

    def set_period(self, period: _Cell, space: int = 0) -> None:
        """Say after how many cells the indices that kernels see begin again; 0 for never."""

    def add_field(self, field: Field) -> int:
        """Allocate a field on every block (owned cells zero, halo poison) and return its slot."""

    def view(self, slot: int, block: int, will_write: bool = True) -> NDArray[Any]:
        """View the field's current memory on a block, halo included: (components, x, y, z).

        Unless 'will_write' a device keeps its own values, whatever becomes of the view.
        """

    def device_view(self, slot: int, block: int, dimensions: int) -> Any:
        """View a block's own cells where kernels use them, as an array for 'from_dlpack'."""

    def add_scalar(self, value: float) -> int:
        """Add a number that kernels read and return its slot (0 is the step, 1 the time)."""

    def bytes_stored(self, slot: int, block: int) -> int:
        """Return the size of a field's memory on a block, halo and padding included [bytes]."""

    def set_scalar(self, slot: int, value: float) -> None:
        """Set a scalar."""

    def scalar(self, slot: int) -> float:
        """Return a scalar."""

    def add_kernel(
        self,
        name: str,
        address: int,
        fields: Sequence[int],
        scalars: Sequence[int],
        stream: bool,
        space: int = 0,
        mask: int = -1,
        layers: Sequence[tuple[int, Sequence[tuple[_Cell, _Cell]], tuple[_Cell, _Cell]]] = (),
        written: Sequence[int] = (),
        block: _Cell = ...,
        cells: _Cell = ...,
    ) -> int:
        """Add the kernel at this address, called with these slots, and return its number.

        With a mask (a slot) it runs only where that field is not zero. On the blocks named in
        'layers' its feeders run in these boxes, one each, and none for cells in the last box. A
        device must know which slots are 'written'; there a block has so many threads along each
        axis, and a thread so many cells.
        """

    def add_exchange(
        self,
        name: str,
        sends: Sequence[_Message],
        receives: Sequence[_Message],
        copies: Sequence[_Copy],
    ) -> int:
        """Add an exchange, allocate its buffers and return its number.

        Args:
            name: Label of its timers.
            sends: Messages (rank, tag, transport, parts). The transport is 'shared',
                'shared-push', 'two-sided', 'persistent', 'datatype', 'put' or 'get'. Parts are
                (slot, component, block, lower, other block, other lower, extent): this rank's
                block and first cell, and those of the other rank.
            receives: Likewise; the parts of a message have the order of the sender.
            copies: Copies inside this process: (slot, component, source block, source lower,
                target block, target lower, extent).
        """

    def add_callback(self, callback: Callable[[], object]) -> int:
        """Add a function for the operation 'call' and return its number."""

    def connect(self) -> None:
        """Connect the exchanges added since the last time; all ranks must call it.

        TransportError says what cannot be reached.
        """

    def set_program(self, name: str, operations: Sequence[_Operation]) -> None:
        """Check and add or replace a program; ValueError names the operation that is wrong."""

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
    def set_dt(self, dt: float) -> None:
        """Set the length of a step, so that the time is step * dt."""

    def timers(self) -> list[tuple[str, str, int, float]]:
        """Return label, kind, count and seconds of every timed operation, in program order."""

    def reset_timers(self) -> None:
        """Set all counts and times to zero."""
