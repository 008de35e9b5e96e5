"""Programs of coarrays: how they are compiled, and how they run on several images."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import halocline

FOLDER = Path(__file__).parent
# A variable may name another one while the library is being changed.
COMMAND = Path(
    os.environ.get("HALOCLINE_CAF", Path(halocline.__file__).parent / "caf/bin/halocline-caf")
)
# Programs that print 'ok' on any number of nodes.
PROGRAMS_ON_NODES = (
    "allocatable_components",
    "atomic_counters_under_contention",
    "co_sum_of_all_kinds",
    "components_between_other_images",
    "conversions_of_values",
    "critical_sections_exclude",
    "event_pipeline",
    "get_of_strided_sections",
    "large_collectives",
    "locks_exclude_each_other",
    "nested_teams",
    "put_of_strided_sections",
    "random_init_of_images",
    "sections_between_two_other_images",
    "sync_images_counts_statements",
    "teams_by_parity",
    "vector_subscripts",
)


def build(sources: Sequence[Path], folder: Path, *options: str) -> Path:
    """Compiles a program of these files; it has the name of the last one."""
    program = folder / sources[-1].stem
    command = [COMMAND, "build", *sources, *options, "-o", program]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return program


def run(program: Path, images: int, timeout: float = 20.0) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "run", "-n", str(images), program]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
