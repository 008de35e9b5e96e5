from __future__ import annotations

import pytest
from msgspec.structs import replace

from halocline.errors import CompileError
from halocline.frozen import Frozen
from halocline.jit import cubin
from halocline.jit.cache import Cache
from halocline.jit.nvrtc import DeviceCode


class Text(Frozen):
    """A source made by hand."""

    text: str = "text"
    entries: tuple[str, ...] = ("answer",)
    language: str = "cuda"


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path, cubin.SUFFIX)


@pytest.fixture(autouse=True)
def compilations(monkeypatch):
    """Stand in for NVRTC; the architectures that it was asked for."""
    asked = []

    def compile_cuda(source, architecture):
        asked.append(architecture)
        return DeviceCode(f"{source.text} for {architecture}".encode(), "")

    monkeypatch.setattr(cubin, "compile_cuda", compile_cuda)
    monkeypatch.setattr(cubin, "nvrtc_version", lambda: "12.9")
    return asked


def test_machine_code_is_compiled_once_for_each_architecture(cache, compilations):
    for architecture in ("sm_80", "sm_90", "sm_80", "sm_90"):
        found = cubin.build_cubin(Text(), architecture, cache)
        assert found == f"text for {architecture}".encode()
    assert compilations == ["sm_80", "sm_90"]


def test_nothing_unfinished_stays_in_the_cache(cache):
    cubin.build_cubin(Text(), "sm_80", cache)
    name = cubin.cubin_key(Text(), "sm_80")
    assert [path.name for path in cache.folder.iterdir()] == [f"{name}.cubin"]


@pytest.mark.parametrize("damage", ["half", "empty", "other"])
def test_a_torn_file_is_compiled_again(cache, compilations, damage):
    whole = cubin.build_cubin(Text(), "sm_80", cache)
    path = cache.path(cubin.cubin_key(Text(), "sm_80"))
    sealed = path.read_bytes()
    path.write_bytes({"half": sealed[: len(sealed) // 2], "empty": b"", "other": b"?"}[damage])
    assert cubin.build_cubin(Text(), "sm_80", cache) == whole
    assert path.read_bytes() == sealed
    assert len(compilations) == 2


def test_key_depends_on_everything_the_machine_code_depends_on(monkeypatch):
    sources = [Text(), Text(text="other"), Text(entries=())]
    keys = {cubin.cubin_key(source, "sm_80") for source in sources}
    keys.add(cubin.cubin_key(Text(), "sm_90"))
    monkeypatch.setattr(cubin, "FLAGS", (*cubin.FLAGS, "-G"))
    keys.add(cubin.cubin_key(Text(), "sm_80"))
    monkeypatch.setattr(cubin, "nvrtc_version", lambda: "13.0")
    keys.add(cubin.cubin_key(Text(), "sm_80"))
    assert len(keys) == 6


def test_a_cache_that_cannot_be_written_is_named(cache):
    gone = replace(cache, folder=cache.folder / "gone")
    with pytest.raises(CompileError) as caught:
        cubin.build_cubin(Text(), "sm_80", gone)
    assert str(caught.value).startswith(
        f"The cache '{gone.folder}' cannot be written: No such file or directory."
    )
