"""Programs on several nodes of a cluster: the bits of one process, and nothing that is left."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import between_nodes
import pytest
from coarray.on_images import FOLDER, built
from fortran import caf_commands
from launch import launcher, needs_mpi
from linux_nodes import Cluster, why_not
from many_ranks import SCRIPT, virtual

HERE = Path(__file__).parent


@pytest.fixture(scope="module", autouse=True)
def _needs_a_cluster():
    needs_mpi()
    if (reason := why_not()) is not None:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def two_nodes():
    with Cluster(2, rate="1gbit") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def four_nodes():
    with Cluster(4, rate="1gbit") as cluster:
        yield cluster


def on_ranks(cluster, ranks, function, *arguments, folder, timeout=120):
    """Return what a function returns on rank 0 of some on the nodes of a cluster."""
    output = folder / "found.json"
    words = f"cluster.{function.__module__}", function.__name__, str(output), json.dumps(arguments)
    done = cluster.run(launcher(), ranks, sys.executable, str(SCRIPT), *words, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return json.loads(output.read_text(encoding="utf-8"))


def test_ranks_are_on_nodes_with_names_of_their_own(two_nodes, tmp_path):
    assert on_ranks(two_nodes, 4, between_nodes.nodes, folder=tmp_path) == [[0, 0, 1, 1], 2]


def test_two_nodes_have_the_bits_of_one_process(two_nodes, tmp_path):
    alone = virtual(1)(between_nodes.first_programs)
    assert on_ranks(two_nodes, 2, between_nodes.first_programs, folder=tmp_path) == alone


@pytest.mark.slow
@pytest.mark.parametrize("programs", ["flows", "oceans", "forests"])
def test_all_programs_on_four_nodes_have_the_bits_of_one_process(four_nodes, programs, tmp_path):
    function = getattr(between_nodes, programs)
    alone = virtual(1)(function)
    assert on_ranks(four_nodes, 4, function, folder=tmp_path, timeout=600) == alone


@pytest.mark.slow
def test_a_checkpoint_of_four_nodes_goes_on_on_two_nodes_and_alone(two_nodes, four_nodes, tmp_path):
    path = str(tmp_path / "heat.npz")
    whole = on_ranks(four_nodes, 4, between_nodes.saved, path, folder=tmp_path)
    assert virtual(1)(between_nodes.gone_on, path) == whole
    assert on_ranks(two_nodes, 4, between_nodes.gone_on, path, folder=tmp_path) == whole


@pytest.mark.slow
def test_nodes_write_the_files_of_one_process(two_nodes, tmp_path):
    for name in ("alone", "nodes"):
        (tmp_path / name).mkdir()
    alone = virtual(1)(between_nodes.written, str(tmp_path / "alone"))
    found = on_ranks(two_nodes, 4, between_nodes.written, str(tmp_path / "nodes"), folder=tmp_path)
    assert found == alone


@pytest.mark.slow
@pytest.mark.parametrize("images", [2, 4])
def test_all_that_images_in_python_do_between_nodes(two_nodes, images):
    script = str(FOLDER / "model_on_images.py")
    done = two_nodes.run(launcher(), images, sys.executable, script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("has done all") == images


@pytest.mark.slow
@pytest.mark.parametrize("images", [2, 4])
def test_all_that_images_in_cpp_do_between_nodes(two_nodes, images, tmp_path):
    model = built(FOLDER / "model_on_images.cpp", tmp_path)
    done = two_nodes.run(launcher(), images, str(model))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("has done all") == images


def compiled(sources, folder):
    """Return a Fortran program."""
    if shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
    return caf_commands.build(sources, folder)


def images(cluster, count, program, timeout=120):
    """Run a coarray program on images of all nodes."""
    start = cluster.launcher(launcher())
    words = [f"HALOCLINE_MPIEXEC={shlex.join(start)}", caf_commands.COMMAND, "run", "--hosts"]
    return cluster.run_on_head("env", *words, cluster.hosts(count), program, timeout=timeout)


@pytest.fixture(scope="module")
def heat_in_fortran(tmp_path_factory):
    return compiled([HERE / "heat.f90"], tmp_path_factory.mktemp("fortran"))


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_images_in_fortran_have_the_bits_of_one_node_on_two(two_nodes, heat_in_fortran, count):
    alone = caf_commands.run(heat_in_fortran, count)
    done = images(two_nodes, count, heat_in_fortran)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == alone.stdout != ""


@pytest.mark.slow
@pytest.mark.parametrize("program", caf_commands.PROGRAMS_ON_NODES)
def test_all_that_images_in_fortran_do_between_nodes(two_nodes, program, tmp_path):
    folder = caf_commands.FOLDER
    sources = [folder / "expect.f90", folder / "programs" / f"{program}.f90"]
    done = images(two_nodes, 4, compiled(sources, tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def is_gone(mark: str) -> bool:
    """Whether no process has a word among its own, within some seconds."""
    for _ in range(100):
        if subprocess.run(["pgrep", "-f", mark], capture_output=True, check=False).returncode:
            return True
        time.sleep(0.1)
    return False


def links() -> str:
    """Return the names of the network devices here."""
    return " ".join(sorted(os.listdir("/sys/class/net")))  # noqa: PTH208


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, "failure"], ids=str)
def test_nothing_is_left_of_a_cluster(how, tmp_path):
    mounts, before = Path("/proc/self/mounts").read_text(encoding="utf-8"), links()
    mark = f"sleep 1{os.getpid():07}.{time.time_ns() % 10**6}"
    started = tmp_path / "started"
    script = f"{mark} > {os.devnull} 2>&1 & touch {started}; exec {mark}"
    words = ["--mpiexec", launcher(), "-n", "2", "--", "sh", "-c", script]
    if how == "failure":
        # A launcher that fails, and leaves a process.
        failing = tmp_path / "mpiexec"
        failing.write_text(f"#!/bin/sh\n{script.replace('exec ' + mark, 'exit 3')}\n")
        failing.chmod(0o700)
        words[1] = str(failing)
    with subprocess.Popen([sys.executable, str(HERE / "linux_nodes.py"), *words]) as process:
        while not started.exists() and process.poll() is None:
            time.sleep(0.05)
        if how != "failure":
            process.send_signal(how)
        try:
            process.wait(timeout=60)
        finally:
            process.kill()  # else one that hangs is waited for
    assert is_gone(mark)
    assert links() == before
    assert Path("/proc/self/mounts").read_text(encoding="utf-8") == mounts
