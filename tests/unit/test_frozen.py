"""Values: what a class says about itself, and what its objects refuse."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from typing import TYPE_CHECKING

import pytest
from msgspec import NODEFAULT, field

import halocline as hc
from halocline.frozen import Frozen, defaults

if TYPE_CHECKING:
    from collections.abc import Sequence


class Shape(Frozen):
    corners: Sequence[int]
    name: str = ""
    marks: dict[str, int] = field(default_factory=dict)


class Placed(Shape, kw_only=True):
    at: tuple[float, float]


@dataclasses.dataclass
class Data:
    corners: int
    name: str = ""
    marks: dict[str, int] = dataclasses.field(default_factory=dict)


def test_a_signature_shows_types_that_only_a_type_checker_knows():
    shown = "(corners: 'Sequence[int]', name: 'str' = '', marks: 'dict[str, int]' = {}"
    assert str(inspect.signature(Shape)) == f"{shown})"
    assert str(inspect.signature(Placed)) == f"{shown}, *, at: 'tuple[float, float]')"


def test_every_public_name_that_can_be_called_has_a_signature():
    for name in hc.__all__:
        public = getattr(hc, name)
        if isinstance(public, type) and issubclass(public, Frozen):
            assert set(inspect.signature(public).parameters) == set(defaults(public)), name


def test_fields_cannot_be_set():
    with pytest.raises(AttributeError):
        Shape((1, 2)).name = "a"


def test_equal_values_are_equal_after_pickling_and_have_one_hash():
    one = Placed((1, 2), at=(0.0, 1.0), marks=())
    other = pickle.loads(pickle.dumps(one))
    assert other == one
    assert hash(other) == hash(one)


def test_each_object_has_a_default_of_its_own():
    Shape((1,)).marks["a"] = 1
    assert Shape((1,)).marks == {}


@pytest.mark.parametrize("kind", [Shape, Data])
def test_defaults_are_those_of_fields(kind):
    assert defaults(kind) == {"corners": NODEFAULT, "name": "", "marks": {}}
