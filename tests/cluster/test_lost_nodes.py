"""A node dies while a case runs: its ranks go on on other nodes, to the bits of one process."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from contextlib import suppress
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


HEAT = ("heat", "--cells", "24", "--dimensions", "2", "--steps", "1000")


def fields_of(directory):
    """Return the bytes of the temperature that a run of heat has left."""
    return xarray.open_zarr(directory / "fields.zarr")["T"].values.tobytes()


def started_on(cluster, ranks, *arguments, folder):
    """Start 'halocline run' on the head of a cluster, which starts ranks on the nodes."""
    words = [sys.executable, "-m", "halocline.cli", "run", *HEAT, *arguments]
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
    """Return what a run in one process leaves, which nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    done = python("-m", "halocline.cli", "run", *HEAT, "--output", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    return fields_of(folder / "out")


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


def test_a_run_goes_on_without_a_node_that_has_died(whole_run, tmp_path):
    with Cluster(2) as cluster:
        options = ("--checkpoint", "100", "--relaunch", "1")
        process = started_on(cluster, 2, *options, folder=tmp_path)
        wait_for(lambda: (step_in(tmp_path / "files/out/checkpoint.npz") or 0) >= 200, process)
        cluster.nodes[1].close()
        assert process.wait(timeout=60) == 0
    printed = (tmp_path / "printed").read_text()
    assert "Relaunch 1 of 1 goes on from step" in printed
    assert " on node1; node2: no answer." in printed
    assert fields_of(tmp_path / "files/out") == whole_run


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
        assert fields_of(on(left[0], tmp_path / "files/out")) == whole_run
        for node in left:
            assert not list(on(node, "/dev/shm").glob("halocline-*"))
    assert not list((tmp_path / "files").iterdir())
