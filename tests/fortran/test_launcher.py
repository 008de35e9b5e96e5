"""The command 'halocline caf': what it does, and one clear message for each mistake."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from caf_commands import COMMAND, run
from launch import launcher, needs_mpi

HELLO = """program hello
  integer :: i[*]
  i = this_image()
  sync all
  if (this_image() == 1) print '(i0)', [(i[k], integer :: k = 1, num_images())]
end program
"""


def caf(*words, timeout=20.0, **more):
    command = [COMMAND, *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, **more
    )


def compiled(folder, text, *options):
    source = folder / "program.f90"
    source.write_text(text.replace("integer :: k = 1", "k = 1"))
    program = folder / "program"
    made = caf("build", *options, source, "-o", program)
    assert made.returncode == 0, made.stderr
    return program


@pytest.fixture(scope="module")
def hello(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("hello"), HELLO)


@pytest.mark.parametrize(
    "words", [["-n", "3"], ["-n3"], ["-np", "3"], ["--images=3"], ["--images", "3"]]
)
def test_images_are_as_many_as_wanted(hello, words):
    ended = caf("run", *words, hello)
    assert (ended.returncode, ended.stdout.split()) == (0, ["1", "2", "3"])


def test_a_program_started_alone_is_one_image(hello):
    ended = subprocess.run([hello], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["1"])


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"PMI_SIZE": "two"}, "PMI_SIZE"),
        ({"OMPI_COMM_WORLD_SIZE": "2x"}, "OMPI_COMM_WORLD_SIZE"),
        ({"SLURM_STEP_NUM_TASKS": "-1", "PMIX_RANK": "0"}, "SLURM_STEP_NUM_TASKS"),
    ],
)
def test_a_number_of_processes_that_is_none_is_told(hello, variables, name):
    environment = os.environ | variables
    ended = subprocess.run([hello], capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 1
    said = f"Environment variable {name} is '{variables[name]}': "
    assert f"{said}expected a number of processes from 0 to " in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(("words", "images"), [([], 2), (["-n", 1], 1)], ids=str)
def test_images_run_on_the_hosts_of_a_list(hello, words, images):
    needs_mpi()
    environment = {**os.environ, "HALOCLINE_MPIEXEC": launcher()}
    ended = caf("run", "--hosts", "localhost:2", *words, hello, env=environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == [str(image) for image in range(1, images + 1)]


def test_options_are_passed_to_other_hosts(tmp_path):
    # As a launcher that passes no variables on.
    own = tmp_path / "mpiexec"
    own.write_text(
        '#!/bin/sh\nexec env -i PATH="$PATH" sh -c \'echo "$@"; shift 5; "$@"\' sh "$@"\n'
    )
    own.chmod(0o755)
    environment = {**os.environ, "HALOCLINE_MPIEXEC": f"'{own}' --own"}
    words = ["run", "--hosts=localhost:2", "--memory", "20M", "--diagnose", "3", "env"]
    ended = caf(*words, env=environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("--own -host localhost:2 -n 2 env HALOCLINE_MEMORY=20M ")
    assert {"HALOCLINE_MEMORY=20M", "HALOCLINE_DIAGNOSE=3"} <= set(ended.stdout.splitlines())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--hosts", "localhost,127.0.0.1"], "-host localhost:1,127.0.0.1:1 -n 2"),
        (["-n", "5", "--hosts", "localhost,127.0.0.1"], "-host localhost:3,127.0.0.1:2 -n 5"),
        (["-n", "5", "--hosts", "localhost,127.0.0.1:3"], "-host localhost:2,127.0.0.1:3 -n 5"),
    ],
)
def test_hosts_without_a_number_share_the_other_images(words, expected):
    environment = {**os.environ, "HALOCLINE_MPIEXEC": "echo"}
    ended = caf("run", *words, "true", env=environment)
    assert ended.stdout == f"{expected} true\n"


@pytest.mark.parametrize(
    ("launcher", "message"),
    [
        ("'mpiexec", "HALOCLINE_MPIEXEC is ''mpiexec', which is no command"),
        ("./not-there", "The launcher './not-there' cannot be started: No such file or directory."),
    ],
)
def test_a_launcher_that_cannot_be_started(hello, launcher, message):
    environment = {**os.environ, "HALOCLINE_MPIEXEC": launcher}
    ended = caf("run", "--hosts", "localhost", hello, env=environment)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_sixteen_images_run_on_few_processors(hello):
    assert caf("run", "-n", 16, hello).stdout.split() == [str(i) for i in range(1, 17)]


def test_flags_build_a_program_without_our_command(tmp_path):
    source = tmp_path / "program.f90"
    source.write_text(HELLO.replace("integer :: k = 1", "k = 1"))
    program = tmp_path / "program"
    flags = caf("flags").stdout.split()
    both = caf("flags", "--compile").stdout.split() + caf("flags", "--link").stdout.split()
    assert flags == both
    subprocess.run(["gfortran", *flags[:1], source, *flags[1:], "-o", program], check=True)
    assert run(program, 2).stdout.split() == ["1", "2"]


def test_pkg_config_says_the_same_as_flags():
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    prefix = caf("flags", "--prefix").stdout.strip()
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    said = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "halocline-caf"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert "-fcoarray=lib" in said.stdout
    assert "-lhalocline_caf" in said.stdout


def test_pkg_config_and_cmake_build_coarrays_in_cpp(tmp_path):
    source = tmp_path / "two.cpp"
    source.write_text(
        """#include "pgas/coarray.hpp"
