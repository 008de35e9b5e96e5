from __future__ import annotations

import ctypes
import re
import stat
import subprocess
import sys

import pytest
from msgspec.structs import replace

from halocline.errors import CompileError
from halocline.frozen import Frozen
from halocline.jit import toolchain
from halocline.jit.build import build
from halocline.jit.cache import Cache, key
from halocline.jit.library import CallbackLibrary, LoadError, load
from halocline.jit.toolchain import FLAGS, abi_number, find_toolchain, include_folder, processor

TEXT = """
#include "kernel_abi.h"
extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
int answer() { return 42; }
}
"""


class Text(Frozen):
    """A source made by hand."""

    text: str = TEXT
    entries: tuple[str, ...] = ("answer",)
    language: str = "c++"


@pytest.fixture
def chain(monkeypatch):
    monkeypatch.delenv("HALOCLINE_CXX", raising=False)
    return find_toolchain(tuple(flag for flag in FLAGS if flag != "-O1"))


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path)


def _answer(library) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int)(library.address("answer"))()


def _libraries(cache):
    return sorted(cache.folder.glob("*.so"))


def test_a_built_entry_can_be_called(chain, cache):
    assert _answer(build(Text(), chain, cache)) == 42


def test_second_build_takes_the_published_file(chain, cache):
    first = build(Text(), chain, cache)
    before = first.path.stat().st_mtime_ns
    broken = replace(chain, command=("/nowhere/no-compiler",))
    again = build(Text(), broken, cache)
    assert again.path == first.path
    assert again.path.stat().st_mtime_ns == before


def test_nothing_unfinished_stays_in_the_cache(chain, cache):
    build(Text(), chain, cache)
    assert not list(cache.folder.glob("unfinished-*"))
    assert len(_libraries(cache)) == 1


