"""Devices: where kernels run, as users name them."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.errors import PlanError, nearest
from halocline.runtime import _core

CPU = "cpu"
_NAMES = (CPU, "emulated")


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """A device that was asked for.

    Attributes:
        name: 'cpu', or 'emulated' for a device whose kernels run on the processor.
        seed: Of the order in which an emulated device does what it may do in any.
    """

    name: str
    seed: int = 0

    @property
    def is_cpu(self) -> bool:
        """Whether kernels run on the processor and fields lie in its memory only."""
        return self.name == CPU

    def open(self, rank: int) -> _core.Device | None:
        """Return a rank's device, None for the processor."""
        return None if self.is_cpu else _core.emulated_device(self.seed + rank)


def parse_device(text: str) -> DeviceChoice:
    """Return the device that a text means: 'cpu', 'emulated', or 'emulated:7' with a seed.

    Raises:
        PlanError: There is none of that name, or the seed is no number.
    """
    name, _, seed = text.partition(":")
    if name not in _NAMES:
        hint = nearest(name, _NAMES)
        if name in ("cuda", "gpu"):
            hint = "Kernels for it can be shown: halocline show code CASE --target cuda."
        raise PlanError(f"There is no device '{text}'; expected cpu or emulated.", hint=hint)
    if name == CPU and seed:
        raise PlanError(f"The device '{text}' was asked for; only 'emulated' takes a seed.")
    if seed and not seed.isdecimal():
        raise PlanError(f"The device '{text}' has the seed '{seed}'; expected a whole number.")
    return DeviceChoice(name, int(seed or 0))
