"""Start ranks that have died again, from the newest checkpoint, on the hosts that answer."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from halocline.cli.hosts import Launcher, find_job_launcher
from halocline.cli.launch import JobEnd, run_job
from halocline.cli.outputs import CHECKPOINT
from halocline.errors import MpiError
from halocline.io.checkpoint import step_in
from halocline.io.checkpoint_memory import step_in_reports
from halocline.io.output import check_unused, writing

# What each host is asked for where checkpoints are in memory: its part of 'step_in_reports'.
_REPORT = (
    "import sys; from halocline.io.checkpoint_memory import print_report; print_report(sys.argv[1])"
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from halocline.apps.case import Case
    from halocline.apps.run_options import RunOptions


def run_again_after_deaths(case: Case, options: RunOptions, arguments: Sequence[str]) -> int:
    """Run a case on ranks, and start them again when they have died.

    Args:
        case: What is run.
        options: How; 'relaunch' says how often ranks are started again.
        arguments: The words of the command line.

    Returns:
        The exit code of the last job.

    Raises:
        HaloclineError: There is no launcher, the directory of the results is in use, no host
            answers, or the checkpoint is damaged.
    """
    directory = options.directory(case.name)
    launcher, ranks = find_job_launcher(options.job.ranks, options.job.hosts)
    if not options.goes_on:
        # So all that a job without a checkpoint leaves there may be removed.
        check_unused(directory)
    first = [*arguments, "--output", str(directory)]
    words = first
    for relaunch in range(options.job.relaunch + 1):
        end = run_job(launcher.words, ranks, words)
        if not end.is_death or end.is_interrupted:
            return end.code
        if relaunch == options.job.relaunch:
            break
        hosts = launcher
        launcher, in_memory = _asked(hosts, ranks, end, directory / CHECKPOINT, options)
        in_files = step_in(directory / CHECKPOINT)
        step = max((s for s in (in_files, in_memory) if s is not None), default=None)
        words = [*first, "--restart", str(directory)]
        if step is None:
            words = first
            if not options.goes_on:
                _empty(directory)
        where = _described(hosts, launcher, step)
        count = f"Relaunch {relaunch + 1} of {options.job.relaunch}"
        print(f"warning: {end.describe(ranks)}. {count} {where}.", file=sys.stderr, flush=True)
    after = f"after {options.job.relaunch} relaunch(es)"
    print(f"error: {end.describe(ranks)}, {after}.", file=sys.stderr)
    return end.code


def _asked(
    launcher: Launcher, ranks: int, end: JobEnd, checkpoint: Path, options: RunOptions
) -> tuple[Launcher, int | None]:
    """Return the launcher of the hosts that answer, and the step that is in their memory."""
    if options.outputs.checkpoint_memory is not None:
        command = [sys.executable, "-c", _REPORT, str(checkpoint)]
    elif launcher.hosts:
        command = ["true"]
    else:
        return launcher, None
    answers = launcher.ask(command, ranks)
    silent = [name for name, printed in answers.items() if printed is None]
    if launcher.hosts and len(silent) == len(answers):
        raise MpiError(
            f"{end.describe(ranks)}, and no host of the launcher answers: {', '.join(silent)}.",
            hint="Go on from the checkpoint with --restart when they are back.",
        )
    lines = [line for printed in answers.values() for line in (printed or "").splitlines()]
    return launcher.without(silent, ranks), step_in_reports(lines)


def _described(before: Launcher, after: Launcher, step: int | None) -> str:
    """Return from which step a job goes on, on which hosts, and which do not answer."""
    left = [host.name for host in after.hosts]
    lost = [host.name for host in before.hosts if host.name not in left]
    start = "starts at the beginning" if step is None else f"goes on from step {step}"
    place = f" on {', '.join(left)}" if left else ""
    without = f"; {', '.join(lost)}: no answer" if lost else ""
    return f"{start}{place}{without}"


def _empty(directory: Path) -> None:
    """Remove what a job has left that wrote no checkpoint; the directory was empty before it."""
    if directory.exists():
        with writing(directory):
            shutil.rmtree(directory)
