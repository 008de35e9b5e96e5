"""The recorder: stops where something is due, changes nothing, survives what is not written."""

from __future__ import annotations

import pytest
from waves import bits, waves

import halocline as hc
from halocline.errors import OutputError
from halocline.io.recorder import Recorder


class Notes:
    """An output that remembers when it was written, and fails at some steps."""

    def __init__(self, name, interval, *, fails_at=(), shows_quantities=True, keeps_last=False):
        self.name, self.interval, self.fails_at = name, interval, fails_at
        self.shows_quantities, self.keeps_last = shows_quantities, keeps_last
        self.written = []

    def write(self, step, time):
        if step in self.fails_at:
            raise OutputError(f"Could not write '{self.name}': full.")
        self.written.append((step, time))


def steps_of(output):
    return [step for step, _ in output.written]


def test_each_output_is_written_at_its_own_interval_however_the_steps_are_asked_for():
    a, b = Notes("a", 3), Notes("b", 4)
    recorder = Recorder(waves().simulation, [a, b])
    for steps in (0, 1, 7, 4, 1):
        recorder.run(steps, progress=False)
    assert recorder.step == 13
    assert steps_of(a) == [0, 3, 6, 9, 12]
    assert b.written == [(0, 0.0), (4, 2.0), (8, 4.0), (12, 6.0)]


def test_a_run_that_goes_on_does_not_write_its_first_state_again():
    made, notes = waves(), Notes("a", 2)
    made.simulation.run(4, progress=False)
    Recorder(made.simulation, [notes], is_new=False).run(3, progress=False)
    assert steps_of(notes) == [6]


def test_the_first_state_is_stored_when_it_is_written_without_anything_to_refresh():
    made = waves()
    seen = []

    class Reads(Notes):
        def write(self, step, time):
            seen.append(made.a.gather())

    Recorder(made.simulation, [Reads("a", 2)]).run(2, progress=False)
    assert len(seen) == 2


def test_what_outputs_read_is_refreshed_before_they_are_written():
    made = waves()
    seen = []
    mass = made.mass

    class Reads(Notes):
        def write(self, step, time):
            seen.append(mass.value)

    recorder = Recorder(made.simulation, [Reads("a", 2)], [mass.reduction])
    recorder.run(4, progress=False)
    assert seen[-1] == pytest.approx(0.25 * made.a.gather()[0].sum(), rel=1e-12)
    assert len(set(seen)) == 3


def test_nothing_is_refreshed_for_outputs_that_show_nothing():
    made = waves()
    output = Notes("a", 2, shows_quantities=False)
    Recorder(made.simulation, [output], [made.mass.reduction]).run(4, progress=False)
    assert made.mass.value != made.mass.value


def test_the_bits_do_not_depend_on_whether_something_is_written():
    with_output, without = waves(), waves()
    Recorder(with_output.simulation, [Notes("a", 2)], [with_output.mass.reduction]).run(9)
    without.simulation.run(9, progress=False)
    assert bits(with_output) == bits(without)


def test_what_cannot_be_written_is_told_once_tried_again_and_raised_at_the_end():
    said = []
    bad, good = Notes("bad", 1, fails_at=(1, 2)), Notes("good", 2)
    recorder = Recorder(waves().simulation, [bad, good], say=said.append)
    recorder.run(4, progress=False)
    assert recorder.step == 4
    assert said == ["warning: step 1: Could not write 'bad': full. The run goes on."]
    assert steps_of(bad) == [0, 3, 4]
    with pytest.raises(OutputError, match=r"full\. Not written: bad\. Written: good\."):
        recorder.close()


def test_a_later_success_makes_up_for_a_failure_where_only_the_last_is_kept():
    said = []
    outputs = [
        Notes("mended", 1, fails_at=(1, 3), keeps_last=True),
        Notes("lost", 1, fails_at=(2, 4), keeps_last=True),
        Notes("series", 1, fails_at=(1,)),
    ]
    recorder = Recorder(waves().simulation, outputs, say=said.append)
    recorder.run(4, progress=False)
    steps = ((1, "mended"), (1, "series"), (2, "lost"), (3, "mended"), (4, "lost"))
    assert said == [
        f"warning: step {n}: Could not write '{name}': full. The run goes on." for n, name in steps
    ]
    with pytest.raises(OutputError, match=r"Not written: lost, series\. Written: mended\."):
        recorder.close()


def test_everything_else_is_the_simulations():
    made = waves()
    recorder = Recorder(made.simulation, [])
    recorder.run(2, progress=False)
    assert (recorder.rank, recorder.size, recorder.step) == (0, 1, 2)
    assert recorder.reduce(hc.max(made.sum)) == made.sum.gather().max()
