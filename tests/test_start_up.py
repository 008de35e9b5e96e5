"""How long a user waits for the first result."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent / "examples" / "heat_diffusion.py"


def seconds_of_processor(cache: Path) -> float:
    """Run the heat example; return the time it used, which other programs do not lengthen."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "HALOCLINE_CACHE": str(cache)}
    subprocess.run(
        [sys.executable, str(EXAMPLE), "32", "50"], check=True, capture_output=True, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.alone
def test_heat_example_takes_five_seconds_when_new_and_one_when_known(tmp_path):
    assert seconds_of_processor(tmp_path) < 5.0
    assert seconds_of_processor(tmp_path) < 1.0
