"""The list of seeded faults fits the source; 'run.py' checks that the tests catch them."""

from __future__ import annotations

import pytest
from seeded_faults.run import ROOT, Fault, read_faults

FAULTS = read_faults()


def test_there_are_at_least_twenty():
    assert len(FAULTS) >= 20


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_changes_one_place_of_its_file(fault):
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    assert fault.applied(text) != text
    assert fault.wrong.endswith(".")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_tests_of_a_fault_exist(fault):
    first, *_ = fault.tests
    if fault.is_compiled and first.startswith("--gtest_filter="):
        return
    assert (ROOT / first.split("::")[0]).exists()


@pytest.mark.parametrize("times", [0, 2])
def test_a_stale_fault_is_refused(times):
    fault = Fault("halo", "The halo is too narrow.", "plan.py", "a + 1", "a", ())
    with pytest.raises(ValueError, match=rf"'halo' is stale: its old text occurs {times} times"):
        fault.applied("b = a + 1\n" * times)
