"""Numbers that steps compute, and loops that go on until a condition holds."""

import pytest
from loops import PROBLEMS, STRATEGIES, differences

import halocline as hc


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_as_numpy_with_every_strategy_on_blocks(name, strategy):
    options = {"strategy": STRATEGIES[strategy], "decomposition": (2, 1), "blocks": 2}
    assert differences(name, **options) == []


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("options", [{"target": "numpy"}, {"device": "emulated:3"}, {}])
def test_the_same_as_numpy_on_every_target(name, options):
    assert differences(name, strategy=hc.Strategy(), **options) == []
