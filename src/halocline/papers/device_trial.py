"""Predicted flows on machines with devices: what is asked, and the rate that the model answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from halocline.papers.walberla_trial import FlowTimes, FlowTrial, predict_flow
from halocline.plan.strategy import DeviceTransport, Strategy
from halocline.tune.machines import find_machine
from halocline.tune.work import Placement

_WAITING = Strategy(overlap="none")
# A device needs no pieces between which messages are polled.
_HIDING = Strategy(overlap="core-first", tiles=1)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to exchange.

    Attributes:
        name: As in tables and pictures.
        strategy: How the step is distributed, with one of DEVICE_TRANSPORTS.
    """

    name: str
    strategy: Strategy


def _as_paper(strategy: Strategy, way: DeviceTransport) -> Strategy:
    """Return a strategy that sends whole slices of a field, as classes that know no lattice do."""
    return replace(strategy, transport=way, width="full")


PACK_INFO = Scheme("GPUPackInfo", _as_paper(_WAITING, "box-copies"))
WITH_STREAMS = Scheme("with streams", _as_paper(_HIDING, "box-copies"))
BUFFERED = Scheme("GPUBufferedScheme", _as_paper(_WAITING, "from-device"))
PAPER_SCHEMES = (PACK_INFO, WITH_STREAMS, BUFFERED)


def our_schemes(*ways: DeviceTransport) -> tuple[Scheme, ...]:
    """Return waiting and hiding for some transports, with only what is read."""
    return tuple(
        Scheme(f"{way}, {word}", replace(strategy, transport=way))
        for way in ways
        for word, strategy in (("waiting", _WAITING), ("hiding", _HIDING))
    )


@dataclass(frozen=True, slots=True)
class DeviceTrial:
    """A flow on a machine with devices, one block each.

    Attributes:
        machine: Its name.
        scheme: How it exchanges.
        block: Cells of a block along each axis.
        blocks: Blocks along each axis.
        is_cavity: Whether walls are around it; else it is periodic.
        per_node: Devices of a node that are used; None for all.
    """

    machine: str
    scheme: Scheme
    block: tuple[int, ...]
    blocks: tuple[int, ...]
    is_cavity: bool = False
    per_node: int | None = None

    @property
    def devices(self) -> int:
        """How many devices work."""
        x, y, z = self.blocks
        return x * y * z

    @property
    def cells(self) -> int:
        """Number of cells of the whole grid."""
        x, y, z = self.block
        return x * y * z * self.devices


@lru_cache(maxsize=4096)
def predicted(trial: DeviceTrial) -> FlowTimes:
    """Return the predicted step of the device in the middle."""
    machine = find_machine(trial.machine)
    flow = FlowTrial(trial.block, trial.blocks, trial.scheme.strategy, is_cavity=trial.is_cavity)
    placement = Placement(trial.per_node or machine.ranks_per_node())
    return predict_flow(flow, trial.devices, machine, placement)


def rate(trial: DeviceTrial) -> float:
    """Return cells updated in a microsecond by all devices together [MLUP/s]."""
    return trial.cells / predicted(trial).step_s / 1e6


def alone(trial: DeviceTrial) -> float:
    """Return the rate of as many devices as if each had its block, periodic, alone [MLUP/s]."""
    return trial.devices * rate(replace(trial, blocks=(1, 1, 1), is_cavity=False))


def exposed(trial: DeviceTrial) -> float:
    """Return the share of a step that a device with its block alone does not need [%]."""
    return 100 * (1 - rate(trial) / alone(trial))
