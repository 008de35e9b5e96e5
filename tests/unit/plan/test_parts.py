"""Parts of messages in columns."""

from __future__ import annotations

from random import Random

import pytest

from halocline.geometry import Box, codimension
from halocline.plan.value.parts import Part, Parts, joined_parts


def some_part(random: Random) -> Part:
    lower = random.randint(0, 2), random.randint(0, 2)
    return Part(
        random.choice("ab"),
        random.randint(0, 1),
        random.randint(0, 2),
        random.randint(0, 2),
        random.choice([(-1, 0), (1, 0), (1, 1), (0, -1)]),
        Box(lower, tuple(n + random.randint(1, 2) for n in lower)),
        random.choice([(0, 0), (8, 0)]),
    )


@pytest.fixture
def some_parts():
    random = Random(4)
    return [some_part(random) for _ in range(300)]


def place(part):
    return (
        *(part.field, part.component, part.source, part.target),
        *(part.direction, part.box, part.shift),
    )


def test_columns_hold_what_each_part_says(some_parts):
    found = Parts.of(some_parts)
    assert len(found) == 300
    assert list(found) == some_parts
    assert (found[7], found[-1]) == (some_parts[7], some_parts[-1])
    assert list(found[3:9]) == some_parts[3:9]
    with pytest.raises(IndexError):
        found[300]


def test_in_order_each_stands_once_by_its_attributes(some_parts):
    twice = joined_parts([Parts.of(some_parts), Parts.of(some_parts)])
    assert list(twice.in_order()) == sorted(set(some_parts), key=place)


def test_in_a_message_sides_come_before_edges(some_parts):
    def packed(part):
        return part.target, codimension(part.direction), part.direction, place(part)

    assert list(Parts.of(some_parts).as_packed()) == sorted(some_parts, key=packed)


def test_other_fields_have_the_same_parts(some_parts):
    renamed = Parts.of(some_parts).renamed({"a": "b", "b": "a"})
    assert [part.field for part in renamed] == ["ba"["ab".index(p.field)] for p in some_parts]


def test_the_cells_of_a_source_lie_where_it_sees_them(some_parts):
    found = Parts.of(some_parts).source_box.every()
    assert found == [part.source_box for part in some_parts]


def test_parts_are_equal_if_each_is(some_parts):
    one, other = Parts.of(some_parts), Parts.of(some_parts)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Parts.of(some_parts[1:])
    assert Parts.of([]) == Parts.of([])
