"""Execution: how the kernels of a plan run, apart from what they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from halocline.frozen import Frozen

if TYPE_CHECKING:
    from halocline.analysis.threads import Threads
    from halocline.analysis.tiles import Tile

# Whether something is done. A trial tells, in the first calls, where nothing else can: some
# processors find many short rows too late by themselves, others lose by being told to fetch them;
# and how much of a large cache is ours nobody knows.
Choice = Literal["never", "always", "trial"]


class Execution(Frozen):
    """How a kernel runs.

    Attributes:
        stream: Whether it uses non-temporal stores.
        fetch: Whether it prefetches; how far is always tried.
        tile: What a thread of the processor goes through plane by plane; None for whole planes.
        threads: How the threads of a device share its cells; None on the processor.
    """

    stream: Choice = "never"
    fetch: Choice = "never"
    tile: Tile | None = None
    threads: Threads | None = None

    def __str__(self) -> str:
        """Return 'non-temporal stores, in tiles of 512x64'; empty if there is nothing."""
        storing = {
            "never": "",
            "always": "non-temporal stores",
            "trial": "tries non-temporal stores",
        }
        fetching = {"never": "", "always": "prefetches", "trial": "tries prefetching"}
        shape = f"in {self.threads}" if self.threads else ""
        tiles = f"in tiles of {self.tile}" if self.tile else ""
        said = [storing[self.stream], fetching[self.fetch], tiles, shape]
        return ", ".join(filter(None, said))
