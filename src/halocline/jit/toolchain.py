"""Find the C++ compiler and say what its output depends on."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from halocline.errors import CompileError
from halocline.frozen import Frozen

# By the value of HALOCLINE_OPTIMISATION. Higher levels take twice as long and gain nothing for
# loops that are vectors already; 'none' compiles several times faster and runs slower, for tests.
_OPTIMISATION = {"full": ("-O1", "-ftree-vectorize"), "none": ("-O0",)}
# Strict IEEE arithmetic: contraction, reassociation and the like would make bits depend on where a
# cell lies. The last four flags drop side effects (errno, traps), make integers wrap, and leave out
# what exceptions need.
_ARITHMETIC = (
    "-std=c++17",
    "-march=native",
    "-shared",
    "-fPIC",
    "-fopenmp",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fwrapv",
    "-fno-exceptions",
    # Whole cache lines at a time: 4 % faster for D3Q19 where the processor has AVX-512.
    *(("-mprefer-vector-width=512",) if platform.machine() in ("x86_64", "AMD64") else ()),
)
# The environment variables that name a compiler, the first that is set.
_NAMED = ("HALOCLINE_CXX", "CXX")
FLAGS = (*_OPTIMISATION["full"], *_ARITHMETIC)
# How GNU's C++ compiler begins what it says of its version, whatever the command is called.
_OF_GNU = re.compile(r"\S*[cg]\+\+\S* \(")
# All that kernels call beside OpenMP's library. To link libstdc++, too, takes half as long as to
# compile a small kernel.
_GNU_LIBRARIES = ("-lm", "-lc", "-lgcc")
_HINT = (
    "Install the package 'g++' (Debian, Ubuntu) or 'gcc-c++' (Fedora, Red Hat, SUSE), name another "
    "C++17 compiler in the environment variable 'HALOCLINE_CXX', or use target=\"numpy\"."
)


class Toolchain(Frozen):
    """A compiler and everything its output depends on besides the source.

    Attributes:
        command: The compiler, with arguments that the user gave with its name.
        version: What it says of itself.
        processor: A digest of the processor that '-march=native' stands for.
        flags: Given to every compilation.
        include: The folder of 'kernel_abi.h' and the other headers.
        missing: Why it cannot compile, if it is a compiler that was here once.
        libraries: The arguments after the source, which say what is linked; none: the compiler's
            own, the standard library of C++ among them.
    """

    command: tuple[str, ...]
    version: str
    processor: str
    flags: tuple[str, ...]
    include: str
    missing: CompileError | None = None
    libraries: tuple[str, ...] = ()


def find_toolchain(flags: tuple[str, ...] | None = None) -> Toolchain:
    """Return the compiler named by HALOCLINE_CXX or CXX, or else 'g++' or 'c++' on the path.

    Args:
        flags: Given to every compilation; None for FLAGS, unoptimised if the environment variable
            HALOCLINE_OPTIMISATION is 'none'.

    Raises:
        CompileError: There is none, or it does not run; or that variable has another value.
    """
    command = _command()
    return _toolchain(command, _version(command), chosen_flags() if flags is None else flags)


def without_compiler(missing: CompileError, version: str, arguments: list[str]) -> Toolchain:
    """Return a compiler that was here once, to find what it has built.

    Args:
        missing: Why there is none now.
        version: What it said of itself.
        arguments: Those that the user gave with its name.

    Raises:
        CompileError: The user has named another one.
    """
    if any(os.environ.get(variable) for variable in _NAMED):
        raise missing
    return _toolchain(("", *arguments), version, chosen_flags(), missing)


def _toolchain(
    command: tuple[str, ...],
    version: str,
    flags: tuple[str, ...],
    missing: CompileError | None = None,
) -> Toolchain:
    libraries: tuple[str, ...] = ()
    if _OF_GNU.match(version):
        libraries = ("-nodefaultlibs", f"-l{_openmp()}", *_GNU_LIBRARIES)
    include = str(include_folder())
    return Toolchain(command, version, processor(), flags, include, missing, libraries)


def chosen_flags() -> tuple[str, ...]:
    """Return the flags of all kernels, optimised as HALOCLINE_OPTIMISATION says."""
    chosen = os.environ.get("HALOCLINE_OPTIMISATION", "full")
    if chosen not in _OPTIMISATION:
        raise CompileError(
            f"The environment variable 'HALOCLINE_OPTIMISATION' is '{chosen}'; expected "
            f"{' or '.join(map(repr, _OPTIMISATION))}.",
            hint="Unset it: kernels are then optimised.",
        )
    return (*_OPTIMISATION[chosen], *_ARITHMETIC)


def _command() -> tuple[str, ...]:
    for variable in _NAMED:
        words = tuple(os.environ.get(variable, "").split())
        if words:
            path = shutil.which(words[0])
            if path is None:
                message = f"The compiler '{words[0]}' named in '{variable}' was not found."
                raise CompileError(message, hint=_HINT)
            return (path, *words[1:])
    for name in ("g++", "c++"):
        path = shutil.which(name)
        if path is not None:
            return (path,)
    message = "No C++ compiler was found: neither 'g++' nor 'c++' is on the path."
    raise CompileError(message, hint=_HINT)


@cache
def _version(command: tuple[str, ...]) -> str:
    try:
        run = subprocess.run(
            (*command, "--version"), capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        message = f"The compiler '{command[0]}' does not run: {error}."
        raise CompileError(message, hint=_HINT) from error
    return run.stdout.partition("\n")[0].strip()


@cache
def processor() -> str:
    """Return a digest of the processor's model and instruction sets."""
    words = [platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0].split("\n")
    except OSError:
        lines = []
    kept = ("vendor", "cpu family", "model", "flags", "Features", "CPU impl", "CPU part", "isa")
    words += [line for line in lines if line.startswith(kept)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def include_folder() -> Path:
    """Return the folder of 'kernel_abi.h': installed beside the package, or in the source tree."""
    package = Path(__file__).resolve().parent.parent
    folders = (package / "abi", package.parent.parent / "cpp" / "abi")
    for folder in folders:
        if (folder / "kernel_abi.h").is_file():
            return folder
    message = f"The header 'kernel_abi.h' was not found in {' or '.join(map(str, folders))}."
    raise CompileError(message, hint="The installation is incomplete: install Halocline again.")


def libraries_folder() -> Path:
    """Return where a wheel keeps the libraries that it brings; it need not exist."""
    return Path(__file__).resolve().parents[2] / "halocline.libs"


@cache
def _openmp() -> str:
    """Return OpenMP's library as the linker names it.

    It is the one that the runtime has loaded: two would each have threads of their own. A wheel
    brings it under a name that no other library has.
    """
    brought = sorted(libraries_folder().glob("libgomp-*"))
    return f":{brought[0].name}" if brought else "gomp"


@cache
def headers(include: str) -> dict[str, str]:
    """Return the texts in that folder that sources may include, by their names there."""
    folder = Path(include)
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".hpp"))
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


def abi_number(include: str) -> int:
    """Return HALOCLINE_ABI as the header defines it."""
    header = Path(include, "kernel_abi.h").read_text(encoding="utf-8")
    for line in header.splitlines():
        if line.startswith("#define HALOCLINE_ABI "):
            return int(line.split()[2])
    message = f"The header 'kernel_abi.h' in {include} defines no HALOCLINE_ABI."
    raise CompileError(message, hint="The installation is incomplete: install Halocline again.")
