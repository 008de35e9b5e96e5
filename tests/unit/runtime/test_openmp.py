"""How many threads a rank has, and how they wait."""

import os
import re
import subprocess
import sys

import pytest
from errors.telling import message_of

import halocline as hc
from halocline.errors import PlanError
from halocline.runtime import openmp
from halocline.runtime.openmp import threads_of_rank

OURS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS", "OMP_PROC_BIND")


RUNTIME = "from halocline.runtime import _core; _core.ABI"
KERNELS = """
from types import SimpleNamespace
from halocline.jit.build import build
text = '''#include "kernel_abi.h"
#include <omp.h>
extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
int32_t threads() { return omp_get_max_threads(); }
}
'''
build(SimpleNamespace(text=text, entries=("threads",), language="c++"))
"""


def loaded(code="", begin=RUNTIME, **chosen):
    """Return what a new process prints that loads the runtime, and what OpenMP says it found."""
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import os, halocline as hc\n{begin}\n{code}",
        ],
        env={**environment, "OMP_DISPLAY_ENV": "verbose", **chosen},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip(), dict(re.findall(r"(\w+) = '(\w*)'", done.stderr))


@pytest.mark.parametrize("begin", [RUNTIME, KERNELS], ids=["runtime", "kernels"])
def test_waiting_threads_look_briefly_and_then_sleep(begin):
    printed, found = loaded("print('GOMP_SPINCOUNT' in os.environ)", begin)
    assert found["GOMP_SPINCOUNT"] == "5000"
    # Programs that are started later choose for themselves.
    assert printed == "False"


@pytest.mark.parametrize(
    ("chosen", "looks"),
    [({"OMP_WAIT_POLICY": "passive"}, "0"), ({"GOMP_SPINCOUNT": "77"}, "77")],
)
def test_how_the_user_lets_threads_wait_counts(chosen, looks):
    assert loaded(**chosen)[1]["GOMP_SPINCOUNT"] == looks


def test_threads_bound_to_cores_are_as_many_as_cores():
    code = "print(hc.Simulation(hc.Grid((4,)), [print]).threads)"
    assert loaded(code, OMP_PROC_BIND="true")[0] == str(len(os.sched_getaffinity(0)))


def test_threads_are_those_given_or_of_the_environment_or_a_share_of_the_cores(monkeypatch):
    monkeypatch.setattr(openmp, "CORES", frozenset(range(12)))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [threads_of_rank(None, ranks) for ranks in (1, 3, 20)] == [12, 4, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert threads_of_rank(None, 3) == 5
    assert threads_of_rank(2, 3) == 2


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_threads_that_are_no_positive_whole_number_are_refused(threads):
    with pytest.raises(PlanError) as caught:
        hc.Simulation(hc.Grid((4,)), [print], threads=threads)
    assert message_of(caught.value) == (
        f"'threads' was given {threads!r}; expected a whole number of at least 1."
    )


@pytest.mark.parametrize("told", ["0", "'many'"])
def test_a_number_of_threads_in_the_environment_that_is_none_is_refused(told, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", told.strip("'"))
    with pytest.raises(PlanError) as caught:
        hc.Simulation(hc.Grid((4,)), [print])
    assert message_of(caught.value) == (
        f"The environment variable OMP_NUM_THREADS was given {told}; expected a whole number of at "
        "least 1."
    )
