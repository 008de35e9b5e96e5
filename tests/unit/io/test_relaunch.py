"""Ranks that have died are started again, on the hosts that answer, by a launcher that is faked."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from waves import waves

from halocline.cli import relaunch
from halocline.cli.hosts import Host, hosts_of, launcher_of
from halocline.cli.launch import JobEnd
from halocline.cli.main import main
from halocline.errors import CaseError, MpiError
from halocline.io.checkpoint import save, step_in

HEAT = ("run", "heat", "--cells", "8", "--checkpoint", "5", "--ranks", "4", "--output", "out")
# It notes its words, and starts nothing. On a host that a file 'dead.HOST' names 'true' fails. The
# file 'ends' has for each job a step of which it leaves a checkpoint, or '-', and its exit code. A
# file 'report.HOST' is what a host reports of its memory.
LAUNCHER = """#!/bin/sh
case "$*" in
*print_report*)
  for report in report.*; do case "$*" in *" ${report#report.} "*) cat "$report"; exit;; esac; done
  exit 255;;
*" -n 1 true")
  for host in dead.*; do case "$*" in *" ${host#dead.}:"*) exit 255;; esac; done
  exit 0;;
esac
echo "$*" >> words
read step code < ends
sed -i 1d ends
mkdir -p out
echo left > out/run.log
[ "$step" = - ] || cp "step$step.npz" out/checkpoint.npz
[ "$code" = 9 ] && echo "=   PID 19 RUNNING AT node2"
exit "$code"
"""


class Runs:
    """A folder with a launcher; 'run' runs the command there."""

    def __init__(self, folder, capfd) -> None:
        self.folder = folder
        self.capfd = capfd
        launcher = folder / "mpiexec"
        launcher.write_text(LAUNCHER)
        launcher.chmod(0o700)
        made = waves()
        for step in (5, 10):
            made.simulation.run(step - made.simulation.step, progress=False)
            save(made.simulation, folder / f"step{step}.npz")

    def run(self, *arguments, ends, hosts="", dead=()):
        """Return the exit code, the words of each job after the hosts, and the lines of stderr."""
        (self.folder / "ends").write_text("".join(f"{end}\n" for end in ends))
        for host in dead:
            (self.folder / f"dead.{host}").touch()
        environment = {"HALOCLINE_MPIEXEC": f"{self.folder / 'mpiexec'} {hosts}"}
        words = ["halocline", *HEAT, *arguments]
        with (
            patch.dict("os.environ", environment),
            patch.object(sys, "argv", words),
            pytest.raises(SystemExit) as end,
        ):
            main()
        lines = (self.folder / "words").read_text().splitlines()
        return end.value.code, lines, self.capfd.readouterr().err.splitlines()


@pytest.fixture
def runs(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    return Runs(tmp_path, capfd)


def option(name, line):
    """Return the last value of an option in a line of words."""
    words = shlex.split(line)
    places = [n for n, word in enumerate(words) if word == name]
    return words[places[-1] + 1] if places else None


def test_a_job_that_died_goes_on_from_its_checkpoint(runs):
    code, lines, told = runs.run("--relaunch", "3", ends=["5 9", "10 1", "- 0"])
    assert code == 0
    assert [option("--restart", line) for line in lines] == [None, "out", "out"]
    assert {option("--output", line) for line in lines} == {"out"}
    assert {option("--relaunch", line) for line in lines} == {"0"}
    assert told == [
        "warning: The job of 4 ranks has died on node2 (exit code 9). Relaunch 1 of 3 goes on from "
        "step 5.",
        "warning: The job of 4 ranks has died (exit code 1). Relaunch 2 of 3 goes on from step 10.",
    ]


def test_a_host_that_does_not_answer_is_left_out(runs):
    hosts = "-hosts node1:2,node2:2"
    code, lines, told = runs.run(
        "--relaunch", "1", ends=["5 255", "- 0"], hosts=hosts, dead=["node2"]
    )
    assert code == 0
    assert [option("-hosts", line) for line in lines] == ["node1:2,node2:2", "node1:4"]
    assert told == [
        "warning: The job of 4 ranks has died (exit code 255). Relaunch 1 of 1 goes on from step 5 "
        "on node1; node2: no answer."
    ]


def test_hosts_of_the_command_replace_those_of_the_launcher(runs):
    options = ("--relaunch", "1", "--hosts", "localhost,127.0.0.1")
    code, lines, told = runs.run(
        *options, ends=["5 255", "- 0"], hosts="-hosts a:4", dead=["127.0.0.1"]
    )
    assert code == 0
    assert [option("-hosts", line) for line in lines] == ["localhost:2,127.0.0.1:2", "localhost:4"]
    assert all(line.endswith(" --hosts=") for line in lines)  # ranks start no ranks
    assert told[0].endswith("goes on from step 5 on localhost; 127.0.0.1: no answer.")


@pytest.mark.parametrize(
    ("hosts", "ranks"), [("localhost:3,127.0.0.1", "4"), ("localhost", "1"), ("localhost:5", "4")]
)
def test_ranks_start_on_hosts_without_a_relaunch(runs, hosts, ranks):
    code, lines, told = runs.run("--hosts", hosts, "--ranks", ranks, ends=["- 0"])
    assert (code, told) == (0, [])
    expected = {"localhost:3,127.0.0.1": "localhost:3,127.0.0.1:1", "localhost": "localhost:1"}
    assert lines[0].startswith(f"-host {expected.get(hosts, hosts)} -n {ranks} {sys.executable} ")


def test_without_a_checkpoint_a_job_starts_at_its_beginning(runs):
    code, lines, told = runs.run("--relaunch", "2", ends=["- 9", "- 0"], hosts="-hosts a,b")
    assert code == 0
    assert [option("--restart", line) for line in lines] == [None, None]
    assert told == [
        "warning: The job of 4 ranks has died on node2 (exit code 9). Relaunch 1 of 2 starts at "
        "the beginning on a, b."
    ]


def test_what_a_job_without_a_checkpoint_left_is_removed(runs):
    (runs.folder / "ends").touch()
    runs.run("--relaunch", "1", ends=["- 9", "- 9"])
    assert not (runs.folder / "out/checkpoint.npz").exists()
    assert (runs.folder / "out/run.log").read_text() == "left\n"  # of the second job alone


def report(*files):
    """Return what a host reports that has some files of a checkpoint of two parts at step 7."""
    manifest = {"number": 3, "digests": ["x", "y"], "content": {"step": 7}}
    digests = {"0.npz": "x", "1.npz": "y", "0.copy.npz": "x", "1.copy.npz": "y"}
    held = [{"a": manifest}, {"a": {file: digests[file] for file in files}}]
    return f"Welcome to this host.\nhalocline report: {json.dumps(held)}\n"


@pytest.mark.parametrize(
    ("ends", "files", "start"),
    [
        (["- 9", "- 0"], ("0.npz", "1.copy.npz"), "goes on from step 7"),
        (["5 9", "- 0"], ("0.npz", "1.copy.npz"), "goes on from step 7"),
        (["10 9", "- 0"], ("0.npz", "1.copy.npz"), "goes on from step 10"),
        (["5 9", "- 0"], ("0.npz",), "goes on from step 5"),
        (["- 9", "- 0"], ("0.npz",), "starts at the beginning"),
    ],
)
def test_hosts_report_the_checkpoints_in_their_memory(runs, ends, files, start):
    (runs.folder / "report.a").write_text(report(*files))
    (runs.folder / "report.b").write_text("halocline report: [{}, {}]\n")
    options = ("--relaunch", "1", "--checkpoint-memory", "1")
    code, lines, told = runs.run(*options, ends=ends, hosts="-hosts a,b,c")
    assert code == 0
    assert f"Relaunch 1 of 1 {start} on a, b; c: no answer." in told[0]
    assert option("--restart", lines[1]) == (None if "beginning" in start else "out")
    assert option("-hosts", lines[1]) == "a:2,b:2"


def test_where_no_host_is_named_all_ranks_report(runs):
    # The number of ranks stands for the host.
    (runs.folder / "report.4").write_text(2 * report("0.npz", "1.npz"))
    options = ("--relaunch", "1", "--checkpoint-memory", "1")
    code, lines, told = runs.run(*options, ends=["- 9", "- 0"])
    assert code == 0
    assert told[0].endswith("Relaunch 1 of 1 goes on from step 7.")
    assert option("--restart", lines[1]) == "out"


def test_a_run_that_is_interrupted_is_not_started_again(runs, monkeypatch):
    (runs.folder / "words").touch()
    interrupted = JobEnd(130, is_interrupted=True)
    monkeypatch.setattr(relaunch, "run_job", lambda *_: interrupted)
    assert runs.run("--relaunch", "3", ends=[]) == (130, [], [])


def test_the_last_failure_is_told_when_no_relaunch_is_left(runs):
    code, lines, told = runs.run("--relaunch", "1", ends=["5 9", "10 7"])
    assert code == 7
    assert len(lines) == 2
    assert told[1:] == ["error: The job of 4 ranks has died (exit code 7), after 1 relaunch(es)."]


@pytest.mark.parametrize("code", [0, 2])
def test_a_job_that_ends_well_or_by_a_mistake_is_not_started_again(runs, code):
    assert runs.run("--relaunch", "3", ends=[f"5 {code}"])[0] == code
    assert len((runs.folder / "words").read_text().splitlines()) == 1


def test_no_host_answers(runs):
    options = {"ends": ["5 255"], "hosts": "-hosts a:4", "dead": ["a"]}
    code, _, told = runs.run("--relaunch", "1", **options)
    assert code == 2
    assert told == [
        "error: The job of 4 ranks has died (exit code 255), and no host of the launcher answers: "
        "a. Go on from the checkpoint with --restart when they are back."
    ]


def test_a_directory_with_anything_in_it_stays_as_it_is(runs):
    (runs.folder / "out").mkdir()
    (runs.folder / "out/mine").touch()
    (runs.folder / "words").touch()
    code, lines, told = runs.run("--relaunch", "1", ends=["- 9"])
    assert (code, lines) == (2, [])
    assert told[0].startswith("error: The directory 'out' is not empty (mine)")
    assert (runs.folder / "out/mine").exists()


def test_relaunches_need_checkpoints(monkeypatch, capsys):
    words = ["halocline", "run", "heat", "--relaunch", "1", "--ranks", "2"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err == (
        "error: 'relaunch' was given without 'checkpoint' or 'checkpoint_memory'. Give "
        "'checkpoint', the steps between two checkpoints.\n"
    )


@pytest.mark.parametrize("words", [("--relaunch", "1"), ("--hosts", "localhost")])
def test_a_launcher_around_the_command_starts_no_ranks(runs, monkeypatch, words):
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setenv("PMI_SIZE", "4")
    (runs.folder / "words").touch()
    code, lines, told = runs.run(*words, ends=[])
    assert (code, lines) == (2, [])
    name, value = words[0].lstrip("-"), {"1": 1}.get(words[1], words[1])
    assert told == [
        f"error: '{name}' was given {value!r}, but a launcher has started this rank; expected a "
        "command that starts the ranks itself. Start 'halocline run' without mpiexec and srun, or "
        f"leave out '{name}'."
    ]


def test_processes_of_srun_start_no_ranks(runs, monkeypatch):
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
    (runs.folder / "words").touch()
    code, lines, told = runs.run("--hosts", "localhost", ends=[])
    assert (code, lines) == (2, [])
    assert told[0].startswith("error: 2 processes were started together (SLURM_STEP_NUM_TASKS=2)")


def test_a_launcher_that_is_not_there(runs, monkeypatch):
    (runs.folder / "mpiexec").unlink()
    (runs.folder / "words").touch()
    code, lines, told = runs.run("--hosts", "localhost", ends=[])
    assert (code, lines) == (2, [])
    assert told[0].startswith("error: The environment variable 'HALOCLINE_MPIEXEC' is '")
    assert f"', but there is no program '{runs.folder / 'mpiexec'}'. Name the launcher" in told[0]


@pytest.mark.parametrize(
    ("text", "ranks", "slots"),
    [
        ("localhost:2,127.0.0.1:3", None, [2, 3]),
        ("localhost,127.0.0.1", None, [1, 1]),
        ("localhost,127.0.0.1", 5, [3, 2]),
        ("localhost, 127.0.0.1:3", 5, [2, 3]),
        ("localhost,127.0.0.1:3", 2, [1, 3]),
    ],
)
def test_hosts_without_a_number_share_the_other_ranks(text, ranks, slots):
    assert [host.slots for host in hosts_of(text, ranks)] == slots


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'hosts' is ''; expected hosts as node1:8,node2:8. A number says"),
        ("localhost,,a", "'hosts' is 'localhost,,a'; expected hosts as node1:8,node2:8."),
        ("localhost:two", "'hosts' is 'localhost:two'; expected hosts as node1:8,node2:8."),
        ("localhost:0", "'hosts' is 'localhost:0'; expected hosts as"),
        ("localhost,localhost", "which names 'localhost' twice; expected each host once. Write"),
        ("no-node.invalid", "'hosts' names 'no-node.invalid', which has no address ("),
        (f"{'a' * 64}.b", "', which has no address ("),
        ("localhost:2,127.0.0.1:1", "which takes 3 ranks, but 4 were asked for. Name more hosts"),
    ],
)
def test_a_list_of_hosts_that_cannot_be_used_is_told(text, message):
    with pytest.raises(MpiError) as found:
        hosts_of(text, 4)
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("words", "hosts"),
    [
        (["mpiexec"], []),
        (["mpiexec", "-hosts", "a:2,b"], [Host("a", 2), Host("b")]),
        (["mpirun", "--host", "a,a,b"], [Host("a", 2), Host("b")]),
        (["mpirun", "-H", "a:3", "--bind-to", "none"], [Host("a", 3)]),
        (["mpiexec", "-f", "hosts"], [Host("a", 4), Host("b"), Host("c", 2)]),
        (["mpirun", "--hostfile", "hosts"], [Host("a", 4), Host("b"), Host("c", 2)]),
    ],
)
def test_the_hosts_of_a_launcher_are_known(words, hosts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hosts").write_text("# nodes\na:4\n\nb  # the second\nc slots=2 max-slots=4\n")
    assert list(launcher_of(words).hosts) == hosts


def test_the_ranks_of_lost_hosts_go_on_the_others():
    launcher = launcher_of(["mpiexec", "-hosts", "a:2,b:2,c:2"])
    assert launcher.without([], 6) is launcher
    assert launcher.without(["b"], 6).words == ("mpiexec", "-hosts", "a:3,c:3")
    assert launcher.without(["b"], 3).words == ("mpiexec", "-hosts", "a:2,c:2")
    assert launcher.without(["a", "b"], 6).words == ("mpiexec", "-hosts", "c:6")


def test_hosts_of_a_file_become_a_list(tmp_path):
    file = tmp_path / "hosts"
    file.write_text("a:1\nb:1\n")
    launcher = launcher_of(["mpiexec", "-f", str(file), "-launcher", "ssh"])
    assert launcher.without(["a"], 2).words == ("mpiexec", "-host", "b:2", "-launcher", "ssh")


def test_a_file_of_hosts_that_is_not_there_is_told():
    with pytest.raises(MpiError, match=r"the file of hosts '/no/hosts', which cannot be read: No"):
        launcher_of(["mpiexec", "-f", "/no/hosts"])


def test_the_step_of_a_checkpoint_is_known_if_it_is_whole(tmp_path):
    path = tmp_path / "checkpoint.npz"
    assert step_in(path) is None
    made = waves()
    made.simulation.run(3, progress=False)
    save(made.simulation, path)
    assert step_in(path) == 3
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CaseError, match="cannot be read"):
        step_in(path)
