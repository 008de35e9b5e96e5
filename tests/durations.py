"""Stored processor times of tests say what 'make test' and 'make check' run, and in which order.

'make durations' stores the times that the last 'make test' measured. All are times of the machine
that stored the first ones: where tests that are known take longer, all are reduced by as much.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
import zlib
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest
from suite_report import SUITE

STORED = Path(__file__).with_suffix(".json")
# Most tests take less; only the others are stored.
QUICK_S = 0.05
# What all parameters of one test take together in 'make test', by how its name begins: of more,
# 'make test' runs some and 'make validate' the others.
BUDGETS_S = {
    "tests/test_documents.py::test_the_programs_of_a_document_run": 30.0,
    "tests/apps/test_examples.py": 10.0,
    "tests/parallel/": 3.0,
    "tests/papers/": 3.0,
    "tests/fortran/": 12.0,
    "tests/test_steps_in_cache.py": 3.0,
    "tests/property/test_random_forests.py": 4.0,
    "tests/": 0.5,
}
# Folders from which the sample has all quick tests, and what those from all others take together.
EDITED = ("tests/unit/", "tests/errors/")
OTHERS_S = 30.0


def pytest_addoption(parser):
    parser.addoption("--sample", action="store_true", help="run quick tests and some of the others")


# Before tests are selected by their markers, and after that.
@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for item in beyond_budgets(items, stored):
        item.add_marker(pytest.mark.slow)
    yield
    if config.getoption("sample"):
        chosen = set(sample(items, stored))
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    if hasattr(config, "workerinput"):
        # Start with the longest files, so that all workers finish at about the same time.
        files = Counter()
        for item in items:
            files[file_of(item)] += seconds(item, stored) if file_of(item) in stored else math.inf
        items.sort(key=lambda item: -files[file_of(item)])


def beyond_budgets(items, stored):
    """Yield the tests that 'make test' leaves to 'make validate': others with more parameters.

    Names decide which, as if by chance, so that new parameters leave the others where they are.
    """
    functions = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, tests in functions.items():
        left = budget = next(s for start, s in BUDGETS_S.items() if name.startswith(start))

        def turn(test, budget=budget):
            return seconds(test, stored) > budget, zlib.crc32(test.nodeid.encode())

        for test in sorted(tests, key=turn):
            took = seconds(test, stored)
            # One runs, whatever it takes, and so do quick ones.
            if took and left < budget and took > left:
                yield test
            else:
                left -= took


def file_of(item):
    """Return the file of a test as the stored times name it."""
    return item.nodeid.partition("::")[0]


def seconds(item, stored):
    """Return the stored time of a test, 0 for one that is quick or new."""
    return stored.get(file_of(item), {}).get(item.nodeid.partition("::")[2], 0.0)


def sample(items, stored):
    """Yield the quick tests of edited folders, and the first of as many other files as possible.

    The first test of a file bears the cost of what the tests of the file share.
    """
    firsts = []
    for file, tests in groupby(items, key=file_of):
        if file.startswith(EDITED):
            yield from (test for test in tests if seconds(test, stored) < QUICK_S)
        else:
            firsts.append(next(tests))
    left = OTHERS_S
    for test in sorted(firsts, key=lambda test: seconds(test, stored)):
        left -= seconds(test, stored)
        if left > 0:
            yield test


def pace(tests, stored):
    """Return how many times as long as stored the known tests took: the median, 1 without any.

    A machine that others use takes longer for all tests; a test that has changed, for itself.
    """
    known = (
        spent / seconds
        for file, times in stored.items()
        for name, seconds in times.items()
        for spent, _ in [tests.get(f"{file}::{name}", (0.0, 0))]
        if spent and seconds >= 10 * QUICK_S
    )
    return statistics.median([*known] or [1.0])


def merged(tests, stored):
    """Return the stored times with those of tests that ran."""
    scale = 1.0 / pace(tests, stored)
    files = {file: dict(times) for file, times in stored.items()}
    for node, (spent, _) in sorted(tests.items()):
        file, _, name = node.partition("::")
        times = files.setdefault(file, {})
        times.pop(name, None)
        if scale * spent >= QUICK_S:
            times[name] = float(f"{scale * spent:.2g}")
    return files


def main(limit):
    """Store the times of the last 'make test', or compare what it took with a limit in minutes."""
    suite = json.loads(SUITE.read_text(encoding="utf-8"))
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    if limit is None:
        files = merged(
            suite["tests"], {f: times for f, times in stored.items() if Path(f).exists()}
        )
        text = json.dumps(files, indent=1, ensure_ascii=False, sort_keys=True)
        STORED.write_text(text + "\n", encoding="utf-8")
        return None
    now = pace(suite["tests"], stored)
    took = suite["seconds"] / now / 60.0
    print(f"'make test': {took:.1f} minutes at the pace of the stored times ({now:.2f} here).")
    if took <= float(limit):
        return None
    return f"At most {limit} are allowed. The report above shows the slowest tests."


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [None]))
