"""Wherever an image stops, its team is told of it, and nobody waits for ever."""

from __future__ import annotations

import subprocess

import pytest
from caf_commands import COMMAND, FOLDER
from on_nodes import run_on_nodes

SEEDS = range(1, 6)
MORE = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(100, 160)]


def all_but_one(done: subprocess.CompletedProcess[str], images: int) -> None:
    assert (done.returncode, done.stdout) == (0, "ok\n" * (images - 1)), done.stdout + done.stderr


@pytest.mark.parametrize("seed", [*SEEDS, *MORE])
def test_on_one_node(built, seed):
    images = 2 + seed % 4
    command = [COMMAND, "run", "-n", str(images), built(FOLDER / "random_stop.f90"), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    all_but_one(done, images)


@pytest.mark.parametrize("seed", [*SEEDS, *MORE])
def test_on_several_nodes(built, seed):
    images = 2 + seed % 3
    program = built(FOLDER / "random_stop.f90")
    all_but_one(run_on_nodes(images, 1 + seed % 2, program, seed), images)
