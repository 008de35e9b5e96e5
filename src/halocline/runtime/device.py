"""Devices: where kernels run, as users name them, opened on every rank."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from halocline.errors import DeviceError, HaloclineError, PlanError, nearest
from halocline.frozen import Frozen
from halocline.jit.nvrtc import best_architecture
from halocline.plan.cells.strategy import DEVICE_TRANSPORTS, Strategy
from halocline.runtime import _core

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halocline.jit.library import DeviceLibrary
    from halocline.plan.cells.strategy import Transport
    from halocline.plan.value.plan import Plan
    from halocline.runtime.job import Job

CPU, EMULATED, CUDA, AUTO = "cpu", "emulated", "cuda", "auto"
_NAMES = (CPU, CUDA, AUTO, EMULATED)
# What processors, and devices, read and write at once [bytes]. 128 was best on devices in Habich et
# al. 2011, on which section 4.4 of paper 001 builds.
_LINE, _DEVICE_LINE = 64, 128
# Threads count cells along an axis with 32 bits, and a block of threads may reach beyond the last.
_MOST_CELLS = 2_000_000_000
# What may not work everywhere.
_TRIED = ("peer", "from-device")
# What only MPI does.
_BY_MPI = ("persistent", "datatype", "put", "get")


class DeviceChoice(Frozen):
    """A device that was asked for.

    Attributes:
        name: 'cpu', 'cuda' for one of NVIDIA's, 'auto' for that or else the processor, or
            'emulated' for a device whose kernels run on the processor.
        number: Which one of 'cuda'; of 'emulated' the seed of the order in which it does what it
            may do in any. None if none was given.
    """

    name: str
    number: int | None = None

    @property
    def is_cpu(self) -> bool:
        """Whether kernels are to run on the processor and fields to lie in its memory only."""
        return self.name == CPU

    def __str__(self) -> str:
        """Return the text that means it."""
        return self.name if self.number is None else f"{self.name}:{self.number}"


class OpenDevice(Frozen, dict=True):
    """Where the kernels of a rank run; on all ranks a device or on all the processor.

    Attributes:
        handle: The runtime's device; None for the processor.
        where: What all ranks have, as text: the names of their devices, or why 'auto' took the
            processor; empty for a processor that was asked for.
        refusals: Ways to send that do not work here, with the reason.
    """

    handle: _core.Device | None
    where: str = ""
    refusals: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def loaded(self) -> dict[str, DeviceLibrary]:
        """What one of NVIDIA's has loaded, by the key of its machine code."""
        return {}

    @property
    def is_cpu(self) -> bool:
        """Whether kernels run on the processor and fields lie in its memory only."""
        return self.handle is None

    @property
    def alignment(self) -> int:
        """At multiples of what rows begin, unless a field says otherwise [bytes]."""
        return _LINE if self.is_cpu else _DEVICE_LINE

    def transport(self, *, is_same_node: bool) -> Transport:
        """Return the best way that works between two ranks."""
        ways = [way for way in DEVICE_TRANSPORTS if is_same_node or way != "peer"]
        return next(way for way in ways if way not in self.refusals)

    @property
    def messages(self) -> str:
        """How 'auto' sends, as text."""
        near, far = self.transport(is_same_node=True), self.transport(is_same_node=False)
        why = "; ".join(f"not {way}: {reason}" for way, reason in self.refusals.items())
        return f"messages: {near} inside a node, {far} between nodes" + (why and f" ({why})")


PROCESSOR = OpenDevice(None)


def parse_device(text: str) -> DeviceChoice:
    """Return the device that a text means, as 'cpu', 'cuda', 'cuda:1' or 'emulated:7'.

    Raises:
        PlanError: There is none of that name, or what follows is no number.
    """
    name, _, number = text.partition(":")
    if name not in _NAMES:
        raise PlanError(
            f"There is no device '{text}'; expected cpu, cuda, auto or emulated.",
            hint=nearest(CUDA if name == "gpu" else name, _NAMES),
        )
    if number and name in (CPU, AUTO):
        raise PlanError(
            f"The device '{text}' was asked for; only 'cuda' and 'emulated' take a number."
        )
    if number and not number.isdecimal():
        raise PlanError(f"The device '{text}' has the number '{number}'; expected 0, 1, 2, …")
    return DeviceChoice(name, int(number) if number else None)


