"""Links by name or number."""

import pytest

from halocline.errors import PlanError
from halocline.runtime.link import LINKS, Link, to_link


def test_links_are_found_by_name_or_made_of_numbers():
    assert to_link(None) is None
    assert to_link("gigabit-2011") is LINKS["gigabit-2011"]
    free = to_link("L=1e-5, G=1e-9")
    assert (free.latency_s, free.seconds_per_byte) == (1e-5, 1e-9)
    mine = Link("mine", 1.0, 0.0)
    assert to_link(mine) is mine


def test_gigabit_ethernet_of_paper_002_has_the_ping_and_the_bandwidth_given_there():
    link = LINKS["gigabit-2011"]
    assert link.latency_s == 0.13e-3
    assert 1 / link.seconds_per_byte == pytest.approx(1e9 / 8)
    assert str(link) == "gigabit-2011 (L = 1.3e-04 s, G = 8.0e-09 s)"


def test_every_preset_says_where_its_numbers_are_from():
    assert all(link.note for link in LINKS.values())
    assert all(name == link.name for name, link in LINKS.items())


def test_an_unknown_name_is_answered_with_the_choices():
    with pytest.raises(PlanError, match=r"'gigabit' is not known; expected one of: gigabit-2011"):
        to_link("gigabit")


@pytest.mark.parametrize("text", ["L=1e-5", "L=fast,G=1", "L=1,G=1,o=2", "L=1,,G=2"])
def test_numbers_that_cannot_be_read_are_refused(text):
    with pytest.raises(PlanError, match=r"cannot be read; expected latency and time per byte"):
        to_link(text)


@pytest.mark.parametrize("text", ["L=-1,G=0", "L=inf,G=0", "L=nan,G=0"])
def test_times_that_are_none_are_refused(text):
    with pytest.raises(PlanError, match=r"has L=.*; expected a time of zero or more"):
        to_link(text)
