"""What was chosen is remembered."""

import json

import pytest
from msgspec.structs import replace
from toy import diffuse, heat

import halocline as hc
from halocline.language.steps.steps import check_steps
from halocline.plan.blocks.shapes import decompose
from halocline.plan.cells.strategy import Strategy
from halocline.plan.program.binding import bind
from halocline.tune.autotuner import Choice, TrialResult
from halocline.tune.remember import case_key, choices_path, recall, remember
from halocline.tune.work import Placement

CHOICE = Choice(
    Strategy(depth=2), (TrialResult("depth=2", 1e-4, 2e-4), TrialResult("default", 2e-4, None))
)


def bound(extent=(16, 16), **options):
    grid, steps = heat(extent, **options)
    return bind(grid, check_steps(tuple(steps)), 0)


def key(program=None, ranks=4, placement=None):
    program = program or bound()
    split = decompose(program.extent, program.periodic, ranks)
    return case_key(program, split, placement or Placement(4))


def test_a_choice_comes_back(tmp_path):
    path = tmp_path / "choices.json"
    remember(path, "here", "case", CHOICE)
    assert recall(path, "here", "case") == replace(CHOICE, is_remembered=True)
    assert "chosen in an earlier run" in str(recall(path, "here", "case"))


def test_other_cases_and_machines_are_not_mixed_up(tmp_path):
    path = tmp_path / "choices.json"
    remember(path, "here", "case", CHOICE)
    remember(path, "here", "other", replace(CHOICE, strategy=Strategy()))
    assert recall(path, "there", "case") is None
    assert recall(path, "here", "none") is None
    assert recall(path, "here", "case").strategy == CHOICE.strategy
    assert recall(path, "here", "other").strategy == Strategy()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"version": 0, "choices": {}}',
        '{"version": 2}',
        '{"version": 2, "choices": {"here case": {"strategy": {"depth": 0}, "tried": []}}}',
        '{"version": 2, "choices": {"here case": {"strategy": {"soup": 1}, "tried": []}}}',
        '{"version": 2, "choices": {"here case": 3}}',
    ],
)
def test_a_damaged_file_is_as_good_as_none(tmp_path, text):
    path = tmp_path / "choices.json"
    path.write_text(text)
    assert recall(path, "here", "case") is None
    remember(path, "here", "case", CHOICE)
    assert recall(path, "here", "case").strategy == CHOICE.strategy


def test_where_nothing_can_be_written_nothing_is_remembered(tmp_path):
    (tmp_path / "file").write_text("")
    remember(tmp_path / "file" / "choices.json", "here", "case", CHOICE)
    assert recall(tmp_path / "file" / "choices.json", "here", "case") is None


def test_the_oldest_choices_are_forgotten(tmp_path):
    path = tmp_path / "choices.json"
    many = {f"here {n}": {"strategy": {}, "tried": []} for n in range(600)}
    path.write_text(json.dumps({"version": 2, "choices": many}))
    remember(path, "here", "case", CHOICE)
    assert len(json.loads(path.read_text())["choices"]) == 500
    assert recall(path, "here", "0") is None
    assert recall(path, "here", "599") is not None


def test_the_file_is_beside_the_libraries(tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path))
    assert choices_path() == tmp_path / "choices.json"


def test_equal_cases_have_equal_keys():
    assert key() == key(bound())
    assert len(key()) == 24


def other(a=0.1, dtype="float64"):
    grid = hc.Grid((16, 16), periodic=True)
    T, T_new = grid.field("T", dtype=dtype), grid.field("T_new", dtype=dtype)
    return bind(grid, check_steps((diffuse(T, T_new, a=a), hc.swap(T, T_new))), 0)


def test_whatever_decides_the_time_is_in_the_key():
    different = [
        key(),
        key(bound((16, 32))),
        key(bound((16, 16, 16))),
        key(bound(repeat=2)),
        key(bound(repeat=3)),
        key(bound(every=5)),
        key(other(dtype="float32")),
        key(ranks=2),
        key(placement=Placement(2)),
        key(placement=Placement(4, threads=2)),
    ]
    assert len(set(different)) == len(different)
    # A number in the kernel's formula does not.
    assert key(other(a=0.2)) == key()