#include <cstdio>
using namespace halocline::pgas;
int main() {
    coarray<int> a({1});
    a[num_images()](0) = 7;
    sync_all();
    if (this_image() == num_images()) std::printf("%d\\n", a.here()(0));
}
"""
    )
    if shutil.which("pkg-config") is None or shutil.which("cmake") is None:
        pytest.skip("pkg-config or cmake is not installed")
    prefix = caf("flags", "--prefix").stdout.strip()
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "halocline-coarray"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    subprocess.run(["g++", source, *flags, "-o", tmp_path / "two"], check=True)
    assert run(tmp_path / "two", 2).stdout == "7\n"
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(two CXX)\nfind_package(HaloclineCaf)\n"
        "add_executable(made two.cpp)\ntarget_link_libraries(made Halocline::coarray)\n"
    )
    for words in (["-S", tmp_path, "-B", tmp_path / "b"], ["--build", tmp_path / "b"]):
        more = [f"-DCMAKE_PREFIX_PATH={prefix}"] if words[0] == "-S" else []
        subprocess.run(["cmake", *words, *more], check=True, capture_output=True)
    assert run(tmp_path / "b/made", 2).stdout == "7\n"


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["run", "-h"], ["flags", "-h"]])
def test_help_is_printed(words):
    ended = caf(*words)
    assert ended.returncode == 0
    assert "halocline caf run -n 4 ./heat" in ended.stdout


def test_other_names_build_and_run(tmp_path):
    assert caf("names", tmp_path).returncode == 0
    source = tmp_path / "program.f90"
    source.write_text(HELLO.replace("integer :: k = 1", "k = 1"))
    subprocess.run([tmp_path / "caf", source, "-o", tmp_path / "program"], check=True)
    ended = subprocess.run(
        [tmp_path / "cafrun", "-np", "2", tmp_path / "program"], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout.split()) == (0, [b"1", b"2"])
    again = caf("names", tmp_path)
    assert again.returncode == 2
    assert "cannot be made: File exists." in again.stderr


def test_python_finds_the_command(hello):
    text = "import sys; from halocline_command.main import main; sys.argv[0] = 'halocline'; main()"
    words = [sys.executable, "-c", text, "caf", "run", "-n", "2", hello]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (0, ["1", "2"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "-n", "0", "./x"], "-n is '0': expected a number of images from 1 to 4096."),
        (["run", "-n", "two", "./x"], "-n is 'two': expected a number of images"),
        (["run", "-n"], "-n needs a value."),
        (
            ["run", "-n", "4", "--hosts", "localhost:2,127.0.0.1:1", "./x"],
            "--hosts 'localhost:2,127.0.0.1:1' takes 3 images, but 4 were asked for: name more "
            "hosts, or more images of one as node1:4.",
        ),
        (
            ["run", "--hosts", "localhost,localhost", "./x"],
            "--hosts is 'localhost,localhost', which names 'localhost' twice: write how many",
        ),
        (
            ["run", "--hosts", "no-such-node.invalid:2", "./x"],
            "--hosts names 'no-such-node.invalid', which has no address (",
        ),
        (
            ["run", "--hosts", "localhost:two", "./x"],
            "The number of images on 'localhost' is 'two': expected a number of images from 1 to",
        ),
        (
            ["run", "--hosts", "localhost,,localhost", "./x"],
            "': expected hosts as node1:2,node2:2.",
        ),
        (["run", "--hosts", "", "./x"], "--hosts is '': expected hosts as node1:2,node2:2."),
        (["run", "--speed", "./x"], "'run' has no option '--speed'"),
        (["run"], "'run' needs a program: halocline caf run -n 4 ./heat"),
        (["run", "--memory", "1X", "./x"], "--memory is '1X': expected a size as 8G or 500M."),
        (["run", "./not-there"], "'./not-there' cannot be started: No such file or directory."),
        (["flags", "--all"], "'flags' takes --compile, --link, --prefix or nothing."),
        (
            ["run", "--diagnose", "-1", "./x"],
            "--diagnose is '-1': expected a number of seconds above 0",
        ),
        (["names"], "'names' takes a folder: halocline caf names ~/bin"),
        (["names", "not/there"], "'not/there/caf' cannot be made: No such file or directory."),
        (["fly"], "There is no command 'fly': build, run, flags and names are."),
    ],
)
def test_a_mistake_gets_one_message(tmp_path, words, message):
    ended = caf(*words, cwd=tmp_path)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_program_without_our_library_is_told(tmp_path):
    ended = caf("run", "-n", 2, "true")
    assert "each of its 2 processes was alone" in ended.stderr
    program = compiled(tmp_path, HELLO, "-fcoarray=single")
    ended = caf("run", "-n", 2, program)
    assert ended.returncode == 2
    assert "with '-fcoarray=single' a program has one image" in ended.stderr


def test_a_program_of_another_library_is_refused(tmp_path):
    other = tmp_path / "libcaf_other.so"
    nothing = ["-shared", "-x", "c", "/dev/null"]
    subprocess.run(["gcc", *nothing, "-Wl,-soname,libcaf_other.so", "-o", other], check=True)
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }")
    program = tmp_path / "program"
    link = ["-Wl,--no-as-needed", f"-L{tmp_path}", "-lcaf_other"]
    subprocess.run(["gcc", source, "-o", program, *link], check=True)
    ended = caf("run", "-n", 2, program)
    assert ended.returncode == 2
    assert "was linked with another coarray library (libcaf_other.so)" in ended.stderr


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("10.2.0", "is gfortran 10; this coarray library is for"),
        ("flang 19", "is not gfortran: it prints 'flang 19' instead of its version"),
        ("", "cannot be run"),
    ],
)
def test_an_unknown_compiler_is_told(tmp_path, version, message):
    compiler = tmp_path / "fortran"
    compiler.write_text(f"#!/bin/sh\necho '{version}'\n" if version else "")
    compiler.chmod(0o755)
    ended = caf("build", "x.f90", env={**os.environ, "FC": str(compiler)})
    assert ended.returncode == 2
    assert message in ended.stderr


@pytest.mark.parametrize("name", [f"{COMMAND} build", "env gfortran -O1", "  ", "two words"])
def test_a_compiler_may_be_this_command_or_have_options(tmp_path, name):
    source = tmp_path / "program.f90"
    source.write_text(HELLO.replace("integer :: k = 1", "k = 1"))
    if name == "two words":
        name = str(tmp_path / name)
        Path(name).symlink_to(shutil.which("gfortran"))
    program = tmp_path / "program"
    made = caf("build", source, "-o", program, env={**os.environ, "FC": name})
    assert made.returncode == 0, made.stderr
    assert run(program, 2).stdout.split() == ["1", "2"]


def test_a_makefile_may_build_with_this_command(tmp_path):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    (tmp_path / "program.f90").write_text(HELLO.replace("integer :: k = 1", "k = 1"))
    (tmp_path / "Makefile").write_text("program: program.f90\n\t$(FC) -o $@ $<\n")
    words = ["make", f"FC={COMMAND} build"]
    made = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert made.returncode == 0, made.stderr
    assert run(tmp_path / "program", 2).stdout.split() == ["1", "2"]


def test_too_large_a_coarray_says_how_to_get_more(tmp_path):
    text = """program large
  real, allocatable :: a(:)[:]
  integer :: stat
  character(200) :: message
  allocate (a(100000000)[*], stat=stat, errmsg=message)
  if (this_image() == 1) print '(l1, a)', allocated(a), trim(message)
  ! Else the other image might end this one before it has printed.
  flush (6)
  sync all
  allocate (a(100000000)[*])
