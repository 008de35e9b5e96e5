"""Work of a device: how long its kernels compute, pack and copy, without waiting for each other."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from halocline.analysis.cost import cost
from halocline.tune.device import SECTOR_BYTES
from halocline.tune.machine import MachineError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halocline.geometry import Box
    from halocline.plan.value import operations as ops
    from halocline.plan.value.messages import Message
    from halocline.plan.value.parts import Part
    from halocline.plan.value.plan import Plan
    from halocline.tune.machine import Machine

_DOUBLE_BYTES = 8


class DeviceWork:
    """What a rank's device needs for the operations of a plan.

    Raises:
        MachineError: The machine has no devices, or lacks times of copies of boxes.
    """

    def __init__(self, plan: Plan, machine: Machine) -> None:
        if machine.device is None:
            raise MachineError(f"Machine '{machine.name}' has no devices.")
        self.plan = plan
        self.device = machine.device
        self.size = {layout.name: layout.bytes_per_value for layout in plan.layouts}

    def is_batched(self, launch: int) -> bool:
        """Return whether one launch does all boxes of a kernel."""
        if not self.plan.executions:  # where it will run is open
            return False
        threads = self.plan.executions[launch].threads
        return threads is not None and threads.is_batched

    def compute_s(self, launch: int, box: Box) -> float:
        """Return the greater of memory traffic and arithmetic of a kernel in a box [s]."""
        needed = cost(self.plan.launches[launch].code)
        is_double = needed.widest >= _DOUBLE_BYTES
        rate = self.device.float64_per_s if is_double else self.device.float32_per_s
        bytes_s = needed.box_bytes(box, SECTOR_BYTES) / self.device.bytes_per_s
        return max(bytes_s, box.cells * needed.flops / rate)

    def packing_s(self, messages: Iterable[Message]) -> list[float]:
        """Return what the launch takes that packs or unpacks messages, if any are [s]."""
        packed = [message for message in messages if message.transport != "box-copies"]
        parts = [part for message in packed for part in message.parts]
        if not parts:
            return []
        return [self._moving_s(parts, field_passes=1, buffer_passes=1)]

    def copying_s(self, message: Message) -> list[float]:
        """Return what each copy of a message to or from the host takes, if there are any [s]."""
        if message.transport == "box-copies":
            return [self._box_copy_s(part) for part in message.parts]
        if message.transport != "via-host":
            return []
        copies = self.device.host_copies
        return [copies.latency_s + self.plan.bytes_of(message.parts) / copies.bytes_per_s]

    def copy_s(self, parts: Iterable[Part]) -> float:
        """Return what the kernel takes that copies parts from field to field [s]."""
        return self._moving_s(parts, field_passes=2, buffer_passes=0)

    def sweep_s(self, boxes: Iterable[ops.Placed], cell_bytes: int) -> float:
        """Return what a kernel takes that reads so many bytes of each cell [s]."""
        cells = sum(box.cells for _, box in boxes)
        return self.device.start_s + cells * cell_bytes / self.device.bytes_per_s

    def _moving_s(self, parts: Iterable[Part], *, field_passes: int, buffer_passes: int) -> float:
        """Return what a kernel takes that passes over parts in fields and in buffers [s]."""
        moved = 0
        for part in parts:
            rows, row_bytes = self._rows(part)
            sectors = -(-row_bytes // SECTOR_BYTES) * SECTOR_BYTES
            moved += rows * (field_passes * sectors + buffer_passes * row_bytes)
        return self.device.start_s + moved / self.device.bytes_per_s

    def _box_copy_s(self, part: Part) -> float:
        copies = self.device.box_copies
        if copies is None:
            raise MachineError(
                f"Device '{self.device.name}' has no times of copies of boxes.",
                hint="Choose messages that are packed: 'via-host', 'from-device' or 'peer'.",
            )
        rows, row_bytes = self._rows(part)
        return copies.latency_s + rows * (copies.row_s + row_bytes / copies.bytes_per_s)

    def _rows(self, part: Part) -> tuple[int, int]:
        """Return how many rows a part has, and the size of one [bytes]."""
        nx, *others = part.box.extent
        return prod(others), nx * self.size[part.field]
