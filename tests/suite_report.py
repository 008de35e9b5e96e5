"""What tests cost: total time, slowest tests, processes started and kernels compiled.

'--suite-report' adds the costs of a session to a file and prints the total of its sessions.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from warm import Spent

SUITE = Path(__file__).parent.parent / "build/suite.json"
SLOWEST = 20


def pytest_addoption(parser):
    parser.addoption("--suite-report", action="store_true", help="add up and print what tests cost")


def pytest_configure(config):
    if config.getoption("suite_report"):
        config.pluginmanager.register(Meter())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(SuiteReport())


class Meter:
    """Adds the cost of each test to its reports, in each process that runs tests."""

    def __init__(self):
        self._processes, self._forks = 0, Spent()
        self._last = self._spent()
        sys.addaudithook(self._count)

    def _count(self, event, arguments):
        if event == "subprocess.Popen":
            self._processes += 1 + _ranks(arguments[1])

    def _spent(self):
        """Return processor seconds, those of finished processes too, and the processes started."""
        used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        own = sum(one.ru_utime + one.ru_stime for one in used)
        return own + self._forks.seconds(), self._processes

    def pytest_runtest_logstart(self):
        self._last = self._spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        before, self._last = self._last, self._spent()
        report.cost = [now - then for now, then in zip(self._last, before, strict=True)]
        return report


def _ranks(command):
    """Return how many ranks a launcher starts."""
    words = list(map(str, command)) if isinstance(command, (list, tuple)) else []
    if "-n" not in words[:-1] or "mpiexec" not in words[0]:
        return 0
    return int(words[words.index("-n") + 1])


class SuiteReport:
    """Gathers the costs of all tests, adds them to the file and prints the total."""

    def __init__(self):
        self._start, self._kernels = time.monotonic(), _kernels()
        self._tests = {}

    def pytest_runtest_logreport(self, report):
        known = self._tests.get(report.nodeid, (0.0, 0))
        cost = getattr(report, "cost", (0.0, 0))  # none from a worker that crashed
        self._tests[report.nodeid] = [a + b for a, b in zip(known, cost, strict=True)]

    def pytest_terminal_summary(self, terminalreporter):
        costs = {"seconds": 0.0, "kernels": 0, "tests": {}}
        if SUITE.exists():
            costs = json.loads(SUITE.read_text(encoding="utf-8"))
        costs["seconds"] += time.monotonic() - self._start
        costs["kernels"] += len(_kernels() - self._kernels)
        costs["tests"] |= self._tests
        SUITE.parent.mkdir(exist_ok=True)
        SUITE.write_text(json.dumps(costs), encoding="utf-8")
        title, *lines = described(costs)
        terminalreporter.section(title)
        for line in lines:
            terminalreporter.write_line(line)


def _kernels():
    """Return the compiled kernels that tests share."""
    return set(Path(os.environ["HALOCLINE_CACHE"]).glob("*.so"))


def described(costs):
    """Yield a title, and lines with the costs of folders and of the slowest tests."""
    tests = costs["tests"]
    processor = sum(seconds for seconds, _ in tests.values())
    processes = sum(started for _, started in tests.values())
    yield (
        f"{len(tests)} tests: {_minutes(costs['seconds'])}, {_minutes(processor)} of processors, "
        f"{processes} processes, {costs['kernels']} kernels compiled"
    )
    yield "processor time by folder"
    folders = Counter()
    for node, (seconds, _) in tests.items():
        folders[str(PurePosixPath(node.partition("::")[0]).parent)] += seconds
    yield from (f"{seconds:8.1f} s  {folder}" for folder, seconds in folders.most_common())
    yield "slowest tests, in processor time"
    slowest = sorted(tests.items(), key=lambda item: -item[1][0])[:SLOWEST]
    yield from (f"{seconds:8.1f} s  {node}" for node, (seconds, _) in slowest)


def _minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02} min"
