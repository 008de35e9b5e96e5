"""The tables of velocity sets have the moments that the physics needs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from halocline.apps.lbm.lattice.velocity_set import NAMES, read_table
from halocline.errors import CaseError
from halocline.lbm import velocity_set


@pytest.mark.parametrize("name", NAMES)
def test_moments_up_to_the_fourth_are_isotropic(name):
    lattice = velocity_set(name)
    c, w = np.array(lattice.velocities), np.array(lattice.weights)
    d = lattice.dimensions
    delta = np.eye(d)
    assert w.sum() == pytest.approx(1.0, abs=1e-15)
    assert np.abs(np.einsum("i,ia", w, c)).max() < 1e-16
    assert np.abs(np.einsum("i,ia,ib", w, c, c) - delta / 3).max() < 1e-15
    assert np.abs(np.einsum("i,ia,ib,ic", w, c, c, c)).max() < 1e-16
    fourth = np.einsum("i,ia,ib,ic,id->abcd", w, c, c, c, c)
    pairs = ("ab,cd->abcd", "ac,bd->abcd", "ad,bc->abcd")
    expected = sum(np.einsum(pair, delta, delta) for pair in pairs) / 9
    assert np.abs(fourth - expected).max() < 1e-15


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_exact_fractions_that_add_up_to_one(name):
    rows = read_table(f"lattice_{name.lower()}.csv")
    assert sum(Fraction(int(row["w_num"]), int(row["w_den"])) for row in rows) == 1


@pytest.mark.parametrize("name", NAMES)
def test_opposites_have_opposite_velocities_and_equal_weights(name):
    lattice = velocity_set(name)
    for i, o in enumerate(lattice.opposites):
        assert lattice.velocities[o] == tuple(-c for c in lattice.velocities[i])
        assert lattice.weights[o] == lattice.weights[i]
        assert lattice.opposites[o] == i
    assert len(lattice.pairs) == len(lattice) // 2


@pytest.mark.parametrize(
    ("name", "crossing"), [("D2Q9", 3), ("D3Q15", 5), ("D3Q19", 5), ("D3Q27", 9)]
)
def test_as_many_populations_cross_a_side_as_published(name, crossing):
    lattice = velocity_set(name)
    for axis, sign in product(range(lattice.dimensions), (-1, 1)):
        assert len(lattice.towards(axis, sign)) == crossing


def test_an_unknown_velocity_set_is_refused_with_the_nearest_known_one():
    with pytest.raises(CaseError, match=r"no velocity set 'D3Q18'\. Did you mean 'D3Q1[59]'\?"):
        velocity_set("D3Q18")