end program
"""
    ended = caf("run", "-n", 2, "--memory", "64M", compiled(tmp_path, text))
    assert ended.returncode == 1
    expected = "Not enough memory for 382 MiB: 64 MiB are reserved for an image, of which 0 MiB "
    assert ended.stdout.startswith("F" + expected)
    assert expected in ended.stderr
    assert (
        "'halocline caf run --memory 64G', or HALOCLINE_MEMORY=64G, reserves more" in ended.stderr
    )


def test_thousands_of_teams_fit_into_little_memory(tmp_path):
    text = """program teams
  use, intrinsic :: iso_fortran_env, only: team_type
  type(team_type) :: team
  integer :: k
  do k = 1, 5000
    form team (1 + mod(this_image(), 2), team)
  end do
end program
"""
    ended = caf("run", "-n", 2, "--memory", "16M", compiled(tmp_path, text))
    assert ended.returncode == 0, ended.stderr


def test_long_waits_are_reported_on_request(tmp_path):
    text = """program waits
  integer :: i[*]
  if (this_image() == 1) then
    call execute_command_line("sleep 1")
    sync all
  else
    sync all
  end if
end program
"""
    program = compiled(tmp_path, text, "-g")
    ended = caf("run", "-n", 2, "--diagnose", "0.3", program)
    assert ended.returncode == 0
    assert "Image 2 has waited for image 1 for 0.3 s:" in ended.stderr
    assert "program.f90:7" in ended.stderr
    assert "Image 1 has waited" not in ended.stderr
    assert caf("run", "-n", 2, program).stderr == ""


def test_an_image_that_does_not_exist_is_told(tmp_path):
    text = "program wrong\n  integer :: i[*]\n  i[num_images() + 3] = 1\nend program\n"
    ended = caf("run", "-n", 2, compiled(tmp_path, text))
    assert ended.returncode == 1
    assert "Image 5 was to be accessed, but there are images 1 to 2." in ended.stderr


def test_coarrays_that_differ_are_told(tmp_path):
    text = """program differ
  real, allocatable :: a(:)[:]
  allocate (a(1000 * this_image())[*])
