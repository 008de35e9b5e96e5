"""Programs written for OpenCoarrays: its module, and MPI beside coarrays."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from caf_commands import COMMAND, build, run
from on_nodes import run_on_nodes

NAMES = """program names
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: team_type
  USE :: OpenCoarrays
  implicit none
  type(team_type), target :: team
  real :: x
  integer :: stat
  character(9) :: message

  x = this_image()
  call co_sum(x, result_image=1)
  if (this_image() == 1 .and. nint(x) /= num_images() * (num_images() + 1) / 2) call error_stop(3)
  stat = 7
  message = "unchanged"
  call sync_all(stat, message)
  if (stat /= 0 .or. message /= "unchanged" .or. team_number() /= -1) call error_stop(4)
  form team (5, team)
  if (team_number(team) /= 5 .or. team_number(c_loc(team)) /= 5) call error_stop(5)
  call sync_all
  if (this_image() == 1) call error_stop(6)
  call sync_all
end program
"""


def test_the_module_of_opencoarrays_has_what_programs_use(tmp_path):
    source = tmp_path / "names.f90"
    source.write_text(NAMES)
    subprocess.run([COMMAND, "build", "-c", source], cwd=tmp_path, check=True)
    subprocess.run([COMMAND, "build", "names.o", "-o", "names"], cwd=tmp_path, check=True)
    ended = run(tmp_path / "names", 3)
    assert (ended.returncode, ended.stderr) == (6, "ERROR STOP 6\n")
    assert not list(tmp_path.glob("*.mod"))


def test_a_program_s_own_module_of_the_name_comes_first(tmp_path):
    (tmp_path / "opencoarrays.f90").write_text(
        "module opencoarrays\n  integer :: code = 42\nend module\n"
    )
    (tmp_path / "own.f90").write_text("use opencoarrays, only: code\nstop code\nend\n")
    (tmp_path / "modules").mkdir()
    sources = [tmp_path / "opencoarrays.f90", tmp_path / "own.f90"]
    assert run(build(sources, tmp_path, "-J", "modules"), 1).returncode == 42


TOGETHER = """program together
  use, intrinsic :: iso_fortran_env, only: team_type
  use, intrinsic :: iso_c_binding, only: c_loc
  use opencoarrays, only: get_communicator
  implicit none
  interface
    subroutine look(communicator, ranks, rank) bind(c)
      integer, value :: communicator
      integer, intent(out) :: ranks, rank
    end subroutine
  end interface
  type(team_type), target :: team
  integer :: total

  call compare(get_communicator())
  form team (1 + mod(this_image(), 2), team)
  change team (team)
    call compare(get_communicator())
    call compare(get_communicator(team))
    call compare(get_communicator(c_loc(team)))
  end team
  total = 1
  call co_sum(total)
  if (total /= num_images()) error stop "sum"
  sync all
  if (this_image() == 1) print '(a)', "ok"

contains

  subroutine compare(communicator)
    integer, intent(in) :: communicator
    integer :: ranks, rank
    call look(communicator, ranks, rank)
    if (ranks /= num_images() .or. rank /= this_image() - 1) error stop "ranks are not images"
  end subroutine
end program
"""
LOOK = """#include <mpi.h>
void look(int communicator, int* ranks, int* rank) {
    int begun = 0;
    MPI_Initialized(&begun);
    if (!begun) MPI_Init(0, 0);
    MPI_Comm_size(MPI_Comm_f2c(communicator), ranks);
    MPI_Comm_rank(MPI_Comm_f2c(communicator), rank);
}
"""


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Gives a program that uses MPI and coarrays, and whose part with MPI is in C."""
    mpicc = Path(sys.executable).with_name("mpicc")
    if not mpicc.exists() or shutil.which("cc") is None:
        pytest.skip("no mpicc beside the Python that runs the tests (pip install mpich)")
    folder = tmp_path_factory.mktemp("together")
    (folder / "look.c").write_text(LOOK)
    source = folder / "together.f90"
    source.write_text(TOGETHER)
    subprocess.run([mpicc, "-c", "look.c"], cwd=folder, check=True)
    libraries = mpicc.parent.parent / "lib"
    link = [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lmpi"]
    return build([folder / "look.o", source], folder, *link)


@pytest.mark.parametrize("per_node", [0, 2])
def test_ranks_of_a_team_s_communicator_are_its_images(together, per_node):
    done = run_on_nodes(4, per_node, together)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_images_that_mpi_does_not_know_are_not_started_for_a_program_that_calls_it(together):
    ended = run(together, 2)
    assert ended.returncode == 2
    expected = f"'{together}' calls MPI, to which images that 'caf run' has started are strangers: "
    assert expected in ended.stderr
    assert f"start it as 'mpiexec -n 2 {together}'" in ended.stderr


def test_without_mpi_there_is_no_communicator(tmp_path):
    source = tmp_path / "alone.f90"
    source.write_text("use opencoarrays\nprint *, get_communicator()\nend\n")
    ended = run(build([source], tmp_path), 2)
    assert ended.returncode == 1
    expected = "Images that MPI has not started have no communicator: start the program as "
    assert expected + "'mpiexec -n 2 ./program'." in ended.stderr
