"""Everything that images do with coarrays, against NumPy.

halocline caf run -n N python model_on_images.py
"""

from __future__ import annotations

import operator
from functools import reduce

import numpy as np

from halocline import coarray as ca

ME, IMAGES = ca.this_image(), ca.num_images()
ALL = range(1, IMAGES + 1)
NEXT, PREVIOUS = ME % IMAGES + 1, (ME - 2) % IMAGES + 1
NEIGHBOURS = sorted({NEXT, PREVIOUS} - {ME})


def put_and_get() -> None:
    with ca.allocate((4, 8)) as a:
        assert np.all(a.here == 0)
        a.here[:] = ME
        ca.sync_all()
        assert np.all(a[NEXT][1:3, ::2] == NEXT)
        ca.sync_all()
        a[NEXT][1:3, ::2] = np.arange(4)
        ca.sync_all()
        assert np.all(a.here[1:3, ::2] == np.arange(4))
        assert np.asarray(a[np.int64(PREVIOUS)]).sum() == 12 + 24 * PREVIOUS


def random_index(random: np.random.Generator, extent: int):
    if random.integers(4) == 0:
        return int(random.integers(-extent, extent))
    first, last = random.integers(-extent - 1, extent + 2, size=2)
    return slice(int(first), int(last), int(random.choice([-3, -2, -1, 1, 2, 3])))


def random_sections() -> None:
    """In turn each image writes to a random one; all know what must come of it."""
    random = np.random.default_rng(IMAGES)
    for dtype in ("f8", "i4", "c8", "u1"):
        shape = tuple(int(n) for n in random.integers(1, 6, size=random.integers(1, 4)))
        model = np.zeros((IMAGES, *shape), dtype)
        with ca.allocate(shape, dtype) as a:
            for _ in range(20):
                source, target = random.integers(1, IMAGES + 1, size=2)
                index = [random_index(random, n) for n in shape]
                if random.integers(3) == 0:
                    axis = random.integers(len(shape))
                    index[axis] = random.permutation(shape[axis])[:2]
                index = tuple(index)
                values = random.integers(0, 100, size=model[0][index].shape).astype(dtype)
                model[target - 1][index] = values
                if source == ME:
                    a[target][index] = values
                ca.sync_all()
                assert np.array_equal(a[target][index], model[target - 1][index])
                ca.sync_all()
            assert np.array_equal(a.here, model[ME - 1])


def events_and_locks() -> None:
    posted, several = ca.Event(), ca.Event((2, 3))
    for _ in ALL:
        posted[NEXT].post()
    posted.wait(IMAGES)
    assert posted.query() == 0
    several[NEXT][1, -1].post()
    several.wait(index=(1, 2))
    lock, count = ca.Lock(), ca.allocate(2, np.int64)
    for _ in range(50):
        with lock[1]:
            count[1][0] = count[1][0] + 1
    if lock[1].try_acquire():
        lock[1].release()
    ca.sync_all()
    assert count[1][0] == 50 * IMAGES
    for one in (posted, several, lock, count):
        one.free()


def atomics() -> None:
    for dtype in (np.int32, np.int64):
        with ca.allocate((2, 3), dtype) as a:
            before = [a[1].atomic_add((1, 2), 1) for _ in range(100)]
            assert before == sorted(set(before))
            a[1].atomic_or((0, 0), 1 << ME)
            won = a[1].atomic_cas((0, 1), 0, ME) == 0
            ca.sync_all()
            assert a[1].atomic_read((1, -1)) == 100 * IMAGES
            assert a[1].atomic_read((0, 0)) == sum(1 << image for image in ALL)
            assert won == (a[1][0, 1] == ME)
            ca.sync_all()
            if ME == 1:
                a[IMAGES].atomic_write((0, 2), -7)
                assert a[IMAGES].atomic_and((0, 2), 15) == -7
                assert a[IMAGES].atomic_xor((0, 2), 1) == 9
                assert a[IMAGES].atomic_read((0, 2)) == 8


