"""Forks of a process whose kernels ran on threads: they run on one, or say why they do not."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
import halocline as hc

@hc.kernel
def double(T):
    T[0] = 2.0 * T[0]

def simulation(**options):
    T = hc.Grid(1_000_000, periodic=True).field("T")
    T.set(1.0)
    return T, hc.Simulation(T.grid, [double(T)], **options)

first = simulation(threads={threads})
if {has_run}:
    first[1].run(1, progress=False)
child = os.fork()
if child == 0:
    try:
        T, again = {again}
        again.run(1, progress=False)
        print(T.gather()[:].max(), again.threads, flush=True)
    except hc.HaloclineError as error:
        print(error.message, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
REFUSED = (
    "This process was forked from one whose kernels had run on several threads, and lacks them; a "
    "simulation was to run on 2."
)


def of_child(again, *, threads=2, has_run=True):
    program = PROGRAM.format(threads=threads, has_run=has_run, again=again)
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    return found.stdout.strip()


@pytest.mark.parametrize(
    ("again", "said"),
    [
        ("first", REFUSED),
        ("simulation(threads=2)", REFUSED),
        ("simulation(threads=1)", "2.0 1"),
        ("simulation()", "2.0 1"),
    ],
)
def test_a_fork_after_a_run_on_threads_does_not_wait_for_ever(again, said):
    assert of_child(again) == said


def test_a_fork_before_a_run_has_threads():
    assert of_child("simulation(threads=2)", has_run=False) == "2.0 2"


def test_a_fork_after_a_run_on_one_thread_goes_on():
    assert of_child("first", threads=1) == "4.0 1"
