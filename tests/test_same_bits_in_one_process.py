"""Blocks of one process give the bits of one block, for every program, decomposition, strategy.

The same cases run on ranks in 'tests/parallel', which then find all kernels compiled.
"""

from __future__ import annotations

import pytest
from parallel.cases import CASES
from parallel.expected import differing
from parallel.run_cases import result

from halocline.runtime.job import join


@pytest.mark.slow
def test_fields_and_reductions_have_the_bits_of_the_interpreter_on_one_block():
    found = {number: result(case, join()) for number, case in enumerate(CASES)}
    assert not (wrong := differing(found, 1)), wrong
