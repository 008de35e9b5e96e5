"""What is done on one rank for all."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from unit.runtime.ranks import on_ranks

from halocline.errors import MpiError, OutputError, PlanError
from halocline.runtime.collective import Collective
from halocline.runtime.ending import is_known
from halocline.runtime.job import join
from halocline.runtime.ranks import Ranks


def fail(error):
    raise error


def test_only_the_first_rank_acts():
    assert on_ranks(2, lambda job: job.on_first(lambda: job.rank + 7)) == [7, None]


def test_a_mistake_found_on_the_first_rank_is_raised_on_all():
    found = on_ranks(3, lambda job: job.on_first(lambda: fail(OutputError("Full.", hint="Tidy."))))
    assert [type(error) for error in found] == [OutputError] * 3
    assert {str(error) for error in found} == {"Full. Tidy."}


def test_a_bug_on_the_first_rank_is_told_to_the_others():
    first, second = on_ranks(2, lambda job: job.on_first(lambda: 1 / 0))
    assert isinstance(first, ZeroDivisionError)
    assert isinstance(second, MpiError)
    assert re.match(r"Rank 0 failed in on_first at .*: ZeroDivisionError: division by", str(second))


def test_values_are_shared():
    assert on_ranks(2, lambda job: job.everywhere(job.rank)) == [[0, 1]] * 2
    assert on_ranks(2, lambda job: job.first(job.rank or None)) == [1, 1]
    assert on_ranks(2, lambda job: job.greatest([job.rank, -job.rank])) == [[1, 0]] * 2
    assert on_ranks(2, lambda job: job.gather(job.rank)) == [[0, 1], None]


def test_who_fails_in_a_call_is_heard_in_any_meeting_of_the_others():
    def act(job):
        if job.rank == 1:
            with job.call("this"):
                raise PlanError("A block is too narrow.", place="here.py:3")
        with job.call("that"):
            job.everywhere(0)

    other, own = on_ranks(2, act)
    assert isinstance(own, PlanError)
    assert str(other) == (
        "Rank 1 failed in this at here.py:3: A block is too narrow. What all ranks do together "
        "cannot go on without it."
    )


def test_where_all_fail_each_raises_its_own():
    def act(job):
        with job.call("this"):
            raise ValueError(job.rank)

    found = on_ranks(3, act)
    assert [str(error) for error in found] == ["0", "1", "2"]
    assert all(is_known(error) for error in found)


def test_calls_within_calls_are_part_of_them():
    def act(job):
        with job.call("outer"), job.call("inner" if job.rank else "other"):
            return job.everywhere(0)

    assert on_ranks(2, act) == [[0, 0]] * 2


def test_different_calls_are_refused_with_their_ranks():
    def act(job):
        with job.call("this" if job.rank in (0, 2) else "that"):
            job.everywhere(0)

    found = on_ranks(3, act)
    text = (
        r"Ranks 0 and 2 called this at .*, while rank 1 called that at .*; expected the same call "
        r"on every rank\. It waits for all ranks: make it outside of conditions like 'rank == 0'\."
    )
    assert all(isinstance(error, MpiError) and re.fullmatch(text, str(error)) for error in found)


def test_many_ranks_are_counted():
    def act(job):
        job.collective.agree({"'dt'": "0.1" if job.rank == 3 else "0.2"})

    for error in on_ranks(7, act):
        assert str(error) == (
            "Ranks disagree on 'dt': 0.2 on ranks 0, 1, 2, 4 and 2 others, 0.1 on rank 3; expected "
            "the same on every rank."
        )


def test_long_facts_are_not_shown():
    error, _, _ = on_ranks(3, lambda job: job.collective.agree({"a kernel": "\n" * (job.rank > 0)}))
    assert str(error) == (
        "Ranks disagree on a kernel: that of ranks 1 and 2 differs from that of rank 0; expected "
        "the same on every rank."
    )


def test_a_function_of_the_user_makes_calls_of_its_own():
    def act(job):
        with job.call("run"):
            job.collective.call_of_user("act", lambda: job.rank or job.everywhere(0))

    first, second = on_ranks(2, act)
    text = (
        r"Rank 0 called everywhere at .*, while rank 1 has come to the end of the function 'act'; "
    )
    assert re.match(text, str(second))
    assert str(first) == str(second)


def test_a_single_process_meets_nobody():
    alone = Collective()
    with alone.call("this"):
        alone.meet("that")
    with pytest.raises(PlanError), alone.call("this"):
        alone.meet("that", failure=PlanError("No."))


def test_place_of_the_user_is_outside_of_the_package(tmp_path):
    script = tmp_path / "user.py"
    script.write_text(
        "from halocline.language.place import place_of, user_place\n"
        "import halocline as hc\n"
        "def check():\n"
        "    return user_place()\n"
        "print(check())\n"
        "try:\n"
        "    hc.Grid(0)\n"
        "except hc.errors.HaloclineError as error:\n"
        "    print(place_of(error.__traceback__))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"{script}:4", f"{script}:7"]


class Machines(Ranks):
    """Four ranks on some machines, seen from the first."""

    rank, size = 0, 4

    def __init__(self, machines):
        self.communicator = self
        self.collective = Collective(self)
        self.made = []
        self._machines = machines

    collective = None

    def machines(self):
        return self._machines, 1

    def transport(self, *arguments):
        self.made.append(arguments)

    def Iallgather(self, sent, received):
        received[:] = bytes(sent) * self.size
        return SimpleNamespace(Test=lambda: True)


def joining(machines, **options):
    """Return a job of four ranks on the machines given, and what its transport is made with."""
    ranks = Machines(machines)
    return join(ranks, **options), ranks.made[0]


def test_nodes_are_machines_or_as_declared_but_never_larger_than_a_machine():
    assert joining([0, 0, 2, 2])[0].nodes == (0, 0, 1, 1)
    assert joining([0, 0, 0, 0], ranks_per_node=3)[0].nodes == (0, 0, 0, 1)
    assert joining([0, 0, 2, 2], ranks_per_node=3)[0].nodes == (0, 0, 1, 2)
    found, _ = joining([0, 0, 0, 0], ranks_per_node=2)
    assert [found.is_near(rank) for rank in range(4)] == [True, True, False, False]
    assert found.ranks_on_node == 4


def test_the_transport_is_told_of_the_link():
    found, arguments = joining([0, 0, 0, 0], ranks_per_node=2, link="L=2,G=3")
    assert arguments == ((0, 0, 1, 1), 2.0, 3.0)
    assert found.link.latency_s == 2.0
    assert joining([0, 0, 0, 0])[1] == ((0, 0, 0, 0), 0.0, 0.0)


def test_a_link_is_not_emulated_between_machines():
    with pytest.raises(MpiError, match=r"'tcp-ip' was to be emulated, .* 2 machines; expected a"):
        joining([0, 0, 2, 2], link="tcp-ip")


def test_a_node_without_ranks_is_refused():
    with pytest.raises(
        PlanError, match=r"'ranks_per_node' was given 0; expected a whole number of at least 1"
    ):
        join(ranks_per_node=0)


def test_ranks_that_wait_long_look_less_often(monkeypatch):
    clock, naps = [0.0], []

    def sleep(seconds):
        naps.append(seconds)
        clock[0] += seconds

    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr("time.sleep", sleep)
    monkeypatch.setattr("os.sched_yield", lambda: sleep(1e-4))
    ranks = Machines([0, 0, 0, 0])
    ranks.collective = Collective(ranks)
    there = SimpleNamespace(Test=lambda: clock[0] > 10.0)
    monkeypatch.setattr(ranks, "Iallgather", lambda sent, to: fill(ranks, sent, to) or there)
    ranks.collective.meet("here")
    assert clock[0] <= 10.0 + 5e-3
    # Without longer and longer naps there would be 20,000.
    assert max(naps) == 5e-3
    assert len(naps) < 2200


def fill(ranks, sent, received):
    received[:] = bytes(sent) * ranks.size
