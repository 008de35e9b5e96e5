"""What took long to plan is read from a file the next time, and only where it is the same."""

import os

import numpy as np
import pytest
import stencils
from msgspec import msgpack

import halocline as hc
from halocline.language.steps.steps import check_steps
from halocline.plan.blocks.choice import decomposition_for
from halocline.plan.cells.strategy import Strategy
from halocline.plan.pipeline import plan_of
from halocline.plan.platform import Platform
from halocline.plan.program.binding import bind
from halocline.session import kept_plans
from halocline.session.kept_plans import KeptPlans

HERE = Platform((0, 0), kept_bytes=100)


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Keep all plans, in a folder of the test's own; return the strategies that were planned."""
    strategies = []

    def counting(program, split, strategy, rank, platform):
        strategies.append(strategy)
        return plan_of(program, split, strategy, rank, platform)

    monkeypatch.setattr(kept_plans, "plan_of", counting)
    monkeypatch.setattr(kept_plans, "_LEAST_S", -1.0)
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "kept"))
    return strategies


def kept(name="heat 2-D", rank=0, platform=HERE, sides="none", problem=None, ranks=2):
    problem = problem or stencils.make(name, sides, "float64")
    program = bind(problem.grid, check_steps(tuple(problem.steps)), 100)
    split = decomposition_for(problem.grid, ranks, steps=check_steps(tuple(problem.steps)))
    return KeptPlans(program, split, rank, platform)


def files(tmp_path):
    return sorted((tmp_path / "kept").glob("*.plan"))


@pytest.mark.parametrize("name", stencils.PROBLEMS)
@pytest.mark.parametrize("strategy", [Strategy(), Strategy(depth=2), Strategy(steps_in_cache=2)])
def test_what_is_read_is_what_would_be_made(name, strategy, made):
    first, second = (kept(name).plan(strategy) for _ in range(2))
    assert made == [strategy]
    assert str(second) == str(first)
    assert [launch.code for launch in second.launches] == [one.code for one in first.launches]


def test_anything_else_is_planned_anew(made):
    default = Strategy()
    kept().plan(default)
    others = [
        kept(rank=1),
        kept(ranks=1),
        kept(sides="all"),
        kept("waves 2-D"),
        kept(platform=Platform((0, 1), kept_bytes=100)),
        kept(platform=Platform((0, 0), kept_bytes=1 << 20)),
    ]
    for other in others:
        other.plan(default)
    kept().plan(Strategy(overlap="none"))
    assert len(made) == 8


def test_points_at_other_places_are_planned_anew(made):
    def at(x):
        grid = hc.Grid((8, 8), periodic=True)
        T = grid.field("T")
        return stencils.Problem(grid, [hc.Points(np.array([[x, 3.0]])).record(T)])

    for x in (1.0, 6.0, 1.0):
        kept(problem=at(x)).plan(Strategy())
    assert len(made) == 2


def test_another_version_of_the_package_plans_anew(made, monkeypatch):
    kept().plan(Strategy())
    monkeypatch.setattr(kept_plans, "package_digest", lambda: "changed")
    kept().plan(Strategy())
    assert len(made) == 2


DAMAGED = [b"", b"{}", b"\0", *map(msgpack.encode, ({}, [1], {"list": [{"Unknown": {}}]}))]


@pytest.mark.parametrize("contents", DAMAGED)
def test_a_damaged_file_is_written_again(contents, made, tmp_path):
    plan = kept().plan(Strategy())
    (file,) = files(tmp_path)
    file.write_bytes(contents)
    assert str(kept().plan(Strategy())) == str(plan)
    assert str(kept().plan(Strategy())) == str(plan)
    assert len(made) == 2


def test_plans_that_are_quickly_made_leave_no_file(made, monkeypatch, tmp_path):
    monkeypatch.setattr(kept_plans, "_LEAST_S", 1e9)
    kept().plan(Strategy())
    assert not (tmp_path / "kept").exists()


def test_the_oldest_files_are_deleted(made, monkeypatch, tmp_path):
    monkeypatch.setattr(kept_plans, "_MOST", 2)
    for rank in range(2):
        kept(rank=rank).plan(Strategy())
    old, _ = files(tmp_path)
    os.utime(old, (1.0, 1.0))
    kept("waves 2-D").plan(Strategy())
    assert len(files(tmp_path)) == 2
    assert old not in files(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_keeps_nothing(made, tmp_path):
    (tmp_path / "kept").mkdir(mode=0o500)
    with pytest.warns(UserWarning, match="cannot be written"):
        kept().plan(Strategy())
    assert len(made) == 1
