"""Programs of images on several nodes, which are connected by MPI."""

from __future__ import annotations

import re

import pytest
from caf_commands import FOLDER
from on_nodes import run_on_nodes

PROGRAMS = (
    "allocatable_components",
    "atomic_counters_under_contention",
    "co_sum_of_all_kinds",
    "components_between_other_images",
    "conversions_of_values",
    "critical_sections_exclude",
    "event_pipeline",
    "get_of_strided_sections",
    "large_collectives",
    "locks_exclude_each_other",
    "nested_teams",
    "put_of_strided_sections",
    "random_init_of_images",
    "sections_between_two_other_images",
    "sync_images_counts_statements",
    "teams_by_parity",
    "vector_subscripts",
)
# More images than processors take turns, which is slow where they wait for each other often.
ON_NODES_OF_TWO = ("event_pipeline", "sync_images_counts_statements", "teams_by_parity")


def source(program: str):
    return FOLDER / "programs" / f"{program}.f90"


def keeps_promise(done) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


@pytest.mark.parametrize("program", PROGRAMS)
def test_two_nodes(built, program):
    keeps_promise(run_on_nodes(2, 1, built(source(program))))


@pytest.mark.parametrize("program", ON_NODES_OF_TWO)
def test_two_nodes_of_two_images(built, program):
    keeps_promise(run_on_nodes(4, 2, built(source(program))))


STOPPING = """program stopping
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: stat(6), last
  integer, save :: a[*]
  last = num_images()
  a = this_image()
  sync all
  if (this_image() == last) stop
  stat = -1
  sync images ([last], stat=stat(1))
  sync all (stat=stat(2))
  sync images (*, stat=stat(3))
  sync all (stat=stat(4))
  stat(5) = image_status(last)
  stat(6) = merge(stat_stopped_image, -1, a[last] == last)
  if (any(stat /= stat_stopped_image)) error stop "wrong"
  sync images ([(last, last=1, num_images() - 1)])
  if (this_image() == 1) print '(a)', "ok"
end program
"""


@pytest.mark.parametrize(("images", "per_node"), [(2, 1), (4, 2)])
def test_an_image_that_stops_is_told_on_other_nodes(built, tmp_path, images, per_node):
    program = tmp_path / "stopping.f90"
    program.write_text(STOPPING)
    keeps_promise(run_on_nodes(images, per_node, built(program)))


def test_a_component_on_another_node_is_allocated_by_its_own_image_only(built):
    done = run_on_nodes(2, 1, built(source("remote_component_is_reallocated")))
    assert done.returncode == 1
    # Both try; one is the first to end all.
    expected = (
        "A component of image [12] was to be allocated by an image of another node: let its own "
        "image allocate it."
    )
    assert re.search(expected, done.stderr)


def test_error_stop_ends_images_of_all_nodes(built):
    done = run_on_nodes(3, 2, built(source("error_stop_ends_all")))
    assert done.returncode == 7
    assert "ERROR STOP 7" in done.stderr


def test_memory_is_what_the_variable_says(built):
    program = built(source("put_and_get_of_scalars"))
    keeps_promise(run_on_nodes(2, 1, program, HALOCLINE_MEMORY="20M"))
    done = run_on_nodes(2, 1, program, HALOCLINE_MEMORY="20 MB")
    assert done.returncode == 1
    assert "HALOCLINE_MEMORY is '20 MB': a size as 8G or 500M is wanted." in done.stderr
