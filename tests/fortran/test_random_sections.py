"""Random sections between random images end where one process that holds all images puts them."""

from __future__ import annotations

import pytest
import random_components
import random_sections
from caf_commands import run


@pytest.mark.parametrize(("seed", "images"), [(k, 1 + k % 5) for k in range(20)])
def test_random_sections_arrive_as_in_one_process(built, tmp_path, seed, images):
    source = tmp_path / f"random_{seed}.f90"
    source.write_text(random_sections.generate(seed, images))
    ended = run(built(source), images)
    assert (ended.returncode, ended.stdout) == (0, "ok\n"), ended.stdout + ended.stderr


@pytest.mark.parametrize(("seed", "images"), [(k, 1 + k % 4) for k in range(12)])
def test_random_components_arrive_as_in_one_process(built, tmp_path, seed, images):
    source = tmp_path / f"components_{seed}.f90"
    source.write_text(random_components.generate(seed, images))
    ended = run(built(source), images)
    assert (ended.returncode, ended.stdout) == (0, "ok\n"), ended.stdout + ended.stderr
