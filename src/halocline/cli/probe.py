"""'halocline probe': measure this machine and keep what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from halocline.bench.probe import probe
from halocline.tune.machine_file import machine_path, save_machine
from halocline.tune.remember import choices_path

if TYPE_CHECKING:
    from collections.abc import Callable


def run_probe(show: Callable[[str], None], output: str, *, is_quick: bool) -> Path:
    """Measure this machine and write its file.

    Args:
        show: Gets what is found, line by line.
        output: The file; empty for the one that later runs look for.
        is_quick: Measure less often, and less of it.

    Raises:
        HaloclineError: A measurement failed, or the file cannot be written.
    """
    path = Path(output) if output else machine_path()
    machine = probe(show, is_quick=is_quick)
    save_machine(machine, path)
    if not output:
        # Strategies were chosen by other numbers.
        choices_path().unlink(missing_ok=True)
    show(f"machine file {path}")
    return path
