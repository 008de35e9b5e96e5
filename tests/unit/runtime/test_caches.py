"""How large results may be so that the caches still hold them."""

import pytest

from halocline.plan.platform import PRIVATE_CACHE_BYTES
from halocline.runtime import caches
from halocline.runtime.caches import Cache, caches_here, keeps, read_caches

MIB = 1 << 20
CORE = Cache(1, 32 << 10, 1), Cache(2, MIB, 1)


def write(folder, index, **words):
    place = folder / f"index{index}"
    place.mkdir()
    for name, word in words.items():
        (place / name).write_text(f"{word}\n")


def test_linux_tells_sizes_and_sharers_of_data_caches(tmp_path):
    write(tmp_path, 0, level=1, type="Data", size="48K", shared_cpu_list="0,8")
    write(tmp_path, 1, level=1, type="Instruction", size="32K", shared_cpu_list="0")
    write(tmp_path, 2, level=2, type="Unified", size="2M", shared_cpu_list="0-1")
    write(tmp_path, 3, level=3, type="Unified", size="32768K", shared_cpu_list="0-3,8-11")
    expected = (Cache(1, 48 << 10, 2), Cache(2, 2 * MIB, 2), Cache(3, 32 * MIB, 8))
    assert read_caches(tmp_path) == expected


@pytest.mark.parametrize("size", ["", "many", "K"])
def test_what_cannot_be_read_is_passed_over(tmp_path, size):
    write(tmp_path, 0, level=2, type="Unified", size=size, shared_cpu_list="0")
    write(tmp_path, 1, level=3)
    assert read_caches(tmp_path) == ()
    assert read_caches(tmp_path / "missing") == ()


def test_a_thread_keeps_a_third_of_its_share_of_the_last_cache_or_its_own():
    shared = (*CORE, Cache(3, 24 * MIB, 8))
    assert keeps(shared, 1) == 8 * MIB
    assert keeps(shared, 4) == 2 * MIB
    assert keeps((Cache(2, 2 * MIB, 1), *shared), 8) == 2 * MIB


def test_caches_larger_than_cores_share_are_not_believed():
    assert keeps((Cache(2, 2 * MIB, 1), Cache(3, 320 * MIB, 2)), 1) == 2 * MIB


def test_small_or_unknown_caches_leave_what_any_core_has():
    assert keeps((), 1) == PRIVATE_CACHE_BYTES
    assert keeps((Cache(2, MIB // 4, 2),), 2) == PRIVATE_CACHE_BYTES


def test_the_library_is_asked_where_linux_tells_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "_FOLDER", tmp_path)
    sizes = {"SC_LEVEL2_CACHE_SIZE": MIB, "SC_LEVEL3_CACHE_SIZE": 0}
    monkeypatch.setattr(caches.os, "sysconf_names", dict.fromkeys(sizes, 1))
    monkeypatch.setattr(caches.os, "sysconf", sizes.__getitem__)
    caches_here.cache_clear()
    try:
        assert caches_here() == (Cache(2, MIB, 1),)
    finally:
        caches_here.cache_clear()
