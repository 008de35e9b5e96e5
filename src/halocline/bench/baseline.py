"""The hand-written baseline: what this machine's memory gives to loops with D3Q19's traffic.

Threads are held on cores of their own, and fetch what they read as far ahead as is best.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from halocline.bench.handwritten import INTEGER, NUMBER, POINTER, REAL, Handwritten, load_source
from halocline.bench.times import Times, sample
from halocline.errors import HaloclineError
from halocline.frozen import Frozen

_CHUNK = 64
# How far ahead what is read is fetched [doubles], and how often each way is tried.
_DISTANCES = (0, 64, 128, 256)
_TRIALS = 3


class Loop(Frozen):
    """A loop of the baseline.

    Attributes:
        streams: Arrays read plus arrays written.
        stores: 'plain', 'non-temporal' (past the cache), 'rows' (past the cache, through a buffer
            of a row, as generated kernels do), or 'in place'.
    """

    streams: int
    stores: str

    @property
    def bytes_per_cell(self) -> int:
        """Read plus written; what a plain store fetches before it writes does not count."""
        return 8 * self.streams


# In the order of 'baseline.cpp'.
LOOPS = {
    "copy_1_plain": Loop(2, "plain"),
    "copy_1_streamed": Loop(2, "non-temporal"),
    "copy_19_plain": Loop(38, "plain"),
    "copy_19_streamed": Loop(38, "non-temporal"),
    "copy_19_streamed_by_rows": Loop(38, "rows"),
    "update_19_in_place": Loop(38, "in place"),
}


class Baseline(Handwritten):
    """A loop with its memory; to be used in a 'with' statement.

    Args:
        loop: Name in 'LOOPS'.
        cells: Length of each stream, rounded to whole chunks of 64 for each thread.
        threads: OpenMP threads, each of which goes through its own part again and again.
        rank: Of this process among those that run at once, each on cores of its own.
    """

    def __init__(self, loop: str, cells: int, threads: int, rank: int = 0) -> None:
        self.loop = LOOPS[loop]
        self.name = loop
        self._number = list(LOOPS).index(loop)
        self.cells = max(threads, cells // _CHUNK) * _CHUNK
        self.passes = 0
        self._library = library()
        self._memory = ctypes.c_void_p(
            self._library.baseline_make(self._number, self.cells, threads, rank * threads)
        )
        if not self._memory:
            raise HaloclineError(
                f"There is not enough memory for {self.bytes / 1e9:.1f} GB.",
                hint="Choose a smaller --size.",
            )
        self._ahead = min(_DISTANCES, key=self._least_s)

    @property
    def bytes(self) -> int:
        """Read plus written in one pass [bytes]."""
        return self.cells * self.loop.bytes_per_cell

    def free(self) -> None:
        """Give the memory back."""
        self._library.baseline_free(self._memory)

    def run(self, passes: int) -> float:
        """Go through all cells so often; return the time of one pass [s]."""
        return self._run(passes, self._ahead)

    def _run(self, passes: int, ahead: int) -> float:
        seconds: float = self._library.baseline_run(self._memory, self._number, passes, ahead)
        self.passes += passes
        return seconds / passes

    def _least_s(self, ahead: int) -> float:
        """Return the least time of a pass that fetches so far ahead [s]."""
        return min(self._run(1, ahead) for _ in range(_TRIALS))

    def verify(self) -> None:
        """Compare with what so many passes must have left.

        Raises:
            HaloclineError: A value differs.
        """
        if not self._library.baseline_check(self._memory, self._number, self.passes):
            raise HaloclineError(
                f"The baseline '{self.name}' has left wrong values: its rate does not count."
            )

    def sample(self, repetitions: int, budget_s: float) -> Times:
        """Measure a pass in repetitions that last about so long each [s], then verify."""
        times = sample(self.run, repetitions, budget_s)
        self.verify()
        return times


@cache
def library() -> Any:
    """Return the compiled baseline.

    Raises:
        CompileError: There is no compiler, or it refused the source.
    """
    return load_source(
        "baseline.cpp",
        {
            "baseline_make": (POINTER, NUMBER, INTEGER, NUMBER, NUMBER),
            "baseline_run": (REAL, POINTER, NUMBER, INTEGER, INTEGER),
            "baseline_check": (NUMBER, POINTER, NUMBER, INTEGER),
            "baseline_free": (None, POINTER),
            "between_size": (INTEGER, INTEGER),
            "between": (None, POINTER, NUMBER, *[INTEGER] * 3, POINTER, POINTER),
        },
    )
