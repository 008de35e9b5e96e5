"""Random programs on the ranks there are; every rank draws the same ones."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from property.features import features
from property.runs import RELAY, check, check_relay

from halocline.runtime.job import join

# Every so many programs, one is compiled.
COMPILED = 4


def occurred(numbers, leg=None, folder=None):
    """Return how often everything of the language and of strategies occurred in some programs.

    With a leg, programs are run piece by piece on other numbers of ranks each, RELAY, and this is
    one of the pieces: it goes on from checkpoints in a folder, and leaves others there.
    """
    ranks, count = join().size, Counter()
    for number in numbers:
        try:
            if leg is None:
                found = check(number, target_of(number), ranks)
            else:
                found = check_relay(number, leg, RELAY, Path(folder))
        except Exception as error:
            error.add_note(f"This is program {number}.")
            raise
        count.update(features(*found) if found else ())
    return count


def tried(numbers, target=""):
    """Return for each of some programs what it takes, and what occurs in it."""
    ranks, result = join().size, []
    for number in numbers:
        start = time.process_time()
        found = check(number, target or target_of(number), ranks)
        took = time.process_time() - start
        result.append([number, took, sorted(features(*found)) if found else []])
    return result


def target_of(number):
    """Return the target of a program."""
    return "numpy" if number % COMPILED else "c++"
