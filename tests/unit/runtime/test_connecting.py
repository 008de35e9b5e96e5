"""What a simulation reports whose ranks cannot be connected, by the transport of its plan."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from halocline.errors import MpiError
from halocline.runtime import _core
from halocline.runtime.executor import Executor
from halocline.runtime.job import join


@pytest.mark.parametrize(
    ("transport", "hint"),
    [
        ("put", "This MPI has no one-sided memory between these ranks; Open MPI has it between"),
        ("get", "This MPI has no one-sided memory between these ranks; Open MPI has it between"),
        ("shared", "To map each other's memory, ranks must belong to one user and one container;"),
        ("auto", "To map each other's memory, ranks must belong to one user and one container;"),
    ],
)
def test_the_hint_fits_the_transport(transport, hint):
    def connect():
        raise _core.TransportError("no window")

    executor = object.__new__(Executor)
    executor.job, executor.runtime = join(), SimpleNamespace(connect=connect)
    with pytest.raises(MpiError) as error:
        executor._connect(transport)
    assert error.value.message == "Rank 0 cannot be connected with its neighbours: no window."
    assert error.value.hint.startswith(hint)
    assert error.value.hint.endswith("transport='two-sided' does without.")
