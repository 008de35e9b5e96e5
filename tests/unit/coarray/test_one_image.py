"""Coarrays of a single image: reading and writing as NumPy does, and every message."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import halocline as hc
from halocline import coarray as ca
from halocline.coarray.array import FarPart
from halocline.errors import CoarrayError, HaloclineError

SHAPES = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
DTYPES = st.sampled_from(["f8", "f4", "f2", "i8", "u1", "?", "c16", "S3", "U2", "M8[s]", "i4, f8"])


def refused(message: str):
    return pytest.raises(CoarrayError, match=re.escape(message))


def test_it_is_part_of_the_package():
    assert hc.coarray is ca
    assert (ca.this_image(), ca.num_images(), ca.team_number()) == (1, 1, -1)
    assert (ca.failed_images(), ca.stopped_images(), ca.image_status(1)) == ([], [], "running")


def test_an_import_of_the_package_alone_makes_no_image():
    code = "import sys, halocline; print('halocline.coarray' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    with pytest.raises(AttributeError, match="module 'halocline' has no attribute 'corray'"):
        _ = hc.corray


@settings(max_examples=100)
@given(st.data(), SHAPES, DTYPES)
def test_sections_are_those_of_numpy(data, shape, dtype):
    index = data.draw(npst.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    model = np.zeros(shape, dtype)
    with ca.allocate(shape, dtype) as a:
        values = data.draw(npst.arrays(np.uint8, model[index].shape)).astype(dtype)
        model[index] = values
        a[1][index] = values
        assert np.array_equal(a.here, model)
        got = a[1][index]
        assert type(got) is type(model[index])
        assert np.array_equal(got, model[index])


INDICES = [
    0,
    -2,
    (1, 2),
    (np.int64(1), -1),
    (..., 1),
    (1, None, slice(None, None, -2)),
    [0, 2, 0],
    ([0, 2], [3, 1]),
    (slice(1, None), [1, 1, 3]),
    np.arange(12).reshape(3, 4) % 5 == 0,
    (np.array(1), 2),
    (slice(3, 1), [0, 1]),
    (),
]


@pytest.mark.parametrize("dtype", ["f4", "i1, f8", "U2"])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_sections_of_other_nodes_are_those_of_numpy(index, dtype):
    model = np.arange(12).reshape(3, 4).astype(dtype)
    with ca.allocate(model.shape, dtype) as a:
        far = FarPart(a, 0)
        far[...] = model
        assert np.array_equal(np.asarray(far), model)
        assert type(far[index]) is type(model[index])
        assert np.array_equal(far[index], model[index])
        several = np.arange(50, 50 + model[index].size).reshape(model[index].shape).astype(dtype)
        for values in (several, model[2, 3]):
            model[index] = values
            far[index] = values
            assert np.array_equal(a.here, model)


def test_fields_of_records_are_those_of_numpy():
    model = np.arange(12).reshape(3, 4).astype("i1, f8, f4")
    with ca.allocate(model.shape, model.dtype) as a:
        for part in (a[1], FarPart(a, 0)):
            part[...] = model
            for index in ("f1", ["f0", "f2"]):
                assert np.array_equal(part[index], model[index])
                model[index] = model[index][::-1].copy()
                part[index] = model[index]
                assert np.array_equal(a.here, model)


def test_what_is_read_is_a_copy():
    with ca.allocate((3, 4)) as a:
        for got in (a[1][1:], a[1][[0, 2]], a[1][...], np.asarray(a[1]), np.array(a[1], copy=True)):
            got[...] = 1.0
        assert not a.here.any()
        assert np.asarray(a[1], dtype="f4").dtype == np.float32
        with pytest.raises(ValueError, match="always copied"):
            np.array(a[1], copy=False)
        assert (len(a[1]), a[1].shape, a[1].dtype) == (3, (3, 4), np.float64)


def test_values_are_broadcast_and_cast_as_numpy_does_with_same_kind():
    with ca.allocate((2, 3), "f4") as a, ca.allocate(3, "u1") as b:
        a[1][:] = np.array([[1.5], [2.5]])
        assert a.here.tolist() == [[1.5] * 3, [2.5] * 3]
        a[1][0] = 7
        b[1][:] = 200
        b[1][1] = True
        b[1][[0, 2]] = np.uint64(3)
        assert b.here.tolist() == [3, 1, 3]
        with pytest.raises(TypeError, match="float64 cannot be assigned to elements of uint8"):
            b[1][0] = 1.0
        with pytest.raises(TypeError, match="complex64 cannot be assigned to elements of float32"):
            a[1][:] = np.ones(3, "c8")
        with pytest.raises(OverflowError):
            b[1][0] = 256
        with pytest.raises(ValueError, match="could not broadcast"):
            a[1][:] = [1, 2]
        with pytest.raises(IndexError):
            a[1][5]


def test_freed_coarrays_are_not_used():
    with ca.allocate(2, int) as a:
        part = a[1]
    freed = "The coarray (int64 with shape (2,)) was freed."
    for use in (
        lambda: a.here,
        lambda: a[1],
        a.free,
        lambda: part[0],
        lambda: part.__setitem__(0, 1),
        lambda: part.atomic_add(0, 1),
        lambda: np.asarray(part),
    ):
        with refused(freed):
            use()
    event = ca.Event()
    event.free()
    with refused("The coarray (events with shape ()) was freed."):
        event.wait()


def test_memory_is_zero_again_and_comes_back():
    addresses = set()
    for _ in range(5):
        with ca.allocate(1000) as a:
            assert not a.here.any()
            a.here[:] = 1.0
            addresses.add(a.here.ctypes.data)
    assert len(addresses) == 1


@pytest.mark.parametrize("image", [0, 2, -1])
def test_images_that_do_not_exist(image):
    message = f"There is no image {image}: images are numbered from 1 to 1."
    a, event, lock = ca.allocate(1), ca.Event(), ca.Lock()
    for use in (
        lambda: a[image],
        event[image].post,
        lock[image].acquire,
        lambda: ca.sync_images(image),
        lambda: ca.image_status(image),
        lambda: ca.co_sum(1, image),
        lambda: ca.co_broadcast(1, image),
    ):
        with pytest.raises(CoarrayError, match=f"There is no image {image}: images are numbered"):
            use()
    with refused(message):
        a[image]
    with refused("sync_images names image 1 twice."):
        ca.sync_images([1, 1])
    for one in (a, event, lock):
        one.free()


def test_what_cannot_be_allocated():
    with refused("'(2, -1)' is no shape"):
        ca.allocate((2, -1))
    with refused("A coarray cannot have elements of 'object'"):
        ca.allocate(2, object)
    with pytest.raises(
        CoarrayError, match=r"There is no memory for a coarray of 8\d+ bytes: of the"
    ):
        ca.allocate(10**15)


def test_atomic_operations_are_for_single_integers():
    with ca.allocate((2, 2), "i4") as a, ca.allocate(2) as b:
        assert [a[1].atomic_add((0, 1), 2**31 - 1), a[1].atomic_add((0, -1), 1)] == [0, 2**31 - 1]
        assert a[1].atomic_read((0, 1)) == -(2**31)
        with refused("The index 0 chooses 2 elements of the coarray"):
            a[1].atomic_read(0)
        with refused("The index ([0], [1]) chooses 1 elements"):
            a[1].atomic_read(([0], [1]))
        with refused("Atomic operations are for coarrays of int32 and int64, not of float64."):
            b[1].atomic_add(0, 1)
        with pytest.raises(OverflowError):
            a[1].atomic_write((0, 0), 2**31)


def test_events_and_locks():
    event, lock = ca.Event(2), ca.Lock()
    event[1][1].post()
    assert (event.query(1), event.query(0)) == (1, 0)
    event.wait(index=1)
    with pytest.raises(
        ca.StoppedImageError, match=r"Waiting for an event needs an image that has stopped"
    ):
        event.wait(index=0)
    with refused("The index () chooses none of the events with shape (2,)"):
        event[1].post()
    with refused("The index 2 chooses none of the events"):
        event[1][2].post()
    with lock[1]:
        with refused("This image holds the lock already."):
            lock[1].acquire()
        with refused("This image holds the lock already."):
            lock[1].try_acquire()
    with refused("The lock cannot be released: nobody holds it."):
        lock[1].release()
    event.free()
    lock.free()


def test_what_has_no_sum():
    for values in (True, np.float16(1), np.array(["a"]), np.ones(2, object), [1, 2]):
        with pytest.raises(CoarrayError, match="'co_sum' cannot be done with values of '"):
            ca.co_sum(values)
    with refused("'co_min' cannot be done with values of 'complex128'."):
        ca.co_min(1j)
    constant = np.ones(3)
    constant.flags.writeable = False
    with refused("'co_sum' was given an array that cannot be written to."):
        ca.co_sum(constant)


def test_teams():
    with refused("A team cannot have the number 0: numbers of teams are positive."):
        ca.form_team(0)
    outer, other = ca.form_team(3), ca.form_team(4)
    with outer:
        assert ca.team_number() == outer.number == 3
        with refused("The team was not formed by the current team."), other:
            pass
    with pytest.raises(ZeroDivisionError), outer:
        _ = 1 / 0
    assert ca.team_number() == -1


def test_errors_are_those_of_the_package():
    assert issubclass(ca.FailedImageError, CoarrayError)
    assert issubclass(ca.StoppedImageError, CoarrayError)
    assert issubclass(CoarrayError, HaloclineError)


def test_an_exception_of_one_image_ends_it_as_ever():
    code = "from halocline import coarray\nraise ValueError('cold')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("ValueError: cold\n")
