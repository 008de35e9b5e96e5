"""Random programs on random blocks give the bits of plain NumPy, with halos poisoned.

'make test' runs a sample in which everything occurs (sample.py), 'make validate' a campaign, here
and on ranks, with another seed each day:

    HALOCLINE_PROGRAMS=5000 HALOCLINE_SEED=1 .venv/bin/pytest \\
        tests/property/test_programs.py tests/parallel/test_random_programs.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from property.features import features
from property.runs import check, share
from property.sample import numbers_of
from property.wanted import IN_PROGRAMS, IN_WAYS


def run_many(numbers: Iterable[int], target: str) -> Counter[str]:
    """Run random programs and return how often everything occurred in those that ran."""
    found = [check(number, target) for number in numbers]
    return Counter(name for one in found if one for name in features(*one))


def test_programs_on_any_blocks_by_any_strategy_compute_what_numpy_does():
    missing = (IN_PROGRAMS | IN_WAYS) - set(run_many(numbers_of("numpy"), "numpy"))
    assert not missing, missing


def test_compiled_programs_compute_what_numpy_does():
    assert run_many(share("c++"), "c++")["target=c++"] > 0
