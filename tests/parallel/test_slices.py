"""Slices of a field are those of a NumPy array of all its cells, on every rank."""

from __future__ import annotations

from pathlib import Path

from launch import mpirun
from parallel.slices import check

SCRIPT = Path(__file__).with_name("slices.py")


def test_in_one_process():
    assert check() == 0


def test_on_ranks():
    done = mpirun(3, SCRIPT)
    assert done.returncode == 0, done.stderr
