"""Flows on machines with devices: how they exchange, and the rate that the model predicts."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.plan.cells.strategy import DeviceTransport, Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement
from halocline_reproduction.configuration import Configuration, StepTimes, predict

_WAITING = Strategy(overlap="none")
# A device needs no pieces between which messages are polled.
_HIDING = Strategy(overlap="core-first", tiles=1)
TRANSPORTS: tuple[DeviceTransport, ...] = ("via-host", "from-device", "peer", "box-copies")
# The paper's classes know no lattice and send whole slices of a field.
PAPER_SCHEMES = {
    "GPUPackInfo": replace(_WAITING, transport="box-copies", width="full"),
    "with streams": replace(_HIDING, transport="box-copies", width="full"),
    "GPUBufferedScheme": replace(_WAITING, transport="from-device", width="full"),
}
# Ways to exchange, those of the paper and ours, which send only what is read.
SCHEMES = PAPER_SCHEMES | {
    f"{transport}, {word}": replace(strategy, transport=transport)
    for transport in TRANSPORTS
    for word, strategy in (("waiting", _WAITING), ("hiding", _HIDING))
}


class DeviceFlow(Frozen):
    """A flow on a machine with devices, one block each.

    Attributes:
        machine: Its name.
        scheme: How it exchanges, one of SCHEMES.
        block: Cells of a block along each axis.
        blocks: Blocks along each axis.
        is_cavity: Whether walls are around it; else it is periodic.
        per_node: Devices of a node that are used; None for all.
    """

    machine: str
    scheme: str
    block: tuple[int, ...]
    blocks: tuple[int, ...]
    is_cavity: bool = False
    per_node: int | None = None

    @property
    def devices(self) -> int:
        """How many devices work."""
        return prod(self.blocks)


@lru_cache(maxsize=4096)
def predicted(flow: DeviceFlow) -> StepTimes:
    """Return the predicted step of the device in the middle."""
    machine = find_machine(flow.machine)
    step = "cavity" if flow.is_cavity else "flow"
    c = Configuration(step, flow.block, flow.blocks, SCHEMES[flow.scheme])
    return predict(c, machine, Placement(flow.per_node or machine.ranks_per_node()))


def rate(flow: DeviceFlow) -> float:
    """Return cells updated in a microsecond by all devices together [MLUP/s]."""
    return prod(flow.block) * flow.devices / predicted(flow).least() / 1e6


def alone(flow: DeviceFlow) -> float:
    """Return the rate of as many devices as if each had its block, periodic, alone [MLUP/s]."""
    return flow.devices * rate(replace(flow, blocks=(1, 1, 1), is_cavity=False))


def exposed(flow: DeviceFlow) -> float:
    """Return the share of a step that a device with its block alone does not need [%]."""
    return 100 * (1 - rate(flow) / alone(flow))


def efficiency(flow: DeviceFlow, first: DeviceFlow) -> float:
    """Return the rate of a device in terms of that of one with the first block alone [%]."""
    return 100 * rate(flow) / flow.devices / (alone(first) / first.devices)
