"""Nodes and disks fail while a case runs: it goes on, or again, to the bits of one process."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
import xarray
from launch import launcher, needs_mpi, python
from linux_nodes import Cluster, why_not

from halocline.io.checkpoint import step_in

SLOW = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _needs_a_cluster():
    needs_mpi()
    if (reason := why_not()) is not None:
        pytest.skip(reason)


def heat(steps):
    """Return the words of a case."""
    return ("heat", "--cells", "24", "--dimensions", "2", "--steps", str(steps))


def fields_of(directory):
    """Return the bytes of the temperature that a run of heat has left."""
    return xarray.open_zarr(directory / "fields.zarr")["T"].values.tobytes()


def started_on(cluster, ranks, *arguments, folder, steps=1000):
    """Start 'halocline run' on the head of a cluster, which starts ranks on the nodes."""
    words = [sys.executable, "-m", "halocline.cli", "run", *heat(steps), *arguments]
    hosts = ",".join(node.name for node in cluster.nodes)
    words += ["--ranks", str(ranks), "--hosts", hosts, "--output", str(folder / "files/out")]
    environment = os.environ | {"HALOCLINE_MPIEXEC": shlex.join(cluster.launcher(launcher()))}
    with (folder / "printed").open("w") as printed:
        return subprocess.Popen(
            [*cluster.head.entered(), *words], env=environment, stdout=printed, stderr=printed
        )


def wait_for(is_so, process):
    """Wait until something is so, while a process runs."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """Return what a run in one process leaves, which nothing disturbs, by its steps."""

    @cache
    def left(steps=1000):
        folder = tmp_path_factory.mktemp("whole")
        done = python("-m", "halocline.cli", "run", *heat(steps), "--output", "out", cwd=folder)
        assert done.returncode == 0, done.stderr
        return fields_of(folder / "out")

    return left


def on(node, path):
    """Return where a file of a node is seen from here."""
    return Path(f"/proc/{node.pid}/root{path}")


def step_in_memory(node):
    """Return the step of the newest checkpoint in the memory of a node, 0 if there is none."""
    steps = [0]
    for manifest in on(node, "/dev/shm").glob("halocline-checkpoint-*/*/manifest.json"):
        with suppress(OSError):
            steps.append(json.loads(manifest.read_text())["content"]["step"])
    return max(steps)


def wait_for_checkpoint(folder, process):
    """Wait until there is a checkpoint of a run."""
    wait_for(lambda: (step_in(folder / "files/out/checkpoint.npz") or 0) >= 200, process)


def test_a_run_goes_on_without_a_node_that_has_died(whole_run, tmp_path):
    with Cluster(2) as cluster:
        options = ("--checkpoint", "100", "--relaunch", "1")
        process = started_on(cluster, 2, *options, folder=tmp_path)
        wait_for_checkpoint(tmp_path, process)
        cluster.nodes[1].close()
        assert process.wait(timeout=60) == 0
    printed = (tmp_path / "printed").read_text()
    assert "Relaunch 1 of 1 goes on from step" in printed
    assert " on node1; node2: no answer." in printed
    assert fields_of(tmp_path / "files/out") == whole_run()


@pytest.mark.parametrize(
    ("nodes", "ranks", "lost"),
    [(3, 3, 0), pytest.param(3, 6, 1, marks=SLOW), pytest.param(2, 4, 0, marks=SLOW)],
)
def test_a_run_goes_on_from_memory_without_a_shared_directory(
    whole_run, tmp_path, nodes, ranks, lost
):
    (tmp_path / "files").mkdir()
    with Cluster(nodes) as cluster:
        for node in cluster.nodes:
            node.run("mount", "-t", "tmpfs", "tmpfs", str(tmp_path / "files"))
        options = ("--checkpoint-memory", "100", "--relaunch", "1")
        process = started_on(cluster, ranks, *options, folder=tmp_path)
        wait_for(lambda: step_in_memory(cluster.nodes[lost]) >= 200, process)
        cluster.nodes[lost].close()
        code = process.wait(timeout=60)
        printed = (tmp_path / "printed").read_text()
        assert code == 0, printed
        assert "Relaunch 1 of 1 goes on from step" in printed
        assert f"; node{lost + 1}: no answer." in printed
        left = [node for n, node in enumerate(cluster.nodes) if n != lost]
        assert fields_of(on(left[0], tmp_path / "files/out")) == whole_run()
        for node in left:
            assert not list(on(node, "/dev/shm").glob("halocline-*"))
    assert not list((tmp_path / "files").iterdir())


@pytest.mark.slow
def test_a_run_goes_on_without_a_node_that_was_cut_off(whole_run, tmp_path):
    with Cluster(3) as cluster:
        options = ("--checkpoint", "100", "--relaunch", "1")
        process = started_on(cluster, 6, *options, folder=tmp_path)
        wait_for_checkpoint(tmp_path, process)
        node = cluster.nodes[1]
        cluster.head.run("ip", "link", "set", node.name, "down")
        assert process.wait(timeout=120) == 0
        ranks = ["pgrep", "-f", "halocline.cli run"]
        assert subprocess.run([*node.entered(), *ranks], check=False).returncode == 1
    printed = (tmp_path / "printed").read_text()
    assert printed.count("error: Node 'node2' with rank 2 has not answered for 20 s") == 1
    assert " on node1, node3; node2: no answer." in printed
    assert fields_of(tmp_path / "files/out") == whole_run()


@pytest.mark.slow
def test_a_run_waits_for_a_node_that_stops_for_30_s(whole_run, tmp_path):
    with Cluster(2) as cluster:
        process = started_on(cluster, 4, "--checkpoint", "100", folder=tmp_path)
        wait_for_checkpoint(tmp_path, process)
        cluster.nodes[1].run("sh", "-c", "kill -STOP -1")
        time.sleep(30)
        assert process.poll() is None
        cluster.nodes[1].run("sh", "-c", "kill -CONT -1")
        # What enters a node stops with the process that it has started there.
        cluster.head.run("pkill", "-CONT", "nsenter")
        assert process.wait(timeout=60) == 0
    assert fields_of(tmp_path / "files/out") == whole_run()


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder that nodes share, on a disk of 1 MB."""
    folder = tmp_path / "files"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failure", "message"),
    [("full", "No space left on device. Free"), ("away", "No such file or directory. Mount")],
)
def test_a_run_goes_on_without_its_disk_for_10_s(whole_run, tmp_path, small_disk, failure, message):
    steps = 12_000
    out, filling, away = small_disk / "out", small_disk / "filling", small_disk / "away"
    # With this latency it takes 12 s at least, twice as long as a rule.
    with Cluster(2, latency_s=1e-3) as cluster:
        options = ("--checkpoint", "100")
        process = started_on(cluster, 2, *options, folder=tmp_path, steps=steps)
        wait_for_checkpoint(tmp_path, process)
        if failure == "away":
            out.rename(away)
        else:
            with suppress(OSError):
                filling.write_bytes(bytes(1 << 20))
        time.sleep(10)
        assert process.poll() is None
        if failure == "away":
            away.rename(out)
        else:
            filling.unlink()
        assert process.wait(timeout=120) == 0
    printed = (tmp_path / "printed").read_text()
    assert message in printed
    assert step_in(out / "checkpoint.npz") == steps
    assert fields_of(out) == whole_run(steps)
