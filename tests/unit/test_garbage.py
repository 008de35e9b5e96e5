"""Work without the search for unused cycles of objects."""

import gc

import pytest

from halocline.garbage import no_search_for_cycles


@no_search_for_cycles()
def is_searched() -> bool:
    return gc.isenabled()


def test_nothing_is_searched_within_and_all_is_as_before_afterwards() -> None:
    assert not is_searched()
    assert gc.isenabled()


def test_search_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"), no_search_for_cycles():
        raise ValueError("broken")
    assert gc.isenabled()


def test_search_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        assert not is_searched()
        assert not gc.isenabled()
    finally:
        gc.enable()
