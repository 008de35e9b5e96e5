"""Call functions of the tests on ranks: virtual ones in this process, or MPI's.

    @pytest.mark.parametrize("ranks", [virtual(3), mpi(2)], ids=str)
    def test_…(ranks):
        assert ranks(function, "argument") == …

A function gets and, on rank 0, returns what JSON can hold.
"""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from launch import mpirun
from msgspec.structs import replace

import halocline as hc
from halocline.frozen import Frozen
from halocline.runtime.job import join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SCRIPT = Path(__file__).with_name("call_on_ranks.py")
# What moves messages by MPI alone.
BY_MPI = ("persistent", "datatype", "put", "get")


class Ranks(Frozen):
    """So many ranks, which call a function."""

    size: int
    kind: str

    def __str__(self) -> str:
        """Return the name of a test."""
        return f"{self.size} {self.kind}"

    def __call__(self, function: Callable[..., Any], *arguments: Any, timeout: float = 300) -> Any:
        """Return what the function returns on rank 0."""
        if self.kind == "virtual":
            found = hc.on_virtual_ranks(self.size, partial(function, *arguments))[0]
            return json.loads(json.dumps(found))
        return _on_mpi_ranks(self.size, function, arguments, timeout)


def virtual(size: int) -> Ranks:
    """Return virtual ranks; a single one is a process alone."""
    return Ranks(size, "virtual")


def mpi(size: int) -> Ranks:
    """Return the ranks of an MPI job."""
    return Ranks(size, "MPI")


def slow(ranks: Ranks) -> Any:
    """Return ranks as a parameter of 'make validate' alone."""
    return pytest.param(ranks, marks=pytest.mark.slow)


def in_turn(ways: Sequence[Any], names: Iterable[str]) -> list[Any]:
    """Return parameters: a way to run, as ranks, and a name; each name in one of the ways, in turn.

    'make validate' has each name in all of them.
    """
    return [
        pytest.param(
            way, name, id=f"{name}, {way}", marks=() if m == n % len(ways) else pytest.mark.slow
        )
        for n, name in enumerate(names)
        for m, way in enumerate(ways)
    ]


def _on_mpi_ranks(size: int, function: Callable, arguments: tuple, timeout: float) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found.json"
        words = function.__module__, function.__name__, str(output), json.dumps(arguments)
        done = mpirun(size, SCRIPT, *words, timeout=timeout)
        assert done.returncode == 0, done.stderr
        return json.loads(output.read_text(encoding="utf-8"))


def possible(strategy: Any) -> Any:
    """Return a strategy that the ranks here can do: virtual ranks have no MPI."""
    if join().process is None or getattr(strategy, "transport", "auto") not in BY_MPI:
        return strategy
    return replace(strategy, transport="two-sided")
