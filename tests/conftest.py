"""Settings of all tests; also makes the helper modules in this folder importable."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# Random kernels would fill the user's own cache; threads that spin would starve other ranks.
os.environ.setdefault("HALOCLINE_CACHE", str(Path(__file__).parent.parent / "build/test-cache"))
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# Unoptimised kernels give the same bits and compile several times faster; see 'optimised_kernels'.
os.environ.setdefault("HALOCLINE_OPTIMISATION", "none")
# Plans are many small objects that stay: to look so often for garbage among them as by default
# takes a seventh of the time of tests.
gc.set_threshold(100_000)

pytest_plugins = ("suite_report", "durations")

settings.register_profile(
    "halocline",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# For a quick look at many examples: pytest --hypothesis-profile=explore
settings.register_profile(
    "explore",
    settings.get_profile("halocline"),
    derandomize=False,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("halocline")


@pytest.fixture
def optimised_kernels(monkeypatch):
    """Compile kernels as for users: for tests of code generation, vectorisation and speed."""
    monkeypatch.delenv("HALOCLINE_OPTIMISATION")


@pytest.fixture(scope="module")
def optimised_module():
    """Compile the kernels of a whole module as for users, those of its own fixtures included."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("HALOCLINE_OPTIMISATION")
        yield
