"""The C++ interface of coarrays: the example, and what else it has."""

from __future__ import annotations

import subprocess

import pytest
from on_images import FOLDER, built, run
from on_nodes import run_on_nodes

EXAMPLE = FOLDER.parent.parent / "examples/coarrays/heat.cpp"


@pytest.fixture(scope="module")
def heat(tmp_path_factory):
    return built(EXAMPLE, tmp_path_factory.mktemp("heat"))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return built(FOLDER / "model_on_images.cpp", tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("images", [1, 2, 4])
def test_heat_on_images_is_that_of_the_formula(heat, images):
    done = run(images, heat)
    assert done.returncode == 0, done.stderr
    assert f"{images} images: largest error" in done.stdout


@pytest.mark.parametrize("images", [1, 2, 4])
def test_all_that_images_do_in_cpp(model, images):
    done = run(images, model)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("has done all") == images


def test_ranks_of_mpi_are_images_in_cpp(heat):
    done = run_on_nodes(2, 0, heat)
    assert done.returncode == 0, done.stderr
    assert "2 images: largest error" in done.stdout


@pytest.mark.parametrize(("images", "per_node"), [(2, 0), (2, 1), (4, 2)])
def test_all_that_images_do_in_cpp_on_nodes(model, images, per_node):
    done = run_on_nodes(images, per_node, model)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("has done all") == images


def test_a_program_without_launcher_is_one_image(heat):
    done = subprocess.run([heat], capture_output=True, text=True, check=False, timeout=30)
    assert "1 images: largest error" in done.stdout
