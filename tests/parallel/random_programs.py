"""Random programs on the ranks there are; every rank draws the same ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from property.features import features
from property.runs import RELAY, check, check_relay

from halocline.runtime.job import join

# Every so many programs, one is compiled.
COMPILED = 4


def occurred(first, last, leg=None, folder=None):
    """Return how often everything of the language and of strategies occurred in some programs.

    With a leg, programs are run piece by piece on other numbers of ranks each, RELAY, and this is
    one of the pieces: it goes on from checkpoints in a folder, and leaves others there.
    """
    ranks, count = join().size, Counter()
    for number in range(first, last):
        try:
            if leg is None:
                found = check(number, "numpy" if number % COMPILED else "c++", ranks)
            else:
                found = check_relay(number, leg, RELAY, Path(folder))
        except Exception as error:
            error.add_note(f"This is program {number}.")
            raise
        count.update(features(*found) if found else ())
    return count
