"""A failing rank ends the job with a message within seconds; nothing hangs."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest
import stencils
from launch import mpirun
from msgspec.structs import replace

import halocline as hc
from halocline.errors import DivergedError
from halocline.plan import pipeline
from halocline.plan.pipeline import LOWERING, Pass
from halocline.plan.value.plan import Plan
from halocline.session import kept_plans

SCRIPT = Path(__file__).with_name("failing.py")


def fail(ranks: int, way: str):
    started = time.perf_counter()
    done = mpirun(ranks, SCRIPT, way, timeout=60)
    assert time.perf_counter() - started < 20
    assert done.returncode != 0
    assert "reached the end" not in done.stdout
    return done


def test_a_rank_that_exits_ends_the_job():
    # What is said, and the exit code, are the launcher's business.
    fail(3, "exit")


def test_a_rank_that_is_killed_ends_the_job_with_the_launchers_message():
    done = fail(3, "kill")
    assert "Killed (signal 9)" in done.stdout + done.stderr


def test_an_exception_in_a_function_on_one_rank_is_shown_and_ends_the_job():
    done = fail(3, "exception")
    assert "error on rank 1: the coffee is cold" in done.stderr
    assert "ValueError: the coffee is cold" in done.stderr


def test_nan_on_one_rank_stops_all_with_field_cell_and_step():
    done = fail(3, "nan")
    message = "failing.py:56: Field 'T' is not a number in cell"
    assert done.stderr.count(message) == 1
    line = next(line for line in done.stderr.splitlines() if message in line)
    assert "in cell (1, 3) at step 3." in line


def test_more_ranks_than_cells_is_said_once():
    done = fail(3, "too many ranks")
    message = "failing.py:77: 3 ranks with 1 block(s) each were asked to share 2 cells"
    assert done.stderr.count(message) == 1


def test_fields_larger_than_memory_are_refused_once_with_what_ranks_and_nodes_need():
    done = fail(2, "too large")
    message = "Fields and messages take 80.0 TB on node "
    assert done.stderr.count(message) == 1
    assert "(2 rank(s), at most 40.0 TB each)" in done.stderr


def test_a_lost_message_between_two_ranks_becomes_nan():
    done = fail(2, "message lost")
    assert "is not a number in cell" in done.stderr


@pytest.fixture(autouse=True)
def made_anew(monkeypatch):
    """Let no plan be read that was kept, nor one be kept that lacks something."""
    monkeypatch.setattr(kept_plans, "cache_folder", lambda: Path("nowhere"))
    monkeypatch.setattr(kept_plans, "_LEAST_S", math.inf)


def losing_copy(number: int, found: list):
    """Return the passes of the planner to a rank's plan, which lacks the n-th part copied."""

    def lose(plan, _rank):
        left = number
        for position, exchange in enumerate(plan.exchanges):
            if left < len(exchange.copies):
                found.append(exchange.copies[left])
                copies = exchange.copies[np.arange(len(exchange.copies)) != left]
                exchanges = list(plan.exchanges)
                exchanges[position] = replace(exchange, copies=copies)
                return replace(plan, exchanges=tuple(exchanges))
            left -= len(exchange.copies)
        return plan

    return (*LOWERING, Pass("lost copy", Plan, Plan, lose, "Lose a copy."))


@pytest.mark.parametrize("overlap", ["none", "core-first", "rim-first"])
@pytest.mark.parametrize("neighbours", ["direct", "staged"])
def test_any_copy_lost_between_blocks_becomes_nan(overlap, neighbours, monkeypatch):
    strategy = hc.Strategy(overlap=overlap, neighbours=neighbours, poison=True)
    options = {"strategy": strategy, "decomposition": (2, 2), "blocks": 4, "check_every": 1}
    lost: list = []
    while True:
        number = len(lost)
        monkeypatch.setattr(pipeline, "LOWERING", losing_copy(number, lost))
        problem = stencils.waves((6, 5), (True, False))
        try:
            stencils.run(problem, target="numpy", threads=1, **options)
        except DivergedError:
            continue
        # The first run that ends well is the one from which nothing was taken.
        assert len(lost) == number, f"{lost[-1]} was not missed"
        break
    assert len(lost) >= 12


def test_a_lost_copy_spoils_the_one_cell_that_reads_it(monkeypatch):
    monkeypatch.setattr(pipeline, "LOWERING", losing_copy(0, []))
    problem = stencils.heat((8,), (True,))
    strategy = hc.Strategy(poison=True)
    stencils.run(problem, 1, strategy=strategy, blocks=2, target="numpy", check_every=0, threads=1)
    assert np.flatnonzero(np.isnan(problem.grid.fields["T"].gather())).tolist() == [4]
