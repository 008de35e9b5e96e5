"""Oceans with coasts, drying and open boundaries have the same bits on any ranks."""

from __future__ import annotations

import pytest
from many_ranks import in_turn, mpi, virtual
from parallel.oceans_on_ranks import fingerprint_of, fingerprint_of_rest
from small_oceans import SETUPS, STEPS, WITH_TRACERS, fingerprint, run

from halocline.output import save

RANKS = (virtual(2), mpi(2), virtual(3))


@pytest.mark.parametrize(("ranks", "name"), in_turn(RANKS, SETUPS))
def test_oceans_have_the_bits_of_one_rank(ranks, name):
    assert ranks(fingerprint_of, name) == fingerprint(run(SETUPS[name])[0])


@pytest.mark.slow
def test_z_levels_with_tracers_go_on_with_the_same_bits_on_four_ranks_after_a_restart(tmp_path):
    path = str(tmp_path / "half.npz")
    save(run(WITH_TRACERS, steps=STEPS // 2)[1], path, {})
    assert virtual(4)(fingerprint_of_rest, path) == fingerprint(run(WITH_TRACERS)[0])