def open_device(choice: DeviceChoice, job: Job) -> OpenDevice:
    """Open the device of each rank; collective.

    Raises:
        DeviceError: A rank has no such device.
        CompileError: A rank has no NVRTC, or one that does not know its device.
    """
    if choice.is_cpu:
        refusals = (
            {} if job.process is None else dict.fromkeys(_BY_MPI, "virtual ranks have no MPI")
        )
        return replace(PROCESSOR, refusals=refusals)
    if choice.name == EMULATED:
        device = _core.emulated_device((choice.number or 0) + job.rank)
        return _tried(device, f"kernels on an {device.name} each", job)
    handle, failure = None, None
    try:
        handle = _open_cuda(choice.number, job)
    except HaloclineError as error:
        failure = error
    names = dict.fromkeys(job.everywhere(handle.name if handle else ""))
    failure = job.first(failure)
    if handle is not None and failure is None:
        return _tried(handle, f"kernels on {', '.join(names)}", job)
    assert failure is not None
    if choice.name == CUDA:
        raise failure
    return OpenDevice(None, f"kernels on the processor ({failure.message.removesuffix('.')})")


def _tried(device: _core.Device, where: str, job: Job) -> OpenDevice:
    """Return a device of which is known how messages get from it to others; collective."""
    if job.transport is None:
        return OpenDevice(device, where)
    tried = {
        way: job.first(job.transport.try_device(_core.TransportKind[way], device) or None)
        for way in _TRIED
    }
    refusals = {kind: reason for kind, reason in tried.items() if reason is not None}
    made = OpenDevice(device, where, refusals)
    return replace(made, where=f"{where}; {made.messages}")


def _open_cuda(ordinal: int | None, job: Job) -> _core.CudaDevice:
    """Open a device; without an ordinal the ranks of a node take them in turn."""
    try:
        count = _core.cuda_device_count()
        place = job.nodes[: job.rank].count(job.nodes[job.rank])
        device = _core.cuda_device(place % count if ordinal is None else ordinal)
        architecture = device.architecture
    except _core.DeviceError as error:
        raise DeviceError(
            f"A CUDA device cannot be used: {error}.",
            hint="Look at what 'nvidia-smi' says, or use device='cpu'.",
        ) from None
    best_architecture(architecture)
    return device


def check_transport(strategy: Strategy | str, device: OpenDevice) -> None:
    """Refuse a way to send that does not work with a device.

    Raises:
        PlanError: It does not.
    """
    transport = strategy.transport if isinstance(strategy, Strategy) else "auto"
    if transport != "auto" and (transport in DEVICE_TRANSPORTS) == device.is_cpu:
        expected = ", ".join(DEVICE_TRANSPORTS)
        raise PlanError(
            f"The strategy has transport={transport!r}, but fields lie in the memory of the "
            f"{'processor' if device.is_cpu else 'device'}; for devices there are: {expected}.",
            hint="transport='auto' takes what fits.",
        )
    if transport in device.refusals:
        raise PlanError(
            f"The strategy has transport={transport!r}, which does not work here: "
            f"{device.refusals[transport]}.",
            hint="transport='auto' takes what works.",
        )


def check_lengths(device: OpenDevice, plan: Plan, job: Job) -> None:
    """Refuse blocks that a device cannot count through; collective.

    Raises:
        DeviceError: A block is too long.
    """
    if device.is_cpu:
        return
    lengths = [max(block.box.extent) for block in plan.blocks]
    longest = max(job.everywhere(max(lengths, default=0)))
    if longest > _MOST_CELLS:
        raise DeviceError(
            f"A block has {longest:,} cells along an axis; a device counts up to {_MOST_CELLS:,}.",
            hint="Use more ranks, more blocks, or another decomposition.",
        )
