"""Start a measurement on ranks of its own and bring back what rank 0 found."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from halocline.bench.settings import Settings
from halocline.errors import HaloclineError
from halocline.launched import launched_rank
from halocline.runtime.ending import end_job
from halocline.runtime.job import Job, join
from halocline.runtime.launcher import find_launcher

Found = TypeVar("Found")

_TASK, _FOUND = "task.pickle", "found.pickle"


def measure_on_ranks(
    measure: Callable[[Job, Settings], Found],
    settings: Settings,
    environment: Mapping[str, str] | None = None,
) -> Found:
    """Run a measurement as a job of 'settings.ranks' ranks.

    Args:
        measure: A function of a module; every rank calls it, and what it returns on rank 0 counts.
        settings: Its settings.
        environment: Variables that the job has besides those of this process, or instead.

    Raises:
        HaloclineError: This process is a rank itself, or the job failed: with what it said.
    """
    if launched_rank() is not None:
        raise HaloclineError(
            "A benchmark starts its ranks itself, but a launcher has started this process.",
            hint="Call it without 'mpiexec'; choose the number with --ranks.",
        )
    with tempfile.TemporaryDirectory(prefix="halocline-") as name:
        folder = Path(name)
        (folder / _TASK).write_bytes(pickle.dumps((measure, settings)))
        launcher = [*find_launcher(), "-n", str(settings.ranks)] if settings.ranks > 1 else []
        command = [*launcher, sys.executable, "-m", "halocline.bench.worker", name]
        variables = {**os.environ, **(environment or {})}
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
        if run.returncode != 0 or not (folder / _FOUND).exists():
            raise HaloclineError(f"The measurement failed: {_reason(run.stderr)}")
        result: Found = pickle.loads((folder / _FOUND).read_bytes())
        return result


def _reason(errors: str) -> str:
    """Return what a job said of its failure: the message of a mistake, or else its last words."""
    messages = [line for line in errors.splitlines() if line.startswith("error")]
    if messages:
        return messages[0].removeprefix("error: ")
    return errors.strip()[-500:] or "it said nothing."


def work(folder: Path) -> None:
    """Do the task in a folder, as one of its ranks; an error ends all of them."""
    measure, settings = pickle.loads((folder / _TASK).read_bytes())
    job = join(ranks_per_node=settings.ranks_per_node, link=settings.link)
    try:
        result = measure(job, settings)
    except HaloclineError as error:
        end_job(error, job.rank)
        if job.communicator is not None:
            job.communicator.Abort(1)
        sys.exit(1)
    if job.rank == 0:
        (folder / _FOUND).write_bytes(pickle.dumps(result))
