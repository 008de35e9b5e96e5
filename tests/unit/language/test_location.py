"""Locations: texts that know across which axes values lie on faces."""

from __future__ import annotations

import pytest

import halocline as hc
from halocline.language.spaces.location import Location


@pytest.mark.parametrize("location", Location)
def test_a_location_is_found_by_its_faces_and_is_the_text_that_users_write(location):
    assert Location.on_faces(reversed(location.faces)) is location
    assert Location(str(location)) is location
    assert f"{location}" == location.value
    for axis in range(3):
        assert location.without(axis).faces == tuple(a for a in location.faces if a != axis)
        assert location.offset(axis) == (0.0 if location.is_on_faces(axis) else 0.5)


def test_where_an_axis_does_not_close_there_is_a_face_more_than_there_are_cells():
    edges = hc.Grid((4, 5), periodic=(True, False)).field("w", location="xy_edge")
    assert edges.space.shape == (4, 6)
    assert edges.location == "xy_edge"
