"""'halocline probe': measure this machine and keep what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from halocline.bench.probe import probe
from halocline.runtime.device import parse_device
from halocline.tune.machine_file import machine_path, save_machine
from halocline.tune.remember import choices_path

if TYPE_CHECKING:
    from collections.abc import Callable


def run_probe(
    show: Callable[[str], None], output: str, *, is_quick: bool, device: str = "cpu"
) -> Path:
    """Measure this machine and write its file.

    Args:
        show: Gets what is found, line by line.
        output: The file; empty for the one that later runs look for, or with a device for one
            beside it, for predictions.
        is_quick: Measure less often, and less of it.
        device: The device to measure as well; 'cpu' for none.

    Raises:
        HaloclineError: A measurement failed, or the file cannot be written.
    """
    choice, usual = parse_device(device), machine_path()
    beside = usual.with_name(f"machine-{choice.name}.json")
    path = Path(output) if output else usual if choice.is_cpu else beside
    machine = probe(show, is_quick=is_quick, device=device)
    save_machine(machine, path)
    if path == usual:
        # Strategies were chosen by other numbers.
        choices_path().unlink(missing_ok=True)
    show(f"machine file {path}" + ("" if choice.is_cpu else "; predict with it as --machine"))
    return path
