"""Random programs on random blocks give the bits of plain NumPy, with halos poisoned.

In 'make test' a fixed set. Many at once, here and on ranks; other ones each time with 'explore':

    HALOCLINE_PROGRAMS=5000 .venv/bin/pytest tests/property/test_programs.py \\
        tests/parallel/test_random_programs.py [--hypothesis-profile=explore]
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from property.features import IN_PROGRAMS, IN_WAYS, features
from property.runs import check, share

FOLDER = Path(__file__).parent.parent


def run_many(count: int, target: str) -> Counter[str]:
    """Run random programs and return how often everything occurred in those that ran."""
    occurred: Counter[str] = Counter()

    @settings(max_examples=count)
    @given(st.randoms(use_true_random=False))
    def each(random):
        found = check(random, target=target)
        assume(found is not None)
        occurred.update(features(*found))

    each()
    return occurred


def test_programs_on_any_blocks_by_any_strategy_compute_what_numpy_does():
    occurred = run_many(share("numpy"), "numpy")
    missing = (IN_PROGRAMS | IN_WAYS) - set(occurred)
    assert not missing, missing


def test_compiled_programs_compute_what_numpy_does():
    assert run_many(share("c++"), "c++")["target=c++"] > 0


@pytest.mark.parametrize("module", ["oracle", "draw"])
def test_what_a_program_means_is_found_without_halocline(module):
    code = f"import sys, property.{module}; sys.exit('halocline' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=FOLDER, check=False)
    assert done.returncode == 0
