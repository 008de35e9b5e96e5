"""Progress of a run: a bar on a terminal or in Jupyter, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LINE_EVERY_S = 10.0
# Of a bar in Jupyter.
_CHARACTERS = 30
# Python looks at the clock about this often while the runtime executes steps.
_LOOK_S = 0.25


@contextmanager
def progress_display(
    steps: int, updates: int, *, is_shown: bool
) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes how many of the steps are done.

    Args:
        steps: How many there are.
        updates: Cells that a step computes, for the rate.
        is_shown: Whether to show anything.
    """
    if not is_shown:
        yield lambda _: None
    elif _is_in_jupyter():
        with _overwritten_line(steps, updates) as show:
            yield show
    elif sys.stderr.isatty():
        with _bar(steps, updates) as show:
            yield show
    else:
        yield _lines(steps, updates)


def _is_in_jupyter() -> bool:
    """Return whether a kernel of Jupyter runs; tools load its modules in other processes, too."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@contextmanager
def _bar(steps: int, updates: int) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.completed}/{task.total} steps"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    started = time.perf_counter()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=steps, rate="")

        def show(done: int) -> None:
            rate = _rate(done, updates, time.perf_counter() - started)
            progress.update(task, completed=done, rate=rate)

        yield show


@contextmanager
def _overwritten_line(steps: int, updates: int) -> Iterator[Callable[[int], None]]:
    """Show a bar as a line that is overwritten: Jupyter has no terminal, but obeys returns."""
    started, width = time.perf_counter(), 0

    def write(text: str) -> None:
        nonlocal width
        print(f"\r{text:<{width}}", end="", file=sys.stderr, flush=True)
        width = len(text)

    def show(done: int) -> None:
        elapsed = time.perf_counter() - started
        filled = _CHARACTERS * done // steps
        bar = "█" * filled + "░" * (_CHARACTERS - filled)
        left = elapsed * (steps - done) / done
        rate = _rate(done, updates, elapsed)
        write(f"{bar} {done}/{steps} steps, {rate}, {left:.0f} s left")

    try:
        yield show
    finally:
        write("")
        write("")


def _lines(steps: int, updates: int) -> Callable[[int], None]:
    started = last = time.perf_counter()

    def show(done: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last < _LINE_EVERY_S:
            return
        last = now
        left = (now - started) * (steps - done) / done
        print(
            f"step {done} of {steps}, {_rate(done, updates, now - started)}, {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )

    return show


def _rate(done: int, updates: int, seconds: float) -> str:
    return f"{done * updates / seconds / 1e6:.1f} million cells/s"


def in_pieces(steps: int, at_once: int) -> Iterator[int]:
    """Yield how many steps to do next, until all have been done.

    They are long enough that Python does not matter, and short enough to look alive.

    Args:
        steps: How many in all.
        at_once: So many are not parted.
    """
    pieces = 1
    while steps > 0:
        count = min(pieces * at_once, steps)
        before = time.perf_counter()
        yield count
        elapsed = time.perf_counter() - before
        steps -= count
        fitting = int(count * _LOOK_S / max(elapsed, 1e-9)) // at_once
        pieces = max(1, min(2 * pieces, fitting))
