"""The benchmark of D2Q9: the bare loop is verified, and its times stand beside ours."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.bench.d2q9 import BareLoop
from halocline.bench.settings import Settings
from halocline.cli.bench import run_bench
from halocline.errors import HaloclineError

TINY = Settings(repetitions=3, budget_s=1e-5, sizes=(20,), element_bytes=(8, 4))


def first_values(nx, ny, dtype):
    return np.random.default_rng(1).normal(0.0, 1e-3, (9, nx, ny)).astype(dtype)


def test_every_type_and_number_of_threads_stands_beside_the_bare_loop():
    rows = run_bench("d2q9", lambda _: None, TINY, "", "")
    assert {row["type"] for row in rows} == {"float64", "float32"}
    assert {row["threads"] for row in rows} >= {1}
    for row in rows:
        moved = 2 * 9 * 400 * (8 if row["type"] == "float64" else 4)
        assert row["GB/s"] == pytest.approx(moved / row["median [us]"] / 1e3)
        assert 0 < row["ratio min"] <= row["ratio"] <= row["ratio max"]
        assert 0 < row["bare min [us]"] <= row["bare median [us]"] <= row["bare max [us]"]


def test_a_bare_loop_that_comes_to_other_numbers_is_refused(monkeypatch):
    once = BareLoop.run
    monkeypatch.setattr(BareLoop, "run", lambda self, steps: once(self, steps + 1))
    with pytest.raises(HaloclineError, match="came to different numbers after"):
        run_bench("d2q9", lambda _: None, TINY, "", "")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("extent", [(7, 5), (16, 3), (33, 8)])
def test_the_bare_loop_is_the_same_on_any_threads(extent, dtype):
    values = first_values(*extent, dtype)
    found = []
    for threads in (1, 2, 3):
        with BareLoop(values, threads) as bare:
            assert np.array_equal(bare.populations(), values)
            assert bare.run(7) > 0.0
            found.append(bare.populations())
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert not np.array_equal(found[0], values)
