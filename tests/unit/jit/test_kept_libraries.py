"""The folders of built libraries: who may write them, how full they get, what damage does."""

from __future__ import annotations

import errno
import os
import resource
import time

import pytest

from halocline.errors import CompileError
from halocline.frozen import Frozen
from halocline.jit import trust
from halocline.jit.build import build, usable_toolchain
from halocline.jit.cache import Cache, key, open_cache
from halocline.jit.library import LoadError, load, read_sealed, sealed
from halocline.jit.toolchain import find_toolchain
from halocline.jit.trust import distrust


class Text(Frozen):
    """A source made by hand."""

    text: str = (
        '#include "kernel_abi.h"\n'
        'extern "C" { extern const int32_t halocline_abi;\n'
        "const int32_t halocline_abi = HALOCLINE_ABI; }\n"
    )
    entries: tuple[str, ...] = ()
    language: str = "c++"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder that HALOCLINE_CACHE names, of this user alone."""
    found = tmp_path / "cache"
    monkeypatch.setenv("HALOCLINE_CACHE", str(found))
    monkeypatch.delenv("HALOCLINE_SHARED_CACHE", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return found


@pytest.fixture
def give_away(monkeypatch):
    """Return a function after which a path belongs to another user, as far as one can tell."""

    def give(path):
        if os.getuid() == 0:
            os.chown(path, 12345, -1)
        else:
            own = os.getuid()
            monkeypatch.setattr(trust.os, "getuid", lambda: own + 1)

    return give


def test_cache_folder_is_chosen_by_the_environment(folder, monkeypatch, tmp_path):
    assert open_cache().folder == folder
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("HALOCLINE_CACHE")
    assert open_cache().folder == tmp_path / "xdg" / "halocline"


def test_a_new_cache_is_closed_to_others_and_what_is_in_it_can_be_read(folder):
    open_cache()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert open_cache(".kernel").write(b"", "key").stat().st_mode & 0o777 == 0o644


def test_a_cache_that_cannot_be_written_is_replaced_with_a_warning(folder, monkeypatch, tmp_path):
    folder.write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("HALOCLINE_CACHE", str(folder / "cache"))
    with pytest.warns(UserWarning, match="cannot be written.*HALOCLINE_CACHE"):
        fallback = open_cache()
    assert fallback.folder == tmp_path / f"halocline-cache-{os.getuid()}"
    assert fallback.folder.stat().st_mode & 0o777 == 0o700


def test_a_cache_that_cannot_be_written_is_still_read(folder, monkeypatch):
    folder.mkdir(mode=0o700)

    def refuse(dir):  # noqa: A002 (its name in tempfile)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.warns(UserWarning, match=r"cannot be written \(No space left on device\)"):
        assert open_cache().shared == (folder,)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o702])
def test_a_cache_that_others_can_write_is_not_used(folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(UserWarning, match=r"cannot be trusted: '.*' can be written by others"):
        cache = open_cache()
    assert cache.folder != folder
    assert cache.shared == ()


def test_a_cache_in_a_folder_that_others_can_write_is_not_used(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "open" / "below" / "cache"))
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.warns(UserWarning, match=r"'.*/open' can be written by others \(mode 0777\)"):
        open_cache()


def test_a_cache_of_another_user_is_not_used(folder, give_away):
    folder.mkdir()
    give_away(folder)
    if os.getuid() == 0:
        with pytest.warns(UserWarning, match="belongs to user number 12345"):
            assert open_cache().folder != folder
    else:
        assert "belongs to the user" in distrust(folder)


def test_the_sticky_bit_of_a_parent_is_enough(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HALOCLINE_CACHE", str(tmp_path / "sticky" / "cache"))
    (tmp_path / "sticky").mkdir()
    (tmp_path / "sticky").chmod(0o1777)
    assert open_cache().folder == tmp_path / "sticky" / "cache"


@pytest.mark.parametrize("taken_by", ["link", "file", "open folder"])
def test_a_fallback_folder_that_somebody_has_taken_is_not_used(folder, tmp_path, taken_by):
    folder.write_text("not a folder", encoding="utf-8")
    taken = tmp_path / f"halocline-cache-{os.getuid()}"
    match taken_by:
        case "link":
            (tmp_path / "elsewhere").mkdir(mode=0o700)
            taken.symlink_to(tmp_path / "elsewhere")
        case "file":
            taken.write_text("", encoding="utf-8")
        case _:
            taken.mkdir()
            taken.chmod(0o755)
    with pytest.warns(UserWarning, match="cannot be written"):
        found = open_cache().folder
    assert found.name.startswith("halocline-cache-")
    assert found.stat().st_mode & 0o777 == 0o700
    assert found not in (taken, taken.resolve())


def test_no_folder_that_can_be_trusted_is_an_error(folder, tmp_path):
    folder.write_text("not a folder", encoding="utf-8")
    tmp_path.chmod(0o777)
    with pytest.raises(CompileError, match=r"neither .* nor .* can be used; .* written by others"):
        open_cache()


@pytest.mark.parametrize("how", ["given away", "open to others"])
def test_files_of_others_are_not_loaded(tmp_path, give_away, how):
    path = tmp_path / "file"
    path.write_bytes(sealed(b"content"))
    path.chmod(0o755)
    assert read_sealed(path) == b"content"
    if how == "open to others":
        path.chmod(0o757)
    else:
        give_away(path)
        if os.getuid() != 0:
            pytest.skip("only root can give files away")
    with pytest.raises(LoadError, match="another user, or others can write"):
        read_sealed(path)


def test_any_flipped_bit_is_noticed(tmp_path):
    content = sealed(bytes(range(64)))
    path = tmp_path / "file"
    for bit in range(0, 8 * len(content), 13):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(LoadError, match="is damaged"):
            load(path, (), 1)


def test_a_full_disk_is_reported_and_leaves_nothing_behind(tmp_path):
    cache = Cache(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(CompileError, match=r"The cache '.*' cannot be written: .* Make room"):
            cache.write(bytes(5000), "key")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


def test_what_was_unused_for_longest_leaves_a_full_cache(tmp_path):
    cache = Cache(tmp_path, ".kernel", limit=2500)
    (tmp_path / "machine.json").write_bytes(bytes(5000))
    days = 24 * 3600.0
    for age, name in enumerate(["a", "b", "c"]):
        path = cache.write(sealed(bytes(900)), name)
        os.utime(path, (time.time() - (30 - age) * days,) * 2)
    cache.make_room()
    assert {path.stem for path in tmp_path.glob("*.kernel")} == {"b", "c"}
    read_sealed(cache.path("b"))
    cache.write(sealed(bytes(900)), "d")
    cache.make_room()
    assert {path.stem for path in tmp_path.glob("*.kernel")} == {"b", "d"}
    assert (tmp_path / "machine.json").exists()


def test_a_shared_cache_is_read_and_not_written(folder, tmp_path, monkeypatch):
    group = tmp_path / "group"
    group.mkdir()
    Cache(group, ".kernel").write(sealed(b"theirs"), "key")
    monkeypatch.setenv("HALOCLINE_SHARED_CACHE", f"{os.getuid()}:{group}")
    cache = open_cache(".kernel")
    assert [read_sealed(path) for path in cache.places("key") if path.exists()] == [b"theirs"]
    assert cache.write(b"ours", "key").parent == folder


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("{path}", "expected OWNER:FOLDER, and there is no user '{path}'"),
        ("0:", "expected OWNER:FOLDER"),
        ("nobody-of-this-name:{path}", "there is no user 'nobody-of-this-name'"),
        ("0:{path}/missing", "cannot be read .No such file or directory."),
        ("0:{path}", "'{path}' can be written by others"),
    ],
)
def test_a_shared_cache_that_is_none_is_refused(folder, tmp_path, monkeypatch, said, problem):
    group = tmp_path / "group"
    group.mkdir()
    group.chmod(0o777)
    monkeypatch.setenv("HALOCLINE_SHARED_CACHE", said.format(path=group))
    pattern = f"'HALOCLINE_SHARED_CACHE' is '.*'; .*{problem.format(path=group)}.* alice:/shared"
    with pytest.raises(CompileError, match=pattern):
        open_cache()


def test_the_compiler_of_a_shared_cache_is_known_without_any(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("HALOCLINE_CXX", raising=False)
    chain = find_toolchain()
    group = tmp_path / "group"
    group.mkdir()
    build(Text(), chain, Cache(group))
    monkeypatch.setenv("HALOCLINE_SHARED_CACHE", f"{os.getuid()}:{group}")
    monkeypatch.setenv("PATH", "")
    found = usable_toolchain()
    assert found.missing is not None
    assert key(Text(), found) == key(Text(), chain)
    assert build(Text(), found, open_cache()).path.parent == group


def test_a_user_without_name_and_home_has_a_private_folder(folder, monkeypatch, tmp_path):
    def unknown(_):
        raise KeyError

    for name in ("HALOCLINE_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    found = open_cache().folder
    assert found == tmp_path / f"halocline-cache-{os.getuid()}"
    assert found.stat().st_mode & 0o777 == 0o700
