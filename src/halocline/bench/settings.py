"""Settings: how a benchmark or an experiment measures, checked before any rank is started."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import get_args

from halocline.errors import HaloclineError
from halocline.frozen import Frozen
from halocline.plan.cells.strategy import HostTransport
from halocline.runtime.link import to_link

TRANSPORTS: tuple[str, ...] = get_args(HostTransport)
# These copy from field to field, which needs a node in common.
DIRECT = ("shared", "shared-push")
# 'native' in the words of paper 000: nobody packs values before they travel.
NATIVE = (*DIRECT, "datatype")

SMALLEST_BYTES = 8
_GROWTH = 4
_DTYPES = {2: "float16", 4: "float32", 8: "float64"}


class Settings(Frozen):
    """How a benchmark measures.

    Attributes:
        ranks: MPI ranks.
        transports: Those to compare; none for all that can be used.
        element_bytes: Sizes of an element, 4 or 8.
        repetitions: How often each figure is measured.
        largest_bytes: The largest message; none for the benchmark's own.
        sizes: Edges of the cubes that some benchmarks use; none for the benchmark's own.
        budget_s: Each repetition does as many steps as take about so long [s].
        is_rewritten: Whether the owner writes all values anew before each message, as a time
            step does (its time is not counted); else they may lie in the reader's cache.
        ranks_per_node: Declare so many consecutive ranks to be a node; None for the real nodes.
        link: An emulated link between nodes, see 'halocline.runtime.link'.
        case: For 'imbalance', the name or file of a case.
        device: For 'device', which one.
        is_quick: For experiments, whether to see only that everything works: tiny sizes.
    """

    ranks: int = 2
    transports: tuple[str, ...] = ()
    element_bytes: tuple[int, ...] = (8,)
    repetitions: int = 7
    largest_bytes: int | None = None
    sizes: tuple[int, ...] = ()
    budget_s: float = 5e-3
    is_rewritten: bool = True
    ranks_per_node: int | None = None
    link: str | None = None
    case: str = "lid-cavity"
    device: str = "auto"
    is_quick: bool = False

    def __post_init__(self) -> None:
        for name in self.transports:
            if name not in TRANSPORTS:
                raise HaloclineError(
                    f"There is no transport '{name}' to measure; expected one of: "
                    f"{', '.join(TRANSPORTS)}."
                )
        for size in self.element_bytes:
            if size not in _DTYPES:
                raise HaloclineError(
                    f"Elements of {size} bytes were asked for; expected 2, 4 or 8."
                )
        if self.largest_bytes is not None and self.largest_bytes < SMALLEST_BYTES:
            raise HaloclineError(
                f"The largest message has {self.largest_bytes} bytes; expected at least "
                f"{SMALLEST_BYTES}."
            )
        if any(size < 1 for size in self.sizes):
            raise HaloclineError(f"A size of {min(self.sizes)} was given; expected at least 1.")
        self._check_nodes()

    def _check_nodes(self) -> None:
        if to_link(self.link) is not None and self.ranks_per_node is None:
            raise HaloclineError(
                f"The link '{self.link}' joins nodes, but all ranks are on one.",
                hint="Declare nodes with --ranks-per-node 1.",
            )
        direct = [name for name in self.transports if name in DIRECT]
        if direct and self._has_nodes:
            raise HaloclineError(
                f"Transport '{direct[0]}' needs ranks of one node, but there are "
                f"{self.ranks_per_node} of {self.ranks} ranks on each.",
                hint="Leave out --ranks-per-node, or choose another transport.",
            )

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        return len(os.sched_getaffinity(0))

    def mark(self, ranks: int, threads: int = 1) -> str:
        """Return a word for a table if so many ranks share cores, so that times mean nothing."""
        return "oversubscribed" if ranks * threads > self.cores else ""

    @property
    def _has_nodes(self) -> bool:
        return self.ranks_per_node is not None and self.ranks_per_node < self.ranks

    def chosen(self, known: Sequence[str] = TRANSPORTS) -> tuple[str, ...]:
        """Return the transports to measure among those that a benchmark knows.

        Raises:
            HaloclineError: Another one was asked for.
        """
        for name in self.transports:
            if name not in known:
                raise HaloclineError(
                    f"Transport '{name}' is not part of this benchmark; expected one of: "
                    f"{', '.join(known)}."
                )
        usable = [name for name in known if not (self._has_nodes and name in DIRECT)]
        return self.transports or tuple(usable)

    def message_sizes(self, element_bytes: int, largest_bytes: int) -> Iterator[int]:
        """Yield sizes from 8 bytes to the largest, each four times the one before [bytes].

        Args:
            element_bytes: All are multiples of it.
            largest_bytes: Where the settings name no other.
        """
        largest = self.largest_bytes or largest_bytes
        largest = max(SMALLEST_BYTES, largest // element_bytes * element_bytes)
        size = SMALLEST_BYTES
        while size < largest:
            yield size
            size *= _GROWTH
        yield largest


def dtype_of(element_bytes: int) -> str:
    """Return the element type of a size."""
    return _DTYPES[element_bytes]
