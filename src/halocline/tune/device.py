"""Device: the numbers of an accelerator that decide how long a step on it takes.

A rank drives one device. Kernels run on one of its streams; packing and copies on another, which
goes first. What a rank sends is packed by one kernel, what it gets unpacked by one a message;
or each part is copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.plan.cells.strategy import DeviceTransport

# Memory is read and written in such pieces, however little of one is asked for.
SECTOR_BYTES = 32

# Ways of messages between devices, each with the transport inside a node and between nodes.
DEVICE_MESSAGES: dict[str, tuple[DeviceTransport, DeviceTransport]] = {
    "peer": ("peer", "from-device"),
    "from-device": ("from-device", "from-device"),
    "via-host": ("via-host", "via-host"),
    "box-copies": ("box-copies", "box-copies"),
}


class HostCopies(Frozen):
    """Copies between a device and pinned memory of its host, the same in both directions.

    Attributes:
        latency_s: Of a copy without bytes [s].
        bytes_per_s: Of a long one [bytes/s].
    """

    latency_s: float
    bytes_per_s: float


class BoxCopies(Frozen):
    """Copies of boxes between a field on a device and a message on its host, a call for each box.

    Attributes:
        latency_s: Of a copy without bytes [s].
        row_s: Of each row, whatever its length [s].
        bytes_per_s: Of long rows [bytes/s].
    """

    latency_s: float
    row_s: float
    bytes_per_s: float


class Device(Frozen):
    """The devices of a machine, as the model has them.

    Attributes:
        name: What it is called.
        per_node: How many a node has, one for each rank.
        bytes_per_s: What its memory gives to kernels, read plus written [bytes/s].
        start_s: What a kernel takes beyond its bytes and operations: to begin after the one before,
            to get to full speed, and to end [s].
        enqueue_s: What it costs the host to enqueue a kernel or a copy [s].
        float32_per_s: Operations in single precision [1/s].
        float64_per_s: Operations in double precision [1/s].
        host_copies: Between a packed message on the device and pinned memory of its host.
        box_copies: Instead of packing; None where they were not measured.
        messages: How they travel, see 'Strategy'; 'peer' is 'from-device' between nodes.
    """

    name: str
    per_node: int
    bytes_per_s: float
    start_s: float
    enqueue_s: float
    float32_per_s: float
    float64_per_s: float
    host_copies: HostCopies
    box_copies: BoxCopies | None = None
    messages: str = "via-host"
