"""How MPI's ranks become images, where they do not."""

from __future__ import annotations

import pytest

from halocline.coarray import joining
from halocline.errors import CoarrayError, MpiError

pytest.importorskip("mpi4py", exc_type=ImportError)


class World:
    """A communicator as far as it is asked, on one node or on two."""

    def __init__(self, size: int, near: int) -> None:
        self.size = size
        self.near = near
        self.rank = 1

    def Split_type(self, _: int) -> World:
        return World(self.near, self.near)

    def Free(self) -> None:
        pass

    def bcast(self, _: object) -> tuple[int, int]:
        # No process has so great a number.
        return 2**30, 3

    def allgather(self, value: object) -> list[object]:
        return [None, value]


def test_ranks_on_several_nodes_are_refused():
    with pytest.raises(CoarrayError, match="images on several nodes are not there yet"):
        joining._join_ranks(World(4, 2))


def test_memory_that_cannot_be_opened_is_an_error_on_all_ranks():
    with pytest.raises(CoarrayError, match="The memory of the images cannot be opened: No such"):
        joining._join_ranks(World(2, 2))


def test_a_launcher_without_mpi4py_is_told_what_to_do(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "1")
    monkeypatch.setitem(__import__("sys").modules, "mpi4py", None)
    with pytest.raises(MpiError, match="mpi4py cannot be used"):
        joining._world()
