"""A rank that fails before MPI is up, or leaves without a word, ends the job; one message each."""

from __future__ import annotations

import re
import time
from pathlib import Path

from launch import mpirun

SCRIPT = Path(__file__).with_name("failing_early.py")


def fail(ranks: int, way: str):
    # A fork of the tests' server would not be a child of the launcher.
    started = time.perf_counter()
    done = mpirun(ranks, SCRIPT, way, timeout=60, warm=False)
    assert time.perf_counter() - started < 30
    assert done.returncode != 0
    assert "reached the end" not in done.stdout
    return done.stderr


def test_a_rank_that_ends_before_mpi_is_up_ends_the_job():
    said = fail(2, "module missing")
    assert said.count("error: 1 of the 2 ranks on this node has ended before MPI was up; ") == 1
    assert said.count("No module named 'no_module_of_this_name'") == 1


def test_what_all_ranks_meet_before_mpi_is_up_is_said_once():
    said = fail(3, "all mistaken")
    message = r"error: \S*failing_early.py:\d+: A grid of extent \(-1,\) was asked for"
    assert len(re.findall(message, said)) == 1
    assert "Traceback" not in said


def test_a_rank_that_leaves_with_status_0_while_others_wait_is_told():
    assert "while rank 1 has come to the end of the program" in fail(2, "leaves in a step")


def test_an_interrupted_job_says_so_once():
    said = fail(3, "interrupted")
    assert len(re.findall(r"failing_early.py:\d+: The program was interrupted\.", said)) == 1
    assert "Traceback" not in said


def test_all_ranks_may_leave_with_status_0():
    done = mpirun(2, SCRIPT, "leaves at the end", timeout=60, warm=False)
    assert "error" not in done.stderr
