"""Results kept on the objects that they belong to."""

import gc
import pickle
import weakref
from dataclasses import dataclass

import pytest

from halocline.frozen import Frozen
from halocline.memo import MemoSlot, memoised

computed: list[object] = []


@dataclass(frozen=True)
class Plain:
    base: int

    @memoised
    def plus(self, number: int, *, times: int = 1) -> int:
        computed.append((self.base, number, times))
        if number < 0:
            raise ValueError(number)
        return (self.base + number) * times

    @memoised
    def minus(self, number: int) -> int:
        computed.append((self.base, number))
        return self.base - number


class Slotted(Frozen, MemoSlot, weakref=True):
    base: int

    @memoised
    def plus(self, number: int) -> int:
        computed.append((self.base, number))
        return self.base + number


@pytest.fixture(autouse=True)
def nothing_computed():
    computed.clear()


@pytest.mark.parametrize("kind", [Plain, Slotted])
def test_a_result_is_computed_once_for_each_value_of_the_arguments(kind):
    one, other = kind(1), kind(1)
    assert [one.plus(2), one.plus(2), one.plus(3), other.plus(2)] == [3, 3, 4, 3]
    assert len(computed) == 3  # equal objects keep their own


def test_methods_and_named_arguments_do_not_share_results():
    one = Plain(5)
    assert [one.plus(1), one.minus(1), one.plus(1, times=2), one.plus(1, times=3)] == [6, 4, 12, 18]


def test_results_are_no_part_of_the_value():
    one = Plain(1)
    one.plus(2)
    assert one == Plain(1)
    assert hash(one) == hash(Plain(1))
    assert repr(one) == "Plain(base=1)"
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize("kind", [Plain, Slotted])
def test_results_die_with_their_object(kind):
    one = kind(1)
    one.plus(2)
    watched = weakref.ref(one)
    gc.disable()
    del one
    gc.enable()
    assert watched() is None


def test_an_exception_is_raised_again():
    one = Plain(1)
    for _ in range(2):
        with pytest.raises(ValueError, match="-1"):
            one.plus(-1)
    assert len(computed) == 2


def test_a_class_with_slots_and_no_room_is_refused():
    class Full:
        __slots__ = ()

        @memoised
        def plus(self, number):
            return number

    with pytest.raises(AttributeError, match="_memo"):
        Full().plus(1)