@pytest.mark.parametrize("damage", ["half", "empty", "other"])
def test_a_torn_file_is_built_again(chain, cache, damage):
    # In another process, since a library that is loaded here may not be damaged.
    name = key(Text(), chain)
    path = cache.path(name)
    whole = _build_elsewhere(chain, cache)
    path.unlink()
    path.write_bytes({"half": whole[: len(whole) // 2], "empty": b"", "other": b"text"}[damage])
    assert _answer(build(Text(), chain, cache)) == 42
    assert path.stat().st_size == len(whole)


def _build_elsewhere(chain, cache) -> bytes:
    program = (
        "import sys; from halocline.jit.build import build; from halocline.jit.cache import Cache\n"
        "from halocline.jit.toolchain import find_toolchain; from pathlib import Path\n"
        "from types import SimpleNamespace as N\n"
        "build(N(text=sys.argv[2], entries=('answer',), language='c++'),"
        " find_toolchain(tuple(sys.argv[3:])), Cache(Path(sys.argv[1])))\n"
    )
    command = [sys.executable, "-c", program, str(cache.folder), TEXT, *chain.flags]
    subprocess.run(command, check=True)
    return cache.path(key(Text(), chain)).read_bytes()


def test_a_library_of_another_abi_is_a_miss(chain, cache):
    library = build(Text(), chain, cache)
    abi = abi_number(chain.include)
    with pytest.raises(LoadError, match=f"has ABI number {abi}, expected {abi + 1}"):
        load(library.path, ("answer",), abi + 1)


def test_a_library_without_the_entry_is_a_miss(chain, cache):
    library = build(Text(), chain, cache)
    with pytest.raises(LoadError, match="question"):
        load(library.path, ("question",), abi_number(chain.include))


def test_key_depends_on_everything_the_library_depends_on(chain):
    changed = [
        (Text(text=TEXT + "\n"), chain),
        (Text(entries=()), chain),
        (Text(), replace(chain, version="another")),
        (Text(), replace(chain, flags=(*chain.flags, "-g"))),
        (Text(), replace(chain, processor="another")),
    ]
    keys = {key(source, tools) for source, tools in [(Text(), chain), *changed]}
    assert len(keys) == 1 + len(changed)


def test_key_depends_on_the_abi_number(chain, tmp_path):
    header = (include_folder() / "kernel_abi.h").read_text(encoding="utf-8")
    now = f"HALOCLINE_ABI {abi_number(chain.include)}"
    (tmp_path / "kernel_abi.h").write_text(header.replace(now, "HALOCLINE_ABI 77"))
    other = replace(chain, include=str(tmp_path))
    assert abi_number(other.include) == 77
    assert key(Text(), other) != key(Text(), chain)


def test_refused_code_shows_messages_command_and_source(chain, cache):
    with pytest.raises(CompileError) as caught:
        build(Text(text=TEXT + "int broken = nonsense;"), chain, cache)
    message = str(caught.value)
    kept = next(cache.folder.glob("*.cpp"))
    assert re.search("error: .nonsense. was not declared", message)
    assert str(kept) in message
    assert chain.command[0] in message
    assert "broken" in kept.read_text(encoding="utf-8")
    assert not _libraries(cache)


def test_missing_compiler_says_what_to_do(monkeypatch):
    monkeypatch.delenv("HALOCLINE_CXX", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CompileError, match=r"No C\+\+ compiler was found.*'HALOCLINE_CXX'.*numpy"):
        find_toolchain()


def test_a_named_compiler_that_is_missing_is_named(monkeypatch):
    monkeypatch.setenv("HALOCLINE_CXX", "no-such-compiler")
    with pytest.raises(CompileError, match="'no-such-compiler' named in 'HALOCLINE_CXX'"):
        find_toolchain()


def test_a_compiler_that_does_not_run_is_reported(monkeypatch, tmp_path):
    script = tmp_path / "broken-compiler"
    script.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("HALOCLINE_CXX", str(script))
    with pytest.raises(CompileError, match="does not run"):
        find_toolchain()


def test_unoptimised_kernels_are_other_libraries(monkeypatch):
    monkeypatch.setenv("HALOCLINE_OPTIMISATION", "none")
    quick = find_toolchain()
    monkeypatch.delenv("HALOCLINE_OPTIMISATION")
    assert "-O0" in quick.flags
    assert find_toolchain().flags == FLAGS
    assert key(Text(), quick) != key(Text(), find_toolchain())


@pytest.mark.parametrize(
    ("says", "links_less"),
    [
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", True),
        ("x86_64-linux-gnu-g++-13 (Ubuntu 13.2.0-4ubuntu3) 13.2.0", True),
        ("c++ (GCC) 14.1.0", True),
        ("Debian clang version 14.0.6", False),
        ("nvc++ 24.3-0 64-bit target on x86-64 Linux", False),
        ("Intel(R) oneAPI DPC++/C++ Compiler 2024.0.0 (2024.0.0.20231017)", False),
    ],
)
def test_with_gnus_compiler_kernels_are_linked_without_the_standard_library(
    says, links_less, tmp_path, monkeypatch
):
    script = tmp_path / "compiler"
    script.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("HALOCLINE_CXX", str(script))
    assert ("-nodefaultlibs" in find_toolchain().libraries) == links_less


def test_a_kernel_finds_all_that_it_may_call(chain, cache):
    text = (
        TEXT
        + """
#include <math.h>
#include <string.h>
extern "C" int sum() {
    int total = 0;
#pragma omp parallel for reduction(+ : total) num_threads(2)
    for (int i = 0; i < 4; ++i) {
        volatile double x = i;
        char to[8] = {}, from[8] = {1};
        memcpy(to, from, 1 + i);
        total += static_cast<int>(fmod(sqrt(x * x), 8.0)) + to[0];
    }
    return total;
}
"""
    )
    library = build(Text(text, ("sum",)), chain, cache)
    assert ctypes.CFUNCTYPE(ctypes.c_int)(library.address("sum"))() == 10


def test_another_optimisation_is_refused(monkeypatch):
    monkeypatch.setenv("HALOCLINE_OPTIMISATION", "O3")
    with pytest.raises(CompileError, match=r"'HALOCLINE_OPTIMISATION' is 'O3'; expected 'full' or"):
        find_toolchain()


def test_callbacks_have_the_interface_of_a_library():
    function = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 7)
    library = CallbackLibrary({"answer": function})
    assert library.entries == ("answer",)
    assert _answer(library) == 7


def test_processor_has_a_name_that_stays():
    assert processor() == processor()
    assert len(processor()) == 16


def test_kernels_use_the_openmp_that_a_wheel_brings(monkeypatch, tmp_path):
    # Two libraries in a process would each have threads, and settings, of their own.
    (tmp_path / "libgomp-0a1b2c3d.so.1.0.0").touch()
    monkeypatch.setattr(toolchain, "libraries_folder", lambda: tmp_path)
    assert toolchain._openmp.__wrapped__() == ":libgomp-0a1b2c3d.so.1.0.0"
    monkeypatch.setattr(toolchain, "libraries_folder", lambda: tmp_path / "none")
    assert toolchain._openmp.__wrapped__() == "gomp"
