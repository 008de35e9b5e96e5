"""Programs of images on several nodes, which are connected by MPI."""

from __future__ import annotations

import re

import pytest
from caf_commands import FOLDER, PROGRAMS_ON_NODES, build
from on_nodes import run_on_nodes

# More images than processors take turns, which is slow where they wait for each other often.
ON_NODES_OF_TWO = ("event_pipeline", "sync_images_counts_statements", "teams_by_parity")


def source(program: str):
    return FOLDER / "programs" / f"{program}.f90"


def keeps_promise(done) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


@pytest.mark.parametrize("program", PROGRAMS_ON_NODES)
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


@pytest.mark.parametrize(("images", "per_node"), [(2, 1), (3, 2)])
def test_nobody_waits_in_a_team_for_an_image_that_has_stopped(built, images, per_node):
    program = built(FOLDER / "stopping_on_nodes.f90")
    keeps_promise(run_on_nodes(images, per_node, program, "stat"))


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("form team", "FORM TEAM: another image has stopped."),
        ("change team", "CHANGE TEAM: another image has stopped."),
        ("end team", "END TEAM: another image has stopped."),
        ("sync team", "SYNC TEAM: another image has stopped."),
        ("co_sum", "CO_SUM: another image has stopped."),
        ("lock", "LOCK: the image that holds it has stopped."),
        ("event", "EVENT WAIT: another image has stopped."),
    ],
)
def test_without_stat_a_stopped_image_ends_who_needs_it(built, way, message):
    done = run_on_nodes(2, 1, built(FOLDER / "stopping_on_nodes.f90"), way)
    assert done.returncode == 1
    assert f"Image 1: {message}" in done.stderr


@pytest.mark.slow
def test_more_teams_are_formed_than_mpi_has_communicators(built, tmp_path):
    program = tmp_path / "teams.f90"
    program.write_text("""program teams
  use, intrinsic :: iso_fortran_env, only: team_type
  type(team_type) :: team
  integer :: k, one = 1
  do k = 1, 2100
    form team (1 + mod(this_image(), 2), team)
  end do
  change team (team)
    call co_sum(one)
  end team
  if (one /= 2) error stop "wrong"
  if (this_image() == 1) print '(a)', "ok"
end program
""")
    keeps_promise(run_on_nodes(4, 2, built(program), timeout=300))


def test_an_image_that_fails_ends_those_of_other_nodes(built):
    done = run_on_nodes(2, 1, built(source("failed_image_in_sync_all")))
    assert done.returncode == 1
    assert "FAIL IMAGE: images on several nodes do not go on without one that has" in done.stderr


def test_an_image_that_fails_under_mpi_is_noticed_on_its_node(built):
    keeps_promise(run_on_nodes(3, 0, built(source("failed_image_in_sync_all"))))


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


def test_long_waits_are_reported_on_request(tmp_path):
    text = """program waits
  integer :: i[*]
  if (this_image() == 1) then
    call execute_command_line("sleep 1")
    sync images ([2])
    call execute_command_line("sleep 1")
  else
    sync images ([1])
  end if
  sync all
end program
"""
    file = tmp_path / "waits.f90"
    file.write_text(text)
    done = run_on_nodes(2, 1, build([file], tmp_path, "-g"), HALOCLINE_DIAGNOSE="0.3")
    assert done.returncode == 0
    assert "Image 2 has waited for image 1 for 0.3 s:" in done.stderr
    assert "Image 2 has waited for another image for 0.3 s:" in done.stderr
    assert "waits.f90:8" in done.stderr
    assert "waits.f90:10" in done.stderr
    assert "Image 1 has waited" not in done.stderr


def test_numbers_are_what_variables_say(built):
    program = built(source("put_and_get_of_scalars"))
    keeps_promise(run_on_nodes(2, 1, program, HALOCLINE_MEMORY="20M"))
    done = run_on_nodes(2, 1, program, HALOCLINE_MEMORY="20 MB")
    assert done.returncode == 1
    assert "HALOCLINE_MEMORY is '20 MB': expected a size as 8G or 500M." in done.stderr
    done = run_on_nodes(2, 1, program, HALOCLINE_IMAGES_PER_NODE="one")
    assert done.returncode == 1
    assert (
        "HALOCLINE_IMAGES_PER_NODE is 'one': expected a number of images from 0 to " in done.stderr
    )
