"""The stored combinations of choices are those of the generator, and cover every pair."""

from parallel.cases import COVERING, pairs, pairs_of, pairwise_covering


def test_stored_combinations_are_those_of_the_generator():
    assert pairwise_covering() == COVERING


def test_stored_combinations_cover_every_pair():
    assert not (pairs() - set().union(*map(pairs_of, COVERING)))
