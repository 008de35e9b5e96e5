"""Stored times choose what 'make test' runs of a test with many parameters."""

from __future__ import annotations

import pytest
from durations import BUDGETS_S, beyond_budgets, merged, pace

BUDGET = BUDGETS_S["tests/"]


class Item:
    """A test as far as it matters here."""

    def __init__(self, parameter, *, is_slow=False):
        self.nodeid = f"tests/test_tides.py::test_ebb[{parameter}]"
        self.is_slow = is_slow

    def get_closest_marker(self, name):
        return (self.is_slow and name == "slow") or None


def chosen(items, times):
    """Return the parameters that are not left to 'make validate', by their times."""
    stored = {"tests/test_tides.py": {f"test_ebb[{name}]": took for name, took in times.items()}}
    left_out = set(beyond_budgets(items, stored))
    return [item.nodeid.partition("[")[2][:-1] for item in items if item not in left_out]


def items_of(times):
    return [Item(name) for name in times]


def test_all_parameters_run_within_the_budget():
    times = {"a": 0.5 * BUDGET, "b": 0.5 * BUDGET, "c": 0.0}
    assert chosen(items_of(times), times) == ["a", "b", "c"]


def test_of_more_as_many_run_as_fit():
    times = {str(n): 0.4 * BUDGET for n in range(10)}
    assert len(chosen(items_of(times), times)) == 2


def test_quick_and_new_parameters_always_run():
    times = {"long": 3.0 * BUDGET, "longer": 4.0 * BUDGET}
    found = chosen(items_of(["long", "longer", "new", "quick"]), times)
    assert found[1:] == ["new", "quick"]


@pytest.mark.parametrize("took", [1.5 * BUDGET, 100.0 * BUDGET])
def test_one_runs_whatever_it_takes(took):
    times = {"a": took, "b": took, "c": took}
    assert len(chosen(items_of(times), times)) == 1


def test_one_that_fits_is_preferred_to_one_that_does_not():
    times = {"long": 2.0 * BUDGET, "short": 0.9 * BUDGET}
    assert chosen(items_of(times), times) == ["short"]


def test_new_parameters_leave_the_others_where_they_are():
    times = {str(n): 0.4 * BUDGET for n in range(10)}
    before = chosen(items_of(times), times)
    assert chosen(items_of([*times, "new"]), times) == sorted([*before, "new"])


def test_what_is_slow_anyway_takes_nothing_of_the_budget():
    items = [Item("slow", is_slow=True), Item("a"), Item("b")]
    times = {"slow": 10.0 * BUDGET, "a": 0.5 * BUDGET, "b": 0.5 * BUDGET}
    assert chosen(items, times) == ["slow", "a", "b"]


def test_a_machine_that_is_twice_as_slow_stores_the_same_times():
    stored = {"tests/test_tides.py": {"test_ebb": 1.0, "test_flood": 2.0}}
    measured = {"test_ebb": 2.0, "test_flood": 4.0, "test_slack": 6.0, "test_quick": 0.08}
    tests = {f"tests/test_tides.py::{name}": (seconds, 0) for name, seconds in measured.items()}
    assert pace(tests, stored) == 2.0
    assert merged(tests, stored) == {
        "tests/test_tides.py": {"test_ebb": 1.0, "test_flood": 2.0, "test_slack": 3.0}
    }


def test_without_known_times_they_are_stored_as_measured():
    assert pace({"tests/test_tides.py::test_ebb": (2.0, 0)}, {}) == 1.0