def collectives() -> None:
    random = np.random.default_rng(5)
    for dtype in (
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f4",
        "f8",
        "g",
        "c8",
        "c16",
        "G",
    ):
        shares = random.integers(-100, 100, size=(IMAGES, 4, 5)).astype(dtype)
        # A section with gaps, and one whose axes are exchanged.
        whole = np.zeros((8, 5), dtype)
        mine = whole[::2].T
        mine[:] = shares[ME - 1].T
        assert ca.co_sum(mine) is mine
        assert np.array_equal(mine.T, reduce(operator.add, shares))
        assert not whole[1::2].any()
        if np.dtype(dtype).kind != "c":
            assert np.array_equal(ca.co_min(shares[ME - 1].copy()), shares.min(axis=0))
            assert np.array_equal(ca.co_max(shares[ME - 1].copy()), shares.max(axis=0))
        assert np.array_equal(ca.co_broadcast(shares[ME - 1].copy(), IMAGES), shares[-1])
    large = np.full(100_000, float(ME))
    assert np.all(ca.co_sum(large, result_image=IMAGES) == (sum(ALL) if ME == IMAGES else ME))


def collectives_of_numbers() -> None:
    assert ca.co_sum(ME) == sum(ALL)
    assert type(ca.co_sum(1.5)) is float
    assert type(ca.co_max(np.float32(ME))) is np.float32
    assert ca.co_max(ME > 1) is (IMAGES > 1)
    assert ca.co_min(np.array([True, ME > 1])).tolist() == [True, False]
    assert ca.co_reduce(float(ME), np.multiply) == np.prod(ALL)
    assert ca.co_reduce(np.array([ME, -ME]), np.maximum).tolist() == [IMAGES, -1]
    text = ca.co_broadcast(np.array(f"from image {ME}"), 1)
    assert text.item() == "from image 1"


def teams() -> None:
    a = ca.allocate(1, int)
    team = ca.form_team(1 + ME % 2)
    assert team.number == 1 + ME % 2
    for _ in range(2):
        with team:
            members = [image for image in ALL if image % 2 == ME % 2]
            assert (ca.num_images(), ca.team_number()) == (len(members), 1 + ME % 2)
            assert members[ca.this_image() - 1] == ME
            inside = ca.allocate(3)
            assert ca.co_sum(ME) == sum(members)
            a[ca.num_images()][0] = members[-1]
            ca.sync_all()
            assert a[ca.num_images()][0] == members[-1]
            with ca.form_team(ca.this_image()):
                assert (ca.this_image(), ca.num_images()) == (1, 1)
        assert (ca.this_image(), ca.num_images(), ca.team_number()) == (ME, IMAGES, -1)
        try:
            print(inside.here)
        except ca.CoarrayError:
            pass
        else:
            raise AssertionError
    a.free()


def teams_that_allocate_apart() -> None:
    before = ca.allocate(10)
    team = ca.form_team(1 + ME % 2)
    for _ in range(2):
        if ME % 2 == 0:
            with team:
                several = [ca.allocate(100 * (i + 1)) for i in range(4)]
                for one in several[1::2]:
                    one.free()
        ca.sync_all()
        with ca.allocate(3, int) as after:
            after.here[:] = ME
            ca.sync_all()
            after[NEXT][1] = -ME
            ca.sync_all()
            assert after.here.tolist() == [ME, -PREVIOUS, ME]
        before.free()
        before = ca.allocate(20)
    before.free()


def waiting_for_some() -> None:
    for _ in range(20):
        ca.sync_images(NEIGHBOURS)
    for image in NEIGHBOURS:
        ca.sync_images(image)
    ca.sync_memory()
    assert [ca.image_status(image) for image in ALL] == ["running"] * IMAGES
    ca.sync_all()


if __name__ == "__main__":
    put_and_get()
    random_sections()
    events_and_locks()
    atomics()
    collectives()
    collectives_of_numbers()
    teams()
    teams_that_allocate_apart()
    waiting_for_some()
    print(f"image {ME} of {IMAGES} has done all\n", end="")
