"""Coarray programs of the papers: found, compiled into a temporary folder, run, read as rows.

Beside them stand programs in C that do the same with messages. Both verify their own results.
"""

from __future__ import annotations

import csv
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from halocline.bench.settings import Settings
from halocline.errors import CaseError, CompileError, MpiError
from halocline.frozen import Frozen
from halocline.io.results import Row, Table
from halocline.runtime.launcher import find_launcher
from halocline_command.caf import caf_program
from halocline_reproduction.published import published

# What a program says, by column.
Said = dict[str, str]

_SOURCES = Path(__file__).with_name("coarrays")
_FAST = ("-O3", "-march=native")
_LAST_WORDS = 500
_LONGEST_S = 600.0


class Program(Frozen):
    """A program that was compiled.

    Attributes:
        file: Where it lies.
        launcher: What starts it, before the number of images.
    """

    file: Path
    launcher: tuple[str, ...]

    def run(self, images: int, **arguments: int | float | str) -> list[Said]:
        """Run it and return its rows.

        Args:
            images: Images, or ranks of MPI.
            arguments: What it is told, name=value.

        Raises:
            CaseError: It failed, its results are wrong, or it does not end.
            MpiError: Its ranks do not know of each other.
        """
        words = [f"{name}={value}" for name, value in arguments.items()]
        command = [*self.launcher, "-n", str(images), str(self.file), *words]
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_LONGEST_S
            )
        except subprocess.TimeoutExpired:
            raise CaseError(
                f"'{self._said(images, words)}' did not end in {_LONGEST_S:.0f} seconds."
            ) from None
        if run.returncode != 0:
            raise CaseError(f"'{self._said(images, words)}' failed: {_last_words(run)}")
        rows = list(csv.DictReader(StringIO(run.stdout)))
        if not rows:
            raise CaseError(f"'{self._said(images, words)}' gave no rows.")
        if int(rows[0].get("images", images)) != images:
            raise MpiError(
                f"{images} ranks were started, but each finds itself alone: 'mpiexec' and 'mpicc' "
                "belong to different MPIs.",
                hint="Name the launcher of the one by HALOCLINE_MPIEXEC.",
            )
        return rows

    def _said(self, images: int, words: Sequence[str]) -> str:
        return " ".join([self.file.name, *words, f"on {images} images"])


class Workshop:
    """Compiles programs into a folder; see 'workshop'."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sources = _SOURCES
        self._mpiexec, self._mpicc = _find_mpi()

    def coarrays(self, name: str, *modules: str) -> Program:
        """Compile a Fortran program with coarrays.

        Args:
            name: The source of the program, without its ending.
            modules: Sources before it, besides the arguments.
        """
        files = self._fortran("arguments", *modules, name)
        target = self._place("_".join([*modules[-1:], name]))
        self._compile([str(caf_program()), "build", *_FAST, *files, "-o", str(target)], target)
        return Program(target, (str(caf_program()), "run"))

    def messages(self, name: str) -> Program:
        """Compile a program in C with MPI."""
        target = self._place(name)
        source = str(self._sources / f"{name}.c")
        self._compile([*self._mpicc, *_FAST, source, "-o", str(target), "-lm"], target)
        return Program(target, self._mpiexec)

    def fortran_messages(self, name: str, *modules: str) -> Program:
        """Compile a Fortran program whose communication is MPI, by way of 'messages.c'."""
        target = self._place(f"{name}_mpi")
        wrapped = target.parent / "messages.o"
        source = str(self._sources / "messages.c")
        self._compile([*self._mpicc, "-O2", "-c", source, "-o", str(wrapped)], target)
        files = self._fortran("arguments", "messages", *modules, name)
        command = [*_gfortran(), *_FAST, "-fcoarray=single", *files, str(wrapped)]
        self._compile([*command, "-o", str(target), *self._libraries()], target)
        return Program(target, self._mpiexec)

    def _fortran(self, *names: str) -> list[str]:
        return [str(self._sources / f"{name}.f90") for name in names]

    def _place(self, name: str) -> Path:
        """Return where a program will lie: alone, since modules of two may have one name."""
        folder = self._folder / name
        folder.mkdir()
        return folder / name

    def _libraries(self) -> list[str]:
        """Return what the compiler of MPI would link with."""
        shown = subprocess.run(
            [*self._mpicc, "-show"], capture_output=True, text=True, check=False
        ).stdout
        return shlex.split(shown)[1:]

    @staticmethod
    def _compile(command: Sequence[str], target: Path) -> None:
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=target.parent
        )
        if run.returncode != 0:
            raise CompileError(f"The program '{target.name}' was not compiled: {_last_words(run)}")


@contextmanager
def workshop() -> Iterator[Workshop]:
    """Give a workshop in a temporary folder.

    Raises:
        CompileError: There is no gfortran, or Halocline was installed without coarrays.
        MpiError: There is no MPI.
    """
    gfortran = _gfortran()
    if shutil.which(gfortran[0]) is None:
        raise CompileError(
            f"The Fortran compiler '{gfortran[0]}' was not found, and this experiment compiles "
            "coarray programs.",
            hint="Install gfortran 11 or newer, or name it by the environment variable FC.",
        )
    if not caf_program().exists():
        raise CompileError(
            f"Halocline was installed without coarrays: there is no '{caf_program()}'."
        )
    with tempfile.TemporaryDirectory(prefix="halocline-") as folder:
        yield Workshop(Path(folder))


def image_counts(settings: Settings) -> list[int]:
    """Return one image, and as many as were asked for."""
    return sorted({1, settings.ranks})


def beside_reference(ours: Row) -> Table:
    """Return operations beside what was measured of the reference.

    Args:
        ours: Microseconds here by operation, as 'data/003-reference.csv' names it.
    """
    rows = []
    for operation, found in ours.items():
        row: dict[str, object] = {"operation": operation, "coarrays here [us]": found}
        for said in published("003-reference"):
            if said["operation"] == operation:
                # Of a range both ends.
                ends = [said["us"], said["most_us"]]
                row[f"{said['library']} [us]"] = " to ".join(end for end in ends if end)
        rows.append(row)
    title = "beside OpenCoarrays 2.10.1, MPI and plain loads and stores (limit), 2 images: own "
    return Table(f"{title}measurements of another day", rows)


def _gfortran() -> list[str]:
    return shlex.split(os.environ.get("FC", "")) or ["gfortran"]


def _find_mpi() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what starts ranks, and the C compiler that belongs to it."""
    launcher = find_launcher()
    beside = Path(launcher[0]).with_name("mpicc")
    found = str(beside) if beside.exists() else shutil.which("mpicc")
    if found is None:
        raise MpiError(
            f"There is no 'mpicc' in '{beside.parent}' or on the path, and this experiment "
            "compiles programs with MPI.",
            hint='Install MPI with its compiler: pip install "halocline[mpi]".',
        )
    return tuple(launcher), (found,)


def _last_words(run: subprocess.CompletedProcess[str]) -> str:
    return (run.stderr.strip() or run.stdout.strip())[-_LAST_WORDS:] or "it said nothing."
