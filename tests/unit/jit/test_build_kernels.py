"""Kernels are compiled once each, whatever programs they are part of."""

from __future__ import annotations

import ctypes

import pytest
from msgspec.structs import replace

from halocline.frozen import Frozen
from halocline.jit import kernels
from halocline.jit.cache import Cache
from halocline.jit.kernels import build_kernels
from halocline.jit.toolchain import find_toolchain

HEAD = """
#include "kernel_abi.h"
extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
}
"""


class Text(Frozen):
    """A source made by hand."""

    text: str
    entries: tuple[str, ...]
    language: str = "c++"


def printed(numbers):
    """Return a source with a function for each number, which returns it."""
    entries = tuple(f"answer_{place}" for place in range(len(numbers)))
    functions = [
        f'extern "C" int {entry}() {{ return {number}; }}\n'
        for entry, number in zip(entries, numbers, strict=True)
    ]
    return Text(HEAD + "".join(functions), entries)


@pytest.fixture
def chain():
    return find_toolchain()


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path)


def answers(built):
    return {number: ctypes.CFUNCTYPE(ctypes.c_int)(f.address)() for number, f in built.items()}


def without_compiler(chain):
    return replace(chain, command=("/nowhere/no-compiler",))


def test_each_kernel_gets_its_own_function(chain, cache):
    assert answers(build_kernels([7, 3, 5], printed, chain, cache)) == {7: 7, 3: 3, 5: 5}


def test_new_kernels_become_one_library(chain, cache):
    built = build_kernels([7, 3, 5], printed, chain, cache)
    assert len({function.library.path for function in built.values()}) == 1
    assert len(list(cache.folder.glob("*.so"))) == 1


def test_the_folder_is_looked_through_once_for_all_kernels_of_a_library(chain, cache, monkeypatch):
    looks = []
    monkeypatch.setattr(Cache, "make_room", lambda cache: looks.append(cache.folder))
    build_kernels(range(5), printed, chain, cache)
    assert looks == [cache.folder]


def test_kernels_of_other_programs_are_not_compiled_again(chain, cache):
    build_kernels([7, 3], printed, chain, cache)
    build_kernels([5], printed, chain, cache)
    again = build_kernels([5, 3, 7], printed, without_compiler(chain), cache)
    assert answers(again) == {5: 5, 3: 3, 7: 7}


def test_only_what_is_new_is_compiled(chain, cache):
    build_kernels([7, 3], printed, chain, cache)
    built = build_kernels([3, 4, 7], printed, chain, cache)
    assert answers(built) == {3: 3, 4: 4, 7: 7}
    new = built[4].library.path.with_suffix(".cpp").read_text(encoding="utf-8")
    assert new == printed([4]).text


def test_kernels_of_a_known_program_are_not_printed(chain, cache):
    def refuse(numbers):
        raise AssertionError(numbers)

    build_kernels([7, 3, 7], printed, chain, cache, digest_of_all="7, 3, 7")
    again = build_kernels(
        [7, 3, 7], refuse, without_compiler(chain), cache, digest_of_all="7, 3, 7"
    )
    assert answers(again) == {7: 7, 3: 3}


def test_a_program_is_known_by_digest_flags_and_package(chain, cache, monkeypatch):
    build_kernels([7, 3], printed, chain, cache, digest_of_all="7, 3")
    other = replace(chain, flags=(*chain.flags, "-g"))
    build_kernels([7, 3], printed, other, cache, digest_of_all="7, 3")
    monkeypatch.setattr(kernels, "package_digest", lambda: "changed")
    build_kernels([7, 3], printed, chain, cache, digest_of_all="7, 3")
    assert answers(build_kernels([5], printed, chain, cache, digest_of_all="5")) == {5: 5}
    assert len(list(cache.folder.glob("*.kernels"))) == 4


def test_long_kernels_are_shared_among_the_cores(chain, cache, monkeypatch):
    def long(numbers):
        text = printed(numbers)
        return Text(text.text + "// long\n" * (5000 * len(numbers)), text.entries)

    monkeypatch.setattr(kernels, "CORES", frozenset({0, 1}))
    built = build_kernels([7, 3, 5, 4], long, chain, cache)
    assert answers(built) == {7: 7, 3: 3, 5: 5, 4: 4}
    libraries = [function.library.path for function in built.values()]
    assert sorted(map(libraries.count, set(libraries))) == [2, 2]
    again = build_kernels([4, 7, 5, 3], long, without_compiler(chain), cache)
    assert answers(again) == {7: 7, 3: 3, 5: 5, 4: 4}


def test_kernels_with_the_same_text_are_one(chain, cache):
    # Equal texts of different kernels, as of those that differ in what no text shows.
    built = build_kernels([7.0, "7"], lambda some: printed([int(x) for x in some]), chain, cache)
    assert built[7.0] == built["7"]
    assert answers(built) == {7.0: 7, "7": 7}


def test_a_kernel_is_known_by_the_flags_it_was_compiled_with(chain, cache):
    first = build_kernels([7], printed, chain, cache)
    other = replace(chain, flags=(*chain.flags, "-g"))
    assert build_kernels([7], printed, other, cache)[7].library != first[7].library


@pytest.mark.parametrize("damage", ["half", "empty", "other", "gone"])
@pytest.mark.parametrize("suffix", [".kernel", ".kernels", ".so"])
def test_what_is_torn_or_gone_is_built_again(chain, cache, suffix, damage):
    # Of a library that this process has loaded, another is put in its place: it may not be changed.
    build_kernels([7, 3], printed, chain, cache, digest_of_all="7, 3")
    for path in cache.folder.glob(f"*{suffix}"):
        whole = path.read_bytes()
        path.unlink()
        if damage != "gone":
            path.write_bytes(
                {"half": whole[: len(whole) // 2], "empty": b"", "other": b"?"}[damage]
            )
    assert answers(build_kernels([7, 3], printed, chain, cache, digest_of_all="7, 3")) == {
        7: 7,
        3: 3,
    }
    kept = build_kernels([7, 3], printed, without_compiler(chain), cache, digest_of_all="7, 3")
    assert answers(kept) == {7: 7, 3: 3}


def test_nothing_unfinished_stays(chain, cache):
    build_kernels([7, 3], printed, chain, cache)
    assert not list(cache.folder.glob("unfinished-*"))


def test_no_kernels_need_no_compiler(chain, cache):
    assert build_kernels([], printed, without_compiler(chain), cache) == {}
