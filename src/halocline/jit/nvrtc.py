"""Compile CUDA text with NVRTC, NVIDIA's compiler in a library; looked for only when called."""

from __future__ import annotations

import ctypes
import importlib.util
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from halocline.errors import CompileError, nearest
from halocline.frozen import Frozen
from halocline.jit.toolchain import headers, include_folder

if TYPE_CHECKING:
    from collections.abc import Collection

    from halocline.jit.cache import SourceLike

# Strict IEEE arithmetic, which gives the bits of the CPU; the log then says how many registers
# each kernel takes, and how much it spills.
FLAGS = (
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    "--ptxas-options=-v",
)
# Architectures of devices on a chip with the processor, whose code runs on no other and vice versa.
_ON_CHIP = frozenset({53, 62, 72, 87, 101, 110})
_NAMES = ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12")
_SHOWN_LINES = 12


class DeviceCode(Frozen):
    """What the driver loads.

    Attributes:
        image: Machine code for one architecture ('cubin').
        log: What the compiler said of it.
    """

    image: bytes
    log: str


def compile_cuda(source: SourceLike, architecture: str) -> DeviceCode:
    """Return a CUDA translation unit as machine code.

    Args:
        source: The text.
        architecture: One of 'architectures', as 'sm_90'.

    Raises:
        CompileError: There is no NVRTC, or it refused the source or the architecture.
    """
    supported = architectures()
    if architecture not in supported:
        message = f"NVRTC has no architecture '{architecture}'."
        raise CompileError(message, hint=nearest(architecture, supported))
    nvrtc = find_nvrtc()
    program = ctypes.c_void_p()
    text = source.text.encode()
    known_headers = headers(str(include_folder()))
    names, texts = (_strings(found) for found in (known_headers, known_headers.values()))
    about = (text, b"halocline.cu", len(known_headers), texts, names)
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), *about))
    try:
        flags = (f"--gpu-architecture={architecture}", *FLAGS)
        status = nvrtc.nvrtcCompileProgram(program, len(flags), _strings(flags))
        log = _read(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")
        if status:
            raise _refusal(log)
        return DeviceCode(_read(program, "CUBIN"), log)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def architectures() -> tuple[str, ...]:
    """Return the names of what NVRTC compiles for.

    Raises:
        CompileError: There is no NVRTC.
    """
    nvrtc = find_nvrtc()
    count = ctypes.c_int()
    _check(nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    numbers = (ctypes.c_int * count.value)()
    _check(nvrtc.nvrtcGetSupportedArchs(numbers))
    return tuple(f"sm_{number}" for number in numbers)


def best_architecture(device: str) -> str:
    """Return what to compile for a device: its own architecture, or else the next older one.

    A device runs what was compiled for an older one of its generation, unless one of them is
    among those on a chip with the processor.

    Args:
        device: Its own architecture, as 'sm_90'.

    Raises:
        CompileError: There is no NVRTC, or it knows none that fits.
    """
    supported = architectures()
    own = _number(device)
    fitting = [n for n in map(_number, supported) if n == own or _runs(own, n)]
    if not fitting:
        message = (
            f"NVRTC {nvrtc_version()} cannot compile for a device of architecture '{device}'; it "
            f"knows {supported[0]} to {supported[-1]}."
        )
        is_new = own > max(map(_number, supported))
        raise CompileError(message, hint=f"Install {'a newer' if is_new else 'an older'} NVRTC.")
    return f"sm_{max(fitting)}"


def _runs(own: int, older: int) -> bool:
    return older // 10 == own // 10 and older <= own and not {own, older} & _ON_CHIP


def _number(architecture: str) -> int:
    return int(architecture.removeprefix("sm_"))


def nvrtc_version() -> str:
    """Return the version of the compiler, as '12.9'.

    Raises:
        CompileError: There is no NVRTC.
    """
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(find_nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return f"{major.value}.{minor.value}"


@cache
def find_nvrtc() -> ctypes.CDLL:
    """Return the library: the wheel's, or else the system's.

    Raises:
        CompileError: There is none.
    """
    for name in (*_in_wheel(), *_NAMES):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    message = "NVRTC, the compiler for NVIDIA's devices, was not found."
    hint = "Install the package 'nvidia-cuda-nvrtc-cu12' with pip, or the CUDA toolkit."
    raise CompileError(message, hint=hint)


def _in_wheel() -> list[str]:
    """Return what NVIDIA's packages have, the newest first; each version has its own folder."""
    packages = importlib.util.find_spec("nvidia")
    folders = (packages and packages.submodule_search_locations) or ()
    libraries = [path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so.*")]
    return [str(path) for path in sorted(libraries, key=_version, reverse=True)]


def _version(library: Path) -> int:
    return int(library.suffix.removeprefix("."))


def _strings(words: Collection[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * len(words))(*(word.encode() for word in words))


def _read(program: ctypes.c_void_p, what: str) -> bytes:
    """Return what a program has: 'ProgramLog' or 'CUBIN'."""
    nvrtc = find_nvrtc()
    size = ctypes.c_size_t()
    _check(nvrtc[f"nvrtcGet{what}Size"](program, ctypes.byref(size)))
    data = ctypes.create_string_buffer(size.value)
    _check(nvrtc[f"nvrtcGet{what}"](program, data))
    return data.raw


def _check(status: int) -> None:
    if status:
        said = find_nvrtc().nvrtcGetErrorString
        said.restype = ctypes.c_char_p
        raise CompileError(f"NVRTC failed: {said(status).decode()}.")


def _refusal(log: str) -> CompileError:
    lines = [line for line in log.splitlines() if line.strip()]
    errors = next((i for i, line in enumerate(lines) if "error" in line), 0)
    shown = "\n".join(f"  {line}" for line in lines[errors : errors + _SHOWN_LINES])
    return CompileError(f"NVRTC refused the generated code:\n{shown}")
