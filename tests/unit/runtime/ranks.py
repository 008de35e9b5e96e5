"""Ranks that are threads of the test: a communicator with what meetings need of mpi4py's."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from queue import Queue

from halocline.runtime.collective import Collective
from halocline.runtime.job import Job


class Communicator:
    """One rank's end of it."""

    def __init__(self, rank: int, barrier: threading.Barrier, board: list, mail: dict) -> None:
        self.rank, self.size = rank, barrier.parties
        self._barrier, self._board, self._mail = barrier, board, mail

    def allgather(self, value):
        self._board[self.rank] = value
        self._barrier.wait(timeout=10)
        found = list(self._board)
        self._barrier.wait(timeout=10)
        return found

    def gather(self, value, root=0):
        found = self.allgather(value)
        return found if self.rank == root else None

    def Allgather(self, sent, received):
        received[:] = b"".join(self.allgather(bytes(sent)))

    def Iallgather(self, sent, received):
        self.Allgather(sent, received)
        return Arrived()

    def Send(self, sent, dest):
        self._mail[self.rank, dest].put(bytes(sent))

    def Irecv(self, received, source):
        return Arriving(self._mail[source, self.rank], received)


class Arrived:
    """A message that has come."""

    def Test(self):
        return True


class Arriving:
    """A message that comes."""

    def __init__(self, queue: Queue, received) -> None:
        self._queue, self._received = queue, received

    def Wait(self):
        self._received[:] = memoryview(self._queue.get(timeout=10))


def on_ranks(size: int, act) -> list:
    """Return what 'act' of a job returns or raises on each rank."""
    barrier, board = threading.Barrier(size), [None] * size
    mail = {pair: Queue() for pair in product(range(size), repeat=2)}

    def run(rank: int):
        communicator = Communicator(rank, barrier, board, mail)
        try:
            return act(
                Job(rank, size, communicator, None, 2, 2, collective=Collective(communicator))
            )
        except BaseException as error:
            return error

    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(run, range(size)))
