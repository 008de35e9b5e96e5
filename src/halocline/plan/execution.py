"""Execution: how the kernels of a plan run, apart from what they compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from halocline.analysis.threads import Threads
    from halocline.analysis.tiles import Tile

# Whether rows are fetched ahead: some processors find many short rows too late by themselves,
# others lose a quarter of their speed by being told. A trial tells, in the first calls.
Fetch = Literal["never", "always", "trial"]


@dataclass(frozen=True, slots=True)
class Execution:
    """How a kernel runs.

    Attributes:
        stream: Whether it stores past the caches.
        fetch: Whether it fetches rows ahead.
        tile: What a thread of the processor goes through plane by plane; None for whole planes.
        threads: How the threads of a device share its cells; None on the processor.
    """

    stream: bool = False
    fetch: Fetch = "never"
    tile: Tile | None = None
    threads: Threads | None = None

    def __str__(self) -> str:
        """Return 'stores past the caches, in tiles of 512x64'; empty if there is nothing."""
        fetching = {"never": "", "always": "fetches ahead", "trial": "tries fetching ahead"}
        storing = "stores past the caches" if self.stream else ""
        shape = f"in {self.threads}" if self.threads else ""
        tiles = f"in tiles of {self.tile}" if self.tile else ""
        said = [storing, fetching[self.fetch], tiles, shape]
        return ", ".join(filter(None, said))
