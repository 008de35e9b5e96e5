"""Halo: a side of a cube to the neighbour and one back, across each axis, beside a plain memcpy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from halocline.bench.baseline import library
from halocline.bench.benchmark import RANKS, Benchmark, on_ranks
from halocline.bench.block_row import BlockRow, Message, exchange
from halocline.bench.settings import NATIVE, TRANSPORTS, Settings
from halocline.bench.times import Times, sample
from halocline.errors import HaloclineError
from halocline.geometry import AXES
from halocline.io.results import Chart, Row
from halocline.runtime.job import Job

_EDGE = 128


def measure(job: Job, settings: Settings) -> list[Row]:
    """Measure every transport and axis, the baseline first."""
    return [
        row
        for edge in settings.sizes or (_EDGE,)
        for element in settings.element_bytes
        for row in _cube(job, settings, edge, element)
    ]


def _cube(job: Job, settings: Settings, edge: int, element: int) -> list[Row]:
    """Return the rows of a cube; across 'x' a side is a value a row, across 'z' a plane."""
    size = edge * edge * element
    copies, signalled = SharedCopy(job, size).sample(settings)
    measured = [("memcpy", "baseline", "", copies), ("memcpy, signals", "baseline", "", signalled)]
    for transport in settings.chosen(TRANSPORTS):
        kind = "native" if transport in NATIVE else "buffered"
        for axis in range(3):
            blocks = BlockRow(job, (edge,) * 3, axis, element, is_rewritten=settings.is_rewritten)
            both = [Message(0, 1, "upper"), Message(1, 0, "lower")]
            blocks.set_program(exchange(blocks.add_exchange(transport, both)))
            measured.append((transport, kind, AXES[axis], blocks.sample(settings)))
    return [
        {
            "transport": transport,
            "kind": kind,
            "across": across,
            "cube": f"{edge}³",
            "cells": edge,
            "element [B]": element,
            "side [B]": size,
            **times.columns(),
            "GB/s": times.gigabytes_per_s(size),
            "/ memcpy": times.median_s / copies.median_s,
        }
        for transport, kind, across, times in measured
    ]


class SharedCopy:
    """The baseline: each of two processes copies what the other has just written.

    Args:
        job: Two ranks of one machine.
        size_bytes: What each copies; rounded up to 8 [bytes].
    """

    def __init__(self, job: Job, size_bytes: int) -> None:
        from mpi4py import MPI

        self.job = job
        self.words = -(-size_bytes // 8)
        self.library = library()
        needed = self.library.between_size(self.words) if job.rank == 0 else 0
        self.window = MPI.Win.Allocate_shared(needed, 1, comm=job.communicator)
        memory: Any = self.window.Shared_query(0)[0]
        self.shared: Any = np.frombuffer(memory, np.uint8)
        if job.rank == 0:
            self.shared[:] = 0
        self.target = np.zeros(self.words, np.int64)
        self.done = 0
        job.communicator.Barrier()

    def sample(self, settings: Settings) -> tuple[Times, Times]:
        """Return the times of the copy alone, and with the signals before and after it.

        Raises:
            HaloclineError: A value that was copied is wrong.
        """
        alone: list[float] = []

        def run(times: int) -> float:
            copying, both = self._run(times)
            alone.append(copying)
            return both

        signalled = sample(run, settings.repetitions, settings.budget_s)
        neighbour = 1 - self.job.rank
        expected = self.done * (neighbour + 1) + np.arange(self.words)
        if not np.array_equal(self.target, expected):
            raise HaloclineError("A plain memcpy between processes has left wrong values.")
        self.window.Free()
        return Times.of(alone[-settings.repetitions :], signalled.steps), signalled

    def _run(self, times: int) -> tuple[float, float]:
        seconds = (ctypes.c_double * 2)()
        address, target = self.shared.ctypes.data, self.target.ctypes.data
        self.library.between(address, self.job.rank, self.words, self.done, times, target, seconds)
        self.done += times
        times_of_ranks = self.job.communicator.allgather(tuple(s / times for s in seconds))
        copying, both = (max(column) for column in zip(*times_of_ranks, strict=True))
        return copying, both


BENCHMARK = Benchmark(
    "halo",
    "Two cubes exchange a side; memcpy: as many bytes copied between the same two processes.",
    on_ranks("halo", measure, RANKS),
    Chart("transport", "median [us]", ("across",)),
)
