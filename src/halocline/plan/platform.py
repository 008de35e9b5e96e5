"""Platform: what a plan is executed on, as far as decisions of the plan depend on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.frozen import Frozen
from halocline.plan.cells.strategy import DEVICE_TRANSPORTS

if TYPE_CHECKING:
    from halocline.plan.cells.strategy import Transport

# Results that the caches keep for a thread in any case, until they are read again.
PRIVATE_CACHE_BYTES = 3 << 19


class Platform(Frozen):
    """What is known of the ranks of a plan and of what they run on.

    Attributes:
        nodes: The node of each rank; empty if all are on the same.
        threads: Of a rank.
        kept_bytes: Results that the caches keep for each of them [bytes].
        near: What moves messages inside a node, unless the strategy says so.
        far: The same between nodes.
    """

    nodes: tuple[int, ...] = ()
    threads: int = 1
    kept_bytes: int = PRIVATE_CACHE_BYTES
    near: Transport = "shared"
    far: Transport = "two-sided"

    @property
    def has_devices(self) -> bool:
        """Whether kernels run on devices."""
        return self.far in DEVICE_TRANSPORTS

    def transport(self, wanted: Transport, *, is_same_node: bool) -> Transport:
        """Return what moves messages between two ranks if a strategy wants some transport."""
        if wanted != "auto":
            return wanted
        return self.near if is_same_node else self.far

    def is_same_node(self, one: int, other: int) -> bool:
        """Return whether two ranks are on the same node."""
        return not self.nodes or self.nodes[one] == self.nodes[other]
