"""Kernels without optimisation, as tests compile them, give the bits of those that users run."""

from __future__ import annotations

import os
from functools import partial

import pytest
import small_flows
import small_oceans
import stencils
from apps.test_examples import CHOICES, EXAMPLES
from launch import python
from parallel import forests_on_ranks, refined_flows_on_ranks


def stencil(name):
    problem = stencils.make(name, "none", "float32")
    stencils.run(problem)
    return stencils.checksum(problem)


def small(module, name):
    return module.fingerprint(module.run(module.SETUPS[name])[0])


def printed(name):
    chosen = {"HALOCLINE_OPTIMISATION": os.environ.get("HALOCLINE_OPTIMISATION", "full")}
    done = python(EXAMPLES / name, *CHOICES[name][0], env=chosen)
    assert done.returncode == 0, done.stderr
    return done.stdout


PROGRAMS = {
    **{name: partial(stencil, name) for name in stencils.PROBLEMS},
    **{f"flow, {name}": partial(small, small_flows, name) for name in small_flows.SETUPS},
    **{f"ocean, {name}": partial(small, small_oceans, name) for name in small_oceans.SETUPS},
    **{f"forest, {name}": partial(forests_on_ranks.run, name) for name in ("default", "device")},
    **{
        f"refined flow, {name}": partial(refined_flows_on_ranks.digest_of, name)
        for name in refined_flows_on_ranks.FLOWS
    },
    **{name: partial(printed, name) for name in CHOICES},
}
# Of each kind one in 'make test', the others in 'make validate'.
QUICK = (
    "cavity 3-D",
    "noise 2-D",
    "forest, default",
    "life.py",
    next(name for name in PROGRAMS if name.startswith("flow, ")),
    next(name for name in PROGRAMS if name.startswith("ocean, ")),
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in PROGRAMS],
)
def test_both_give_the_same_bits(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    quick = PROGRAMS[name]()
    monkeypatch.delenv("HALOCLINE_OPTIMISATION")
    assert PROGRAMS[name]() == quick


def test_a_quick_program_of_each_kind_is_known():
    assert set(PROGRAMS) >= set(QUICK)
