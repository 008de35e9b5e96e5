"""Stored processor times of tests: they order 'make test' and choose the sample of 'make check'.

'make durations' stores the times that the last 'make test' measured.
"""

from __future__ import annotations

import json
import math
from itertools import groupby
from pathlib import Path

import pytest
from suite_report import SUITE

STORED = Path(__file__).with_suffix(".json")
# Most tests take less; only the others are stored.
QUICK_S = 0.05
# Folders from which the sample has all quick tests, and what those from all others take together.
EDITED = ("tests/unit/", "tests/errors/")
OTHERS_S = 30.0


def pytest_addoption(parser):
    parser.addoption("--sample", action="store_true", help="run quick tests and some of the others")


# After tests have been selected by their markers.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    if config.getoption("sample"):
        chosen = set(sample(items, stored))
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]
    if hasattr(config, "workerinput"):
        # Start with the longest files, so that all workers finish at about the same time.
        items.sort(key=lambda item: -sum(stored.get(file_of(item), {"": math.inf}).values()))


def file_of(item):
    """Return the file of a test as the stored times name it."""
    return item.nodeid.partition("::")[0]


def seconds(item, stored):
    """Return the stored time of a test: 0 for a quick one, infinity in a file without times."""
    times = stored.get(file_of(item))
    return math.inf if times is None else times.get(item.nodeid.partition("::")[2], 0.0)


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


def store(tests):
    """Store the processor seconds of all tests."""
    files = {}
    for node, (spent, _) in sorted(tests.items()):
        file, _, name = node.partition("::")
        times = files.setdefault(file, {})
        if spent >= QUICK_S:
            times[name] = float(f"{spent:.2g}")
    text = json.dumps(files, indent=1, ensure_ascii=False)
    STORED.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    store(json.loads(SUITE.read_text(encoding="utf-8"))["tests"])
