"""Checkpoints in the memory of nodes, each of which is a folder here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from waves import bits, waves

import halocline as hc
from halocline.errors import CaseError, OutputError
from halocline.io import checkpoint_memory
from halocline.io.checkpoint import check_memory, forget, load, save
from halocline.runtime.mpi_start import forget_left_behind


@pytest.fixture
def nodes(tmp_path, monkeypatch):
    """Return the folder of the nodes, each of which has one that stands for its memory."""
    monkeypatch.setattr(checkpoint_memory, "_memory_of", partial(memory_of, tmp_path / "nodes"))
    (tmp_path / "nodes").mkdir()
    return tmp_path / "nodes"


def memory_of(folder, job):
    node = folder / str(job.nodes[job.rank])
    node.mkdir(exist_ok=True)
    return node


def on_nodes(function, ranks, per_node):
    """Return what a function returns on rank 0 of some, which gets waves on their nodes."""
    return hc.on_virtual_ranks(ranks, lambda: function(waves(ranks_per_node=per_node)))[0]


def saved(made, steps=(3,), path="checkpoint.npz"):
    """Save after some numbers of steps."""
    for step in steps:
        made.simulation.run(step - made.simulation.step, progress=False)
        save(made.simulation, path, memory=True)


def loaded(made, path="checkpoint.npz"):
    load(made.simulation, path, memory=True)
    values = made.a.gather(), made.sum.gather()  # on rank 0
    return None if values[0] is None else (*(v.tobytes() for v in values), made.simulation.step)


def run_for(steps):
    made = waves()
    made.simulation.run(steps, progress=False)
    return bits(made)


def lose(nodes, *lost):
    """Remove the memory of some nodes; the others get their numbers, one after the other."""
    left = [
        name for name in sorted(node.name for node in nodes.iterdir()) if name not in map(str, lost)
    ]
    for name in lost:
        shutil.rmtree(nodes / str(name))
    for number, name in enumerate(left):
        (nodes / name).rename(nodes / str(number))


@pytest.mark.parametrize(("ranks", "per_node"), [(2, 1), (3, 1), (4, 2), (5, 2), (5, 3)])
def test_a_run_goes_on_from_memory_with_the_same_bits(nodes, ranks, per_node):
    on_nodes(partial(saved, steps=(3, 5)), ranks, per_node)
    assert on_nodes(loaded, ranks, per_node) == run_for(5)


@pytest.mark.parametrize("lost", range(3))
@pytest.mark.parametrize(("ranks", "per_node"), [(3, 1), (5, 2)])
def test_the_loss_of_a_node_loses_nothing(nodes, lost, ranks, per_node):
    on_nodes(saved, ranks, per_node)
    lose(nodes, lost)
    assert on_nodes(loaded, ranks, -(-ranks // 2)) == run_for(3)


def test_a_job_on_the_node_that_is_left_reads_all(nodes):
    on_nodes(saved, 4, 2)
    lose(nodes, 0)
    assert on_nodes(loaded, 3, 3) == run_for(3)
    assert loaded(waves()) == run_for(3)


def test_with_two_nodes_beside_each_other_lost_there_is_no_checkpoint(nodes):
    on_nodes(saved, 4, 1)
    lose(nodes, 1, 2)
    with pytest.raises(CaseError, match=r"There is no checkpoint 'checkpoint\.npz'"):
        on_nodes(loaded, 2, 1)


def test_with_two_nodes_apart_lost_nothing_is_lost(nodes):
    on_nodes(saved, 4, 1)
    lose(nodes, 1, 3)
    assert on_nodes(loaded, 2, 1) == run_for(3)


def test_after_a_loss_new_checkpoints_are_kept_on_the_nodes_that_are_left(nodes):
    def go_on(made):
        load(made.simulation, "checkpoint.npz", memory=True)
        saved(made, steps=(6, 7, 9))

    on_nodes(partial(saved, steps=(2, 4)), 6, 2)
    lose(nodes, 1)
    on_nodes(go_on, 6, 3)
    lose(nodes, 0)
    assert loaded(waves()) == run_for(9)


@pytest.mark.parametrize("place", ["0.npz", "1.copy.npz"])
def test_a_damaged_part_is_taken_from_the_other_node(nodes, place):
    on_nodes(saved, 2, 1)
    (part,) = nodes.glob(f"*/*/a/{place}")
    content = bytearray(part.read_bytes())
    content[200] ^= 1  # within the values, of which the head of the archive has a checksum
    part.write_bytes(content)
    assert on_nodes(loaded, 2, 1) == run_for(3)
    lose(nodes, 1 if part.parts[-4] == "0" else 0)
    with pytest.raises(CaseError, match="There is no checkpoint"):
        loaded(waves())


def test_the_newer_of_memory_and_files_is_taken(nodes, tmp_path):
    path = tmp_path / "checkpoint.npz"

    def both(made, steps):
        saved(made, (steps[0],), path)
        made.simulation.run(steps[1] - steps[0], progress=False)
        save(made.simulation, path)
        saved(made, steps[2:], path)

    on_nodes(partial(both, steps=(2, 4)), 2, 1)
    assert on_nodes(partial(loaded, path=path), 2, 1) == run_for(4)
    on_nodes(partial(both, steps=(2, 4, 5)), 2, 1)
    assert on_nodes(partial(loaded, path=path), 2, 1) == run_for(5)
    shutil.rmtree(nodes)
    nodes.mkdir()
    assert on_nodes(partial(loaded, path=path), 2, 1) == run_for(4)


def test_one_node_is_refused(nodes):
    with pytest.raises(CaseError) as error:
        on_nodes(saved, 2, 2)
    assert str(error.value) == (
        "Checkpoints in memory were asked for, but all ranks are on one node, whose loss would "
        "take them, too. Run on two nodes or more, or write checkpoints into files."
    )
    assert not list(nodes.glob("*/*"))


@pytest.mark.parametrize("call", ["save", "check"])
def test_too_little_memory_is_refused_before_anything_is_written(nodes, monkeypatch, call):
    def wanted(made):
        if call == "check":
            check_memory(made.simulation, "checkpoint.npz")
        else:
            saved(made)

    room = SimpleNamespace(f_bavail=1, f_frsize=4096)
    monkeypatch.setattr(checkpoint_memory.os, "statvfs", lambda _: room)
    with pytest.raises(
        OutputError, match=r"'/dev/shm' on the node of rank 0 has 4\.1 kB left; exp"
    ):
        on_nodes(wanted, 2, 1)
    assert not list(nodes.glob("*/*"))


def test_a_full_memory_leaves_the_older_checkpoint(nodes, monkeypatch):
    def fail_at_second(made):
        saved(made)
        made.simulation.run(1, progress=False)
        if made.simulation.rank == 1:
            monkeypatch.setattr(checkpoint_memory, "_written", full)
        with pytest.raises(
            OutputError, match=r"npz'.*No space left on device.*An older copy in mem"
        ):
            save(made.simulation, "checkpoint.npz", memory=True)

    def full(*_):
        raise OSError(28, os.strerror(28))

    on_nodes(fail_at_second, 2, 1)
    assert on_nodes(loaded, 2, 1) == run_for(3)


def test_a_copy_that_differs_is_refused(nodes, monkeypatch):
    plain = checkpoint_memory._Messages._write
    monkeypatch.setattr(
        checkpoint_memory._Messages, "_write", lambda m, values, first: plain(m, values[:-9], first)
    )
    with pytest.raises(OutputError, match=r"The copy of part \d on rank \d differs from the part"):
        on_nodes(saved, 2, 1)


def test_another_run_is_refused(nodes):
    on_nodes(saved, 2, 1)
    with pytest.raises(CaseError, match=r"was written with extent = \[6, 4\]; this run has"):
        hc.on_virtual_ranks(2, lambda: loaded(waves((8, 4), ranks_per_node=1)))


def test_large_parts_are_sent_in_chunks(nodes, monkeypatch):
    monkeypatch.setattr(checkpoint_memory, "_CHUNK_BYTES", 1000)
    on_nodes(saved, 3, 1)
    lose(nodes, 0)
    assert on_nodes(loaded, 2, 1) == run_for(3)


def test_forgotten_checkpoints_are_gone(nodes):
    def main(made):
        saved(made)
        forget(made.simulation, "checkpoint.npz")

    on_nodes(main, 2, 1)
    assert not list(nodes.glob("*/*"))


def test_the_memory_of_other_users_is_refused(nodes, monkeypatch):
    on_nodes(saved, 2, 1)
    uid = os.getuid()
    folder = next(nodes.glob("0/*"))
    os.chown(folder, uid + 1, -1)
    with pytest.raises(OutputError, match="belongs to another user"):
        on_nodes(saved, 2, 1)


def test_the_start_of_mpi_spares_checkpoints(nodes):
    on_nodes(saved, 2, 1)
    for file in nodes.glob("0/**/*"):
        os.utime(file, (0, 0))
    forget_left_behind(nodes / "0")
    assert loaded(waves()) == run_for(3)


def test_what_dead_runs_have_left_is_known(nodes):
    on_nodes(saved, 2, 1)
    (folder,) = (nodes / "0").iterdir()
    assert checkpoint_memory.left_copies(nodes / "0") == []  # this process lives
    script = (
        f"import fcntl, sys; lock = open('{folder}/lock'); fcntl.flock(lock, fcntl.LOCK_SH); "
        "print(flush=True); sys.stdin.read()"
    )
    checkpoint_memory._unlock(folder)
    with subprocess.Popen([sys.executable, "-c", script], stdin=-1, stdout=-1) as other:
        other.stdout.readline()
        assert checkpoint_memory.left_copies(nodes / "0") == []
    (left,) = checkpoint_memory.left_copies(nodes / "0")
    assert left.folder == folder
    assert left.checkpoint == str(Path.cwd() / "checkpoint.npz")
    assert left.size_bytes > 1000


def test_the_step_in_memory_is_known_without_a_job(nodes, capsys, monkeypatch):
    on_nodes(partial(saved, steps=(3, 5)), 3, 1)
    lose(nodes, 1)
    for node in (0, 1):
        monkeypatch.setattr(checkpoint_memory, "_SHARED_MEMORY", nodes / str(node))
        checkpoint_memory.print_report("checkpoint.npz")
    lines = capsys.readouterr().out.splitlines()
    assert checkpoint_memory.step_in_reports(lines) == 5
    assert checkpoint_memory.step_in_reports([]) is None
