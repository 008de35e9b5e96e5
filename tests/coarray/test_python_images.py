"""Coarrays in Python on several images, and what becomes of images when one ends."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from on_images import FOLDER, run, run_script
from on_nodes import run_on_nodes

EXAMPLES = FOLDER.parent.parent / "examples"


@pytest.mark.parametrize("images", [1, 2, 4])
def test_all_that_images_do(images):
    done = run_script(images, "model_on_images.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("has done all") == images


def operations(done: subprocess.CompletedProcess[str]) -> dict[str, list[str]]:
    """Return what came of each operation on each image."""
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        name, came = line.split()
        found.setdefault(name, []).append(came)
    return found


@pytest.mark.parametrize("way", ["kill", "fail"])
def test_who_needs_a_failed_image_is_told_and_goes_on(way):
    done = run_script(3, "ending_images.py", way)
    found = operations(done)
    assert found.pop("went") == ["on", "on"], done.stderr
    # The lock that it held passes on to the next.
    assert found.pop("lock") == ["done", "done"]
    assert all(came == ["FailedImageError"] * 2 for came in found.values())


def test_who_needs_a_stopped_image_is_told_but_its_memory_stays():
    is_told_of_a_stopped_image(run_script(2, "ending_images.py", "stop"))


def is_told_of_a_stopped_image(done: subprocess.CompletedProcess[str]) -> None:
    found = operations(done)
    assert found.pop("went") == ["on"], done.stderr
    assert (found.pop("put"), found.pop("post")) == (["done"], ["done"])
    assert all(came == ["StoppedImageError"] for came in found.values())


def complains(done: subprocess.CompletedProcess[str], started: float) -> None:
    assert time.perf_counter() - started < 10
    assert done.returncode == 1
    assert "ValueError: the coffee is cold" in done.stderr
    assert "error on image 2: the coffee is cold" in done.stderr
    assert "StoppedImageError" not in done.stderr
    assert "went on" not in done.stdout


def test_an_exception_on_one_image_is_shown_and_ends_all():
    started = time.perf_counter()
    complains(run_script(2, "ending_images.py", "exception"), started)


# Images and how many of them count as a node; all of them if 0.
NODES = [(2, 0), (2, 1), (4, 2)]


def script(images: int, per_node: int, name: str, *arguments: str, **environment: str):
    return run_on_nodes(images, per_node, sys.executable, FOLDER / name, *arguments, **environment)


@pytest.mark.parametrize(("images", "per_node"), NODES)
def test_ranks_of_mpi_are_images_on_one_node_or_several(images, per_node):
    done = script(images, per_node, "model_on_images.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f"of {images} has done all") == images


def test_an_image_that_has_stopped_is_told_on_other_nodes():
    is_told_of_a_stopped_image(script(2, 1, "ending_images.py", "stop"))


@pytest.mark.parametrize("per_node", [0, 1])
def test_an_exception_on_one_rank_ends_all(per_node):
    started = time.perf_counter()
    complains(script(2, per_node, "ending_images.py", "exception"), started)


@pytest.mark.parametrize("per_node", [0, 1])
@pytest.mark.parametrize("last", ["mpi4py.MPI", "halocline.coarray"])
def test_mpi_is_begun_and_ended_once_whoever_needs_it_first(per_node, last):
    pytest.importorskip("mpi4py", exc_type=ImportError)
    first = {"mpi4py.MPI", "halocline.coarray"} - {last}
    done = script(2, per_node, "beside_mpi4py.py", *first, last)
    assert done.returncode == 3, done.stderr
    assert (done.stdout, done.stderr) == ("MPI lives\n" * 2, "")


def test_a_size_of_memory_that_is_none_is_told():
    done = script(2, 1, "model_on_images.py", HALOCLINE_MEMORY="1X")
    assert done.returncode == 1
    assert "HALOCLINE_MEMORY is '1X': expected a size as 8G or 500M." in done.stderr


def test_images_that_call_different_things_are_told_so():
    code = (
        "from halocline import coarray as ca\n"
        "try: ca.co_sum(1.0) if ca.this_image() == 1 else ca.allocate((2, ca.this_image()), int)\n"
        "except ca.CoarrayError as error: print(error)"
    )
    done = run(3, sys.executable, "-c", code)
    message = (
        "Images call different things together (image 2: allocation of int64 with shape (2, 2); "
        "image 3: allocation of int64 with shape (2, 3); "
        "image 1: co_sum of float64 with shape ())"
    )
    assert done.stdout.count(message) == 3, done.stdout + done.stderr


@pytest.mark.parametrize("images", [1, 2, 4])
def test_the_ring(images):
    done = run(images, sys.executable, EXAMPLES / "coarrays/ring.py")
    assert done.returncode == 0, done.stderr
    assert f"once around {images} images" in done.stdout