end program
"""
    ended = caf("run", "-n", 2, compiled(tmp_path, text))
    assert ended.returncode == 1
    assert "have allocated or deallocated different coarrays" in ended.stderr


def test_a_second_program_on_an_image_is_refused(tmp_path, hello):
    both = tmp_path / "both.sh"
    # The variable that makes a process an image is handed on by a shell, not by a coarray program.
    both.write_text(f"#!/bin/sh\n{hello} > /dev/null\n{hello} > /dev/null\n")
    both.chmod(0o755)
    ended = caf("run", "-n", 2, both)
    assert ended.returncode != 0
    assert "Two programs of one command want to be image 1" in ended.stderr


def test_interrupting_the_launcher_ends_all_images(tmp_path):
    text = "program wait\n  integer :: i[*]\n  do\n    i = i + 1\n  end do\nend program\n"
    program = compiled(tmp_path, text)
    running = subprocess.Popen([COMMAND, "run", "-n", "2", program])
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=10) == 128 + signal.SIGINT
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert str(program).encode() not in b"".join(lines)


def test_standard_input_is_that_of_image_1(tmp_path):
    text = """program input
  integer :: n, stat
  read (*, *, iostat=stat) n
  if (this_image() == 1 .and. n /= 42) error stop "image 1 has not read"
  if (this_image() /= 1 .and. stat == 0) error stop "another image has read"
end program
"""
    ended = caf("run", "-n", 3, compiled(tmp_path, text), input="42\n")
    assert ended.returncode == 0, ended.stderr
