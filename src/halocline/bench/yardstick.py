"""The hand-written yardstick: what this machine's memory gives to loops with D3Q19's traffic."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halocline.bench.times import Times, sample
from halocline.codegen.source import Source
from halocline.errors import HaloclineError
from halocline.jit.build import build

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_ENTRIES = (
    "yardstick_make",
    "yardstick_run",
    "yardstick_check",
    "yardstick_free",
    "between_size",
    "between",
)
_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of the yardstick.

    Attributes:
        number: Its position in 'yardstick.cpp'.
        streams: Arrays read plus arrays written.
        stores: 'plain', 'non-temporal' (past the cache), 'rows' (past the cache, through a buffer
            of a row, as generated kernels do), or 'in place'.
    """

    number: int
    streams: int
    stores: str

    @property
    def bytes_per_cell(self) -> int:
        """Read plus written; what a plain store fetches before it writes does not count."""
        return 8 * self.streams


LOOPS = {
    "copy_1_plain": Loop(0, 2, "plain"),
    "copy_1_streamed": Loop(1, 2, "non-temporal"),
    "copy_19_plain": Loop(2, 38, "plain"),
    "copy_19_streamed": Loop(3, 38, "non-temporal"),
    "copy_19_streamed_by_rows": Loop(4, 38, "rows"),
    "update_19_in_place": Loop(5, 38, "in place"),
}


class Yardstick:
    """A loop with its memory; to be used in a 'with' statement.

    Args:
        loop: Name in 'LOOPS'.
        cells: Length of each stream, rounded to whole chunks of 64 for each thread.
        threads: OpenMP threads, each of which goes through its own part again and again.
    """

    def __init__(self, loop: str, cells: int, threads: int) -> None:
        self.loop = LOOPS[loop]
        self.name = loop
        self.cells = max(threads, cells // _CHUNK) * _CHUNK
        self.passes = 0
        self._library = library()
        self._memory = ctypes.c_void_p(
            self._library.yardstick_make(self.loop.number, self.cells, threads)
        )
        if not self._memory:
            raise HaloclineError(
                f"There is not enough memory for {self.bytes / 1e9:.1f} GB.",
                hint="Choose a smaller --size.",
            )

    @property
    def bytes(self) -> int:
        """Read plus written in one pass [bytes]."""
        return self.cells * self.loop.bytes_per_cell

    def __enter__(self) -> Yardstick:
        """Return itself."""
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        """Give the memory back."""
        self._library.yardstick_free(self._memory)

    def run(self, passes: int) -> float:
        """Go through all cells so often; return the time of one pass [s]."""
        seconds: float = self._library.yardstick_run(self._memory, self.loop.number, passes)
        self.passes += passes
        return seconds / passes

    def verify(self) -> None:
        """Compare with what so many passes must have left.

        Raises:
            HaloclineError: A value differs.
        """
        if not self._library.yardstick_check(self._memory, self.loop.number, self.passes):
            raise HaloclineError(
                f"The yardstick '{self.name}' has left wrong values: its rate does not count."
            )

    def sample(
        self,
        repetitions: int,
        budget_s: float,
        together: Callable[[Callable[[int], float]], Callable[[int], float]] = lambda run: run,
    ) -> Times:
        """Measure a pass, then verify.

        Args:
            repetitions: How often.
            budget_s: About how long each repetition lasts [s].
            together: Makes a run of all ranks of the run of one.
        """
        times = sample(together(self.run), repetitions, budget_s)
        self.verify()
        return times


@cache
def library() -> Any:
    """Return the compiled yardstick.

    Raises:
        CompileError: There is no compiler, or it refused the source.
    """
    text = Path(__file__).with_name("yardstick.cpp").read_text(encoding="utf-8")
    handle = build(Source("c++", text, _ENTRIES)).handle
    integer, pointer, double = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
    handle.yardstick_make.restype = pointer
    handle.yardstick_make.argtypes = [ctypes.c_int, integer, ctypes.c_int]
    handle.yardstick_run.restype = double
    handle.yardstick_run.argtypes = [pointer, ctypes.c_int, integer]
    handle.yardstick_check.argtypes = [pointer, ctypes.c_int, integer]
    handle.yardstick_free.restype = None
    handle.yardstick_free.argtypes = [pointer]
    handle.between_size.restype = integer
    handle.between_size.argtypes = [integer]
    handle.between.restype = None
    handle.between.argtypes = [pointer, ctypes.c_int, *[integer] * 3, pointer, pointer]
    return handle
