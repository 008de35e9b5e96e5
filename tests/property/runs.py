"""Random programs on random blocks by random strategies, beside what they mean."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from pprint import pformat
from random import Random

import numpy as np
from in_caches import small_caches
from property.draw import draw_program
from property.evaluation import UndefinedError
from property.executions import Execution, Piece, draw_execution, is_refused, plainer
from property.given import Record
from property.legal import known_numbers
from property.oracle import Oracle
from property.programs import Program, flat
from property.smaller import smaller
from property.written import FailureError, Written, gathered

import halocline as hc
from halocline.errors import HaloclineError
from halocline.io import checkpoint
from halocline.runtime.job import join

# How many programs are run in all, and which part of them where.
COUNT = int(os.environ.get("HALOCLINE_PROGRAMS", "288"))
SEED = int(os.environ.get("HALOCLINE_SEED", "23"))
_SHARES = {
    "numpy": 0.69, "c++": 0.02, "2 virtual": 0.05, "3 virtual": 0.05, "4 virtual": 0.05,
    "2 MPI": 0.06, "3 MPI": 0.06, "relay": 0.01,
}  # fmt: skip
# How many ranks there are for each piece of a run that is moved from machine to machine.
RELAY = (2, 3, 1)


def share(name: str) -> range:
    """Return the numbers of the programs that one of the tests runs; no two run the same."""
    first = sum(_SHARES[other] for other in list(_SHARES)[: list(_SHARES).index(name)])
    return range(round(COUNT * first), round(COUNT * (first + _SHARES[name])))


# How many smaller programs are tried when one has a fault.
ATTEMPTS = 1000

DIFFERS = "a number differs"


def check(
    number: int, target: str, ranks: int = 1, device: str = "cpu"
) -> tuple[Program, Execution] | None:
    """Run a random program in a random execution; return both if it did what it means.

    Returns:
        None for a program that has no meaning, or may be refused.

    Raises:
        AssertionError: It did not; the message has a smaller program with the same fault.
    """
    random = Random(f"{SEED} {number}")
    program = draw_program(random)
    execution = draw_execution(random, program, (ranks,), target, device)
    if execution is None:
        return None
    with small_caches(random.choice((1, 1000, 5000))):
        found = fault(program, execution)
        if found:
            program, execution = shrunk(program, execution)
            what = details(program, execution) if found == DIFFERS else found
            raise AssertionError(_told(number, what, program, execution))
    return None if found is None else (program, execution)


def check_relay(
    number: int, leg: int, ranks: Sequence[int], directory: Path
) -> tuple[Program, Execution] | None:
    """Run a piece of a program whose pieces have so many ranks each, from file to file.

    Returns:
        None for a program that has no meaning, or may be refused.

    Raises:
        AssertionError: It did not do what it means.
    """
    random = Random(f"{SEED} relay {number}")
    program = draw_program(random)
    execution = draw_execution(random, program, ranks, random.choice(("numpy", "numpy", "c++")))
    if execution is None:
        return None
    path = directory / f"{number}.npz"
    try:
        what = join().first(difference(program, execution, leg, path) or None)
    except UndefinedError:
        return None
    if what:
        raise AssertionError(_told(number, f"leg {leg}: {what}", program, execution))
    return program, execution


def _told(number: int, what: str, program: Program, execution: Execution) -> str:
    text = f"{pformat(execution)}\n{pformat(program, width=100)}"
    return f"Program {number} of seed {SEED}: {what}\n{text}"


def fault(program: Program, execution: Execution) -> str | None:
    """Return in a word what is wrong with a run of a program; None if it has no meaning.

    All ranks find the same.
    """
    try:
        return DIFFERS if details(program, execution) else ""
    except UndefinedError:
        return None
    except HaloclineError as error:
        return f"{type(error).__name__}: {error.message[:60]}"
    except RuntimeError as error:
        if join().size > 1:  # perhaps one rank's alone
            raise
        return repr(error)


def shrunk(program: Program, execution: Execution) -> tuple[Program, Execution]:
    """Return a smaller program, plainly executed, with the same fault; all ranks find the same."""
    wanted, left = fault(program, execution), ATTEMPTS
    found: tuple[Program, Execution] | None = program, execution
    while found and left > 0:
        program, execution = found
        found = None
        candidates = [(one, execution) for one in smaller(program)]
        for candidate in candidates + [(program, one) for one in plainer(execution)]:
            left -= 1
            if not is_refused(*candidate) and fault(*candidate) == wanted:
                found = candidate
                break
    return program, execution


def details(program: Program, execution: Execution) -> str:
    """Return what the first rank that found something has found."""
    return join().first(difference(program, execution) or None) or ""


def difference(
    program: Program, execution: Execution, leg: int | None = None, path: Path | None = None
) -> str:
    """Run a program on the ranks there are and say where it differs from what it means.

    Args:
        program: The program.
        execution: How it is run.
        leg: Which of its pieces alone, which begins from a file and leaves one; none for all.
        path: The file.

    Raises:
        UndefinedError: It has no meaning.
        HaloclineError: It was refused.
    """
    oracle, expected, known = Oracle(program), [], known_numbers(program)
    for piece in execution.pieces:
        try:
            oracle.advance(piece.steps)
        except (TypeError, OverflowError):
            # A smaller one than was drawn, of types for which there is no such operation.
            raise UndefinedError from None
        arrays = {name: array.copy() for name, array in oracle.arrays.items()}
        numbers = {name: oracle.numbers[name] for name in oracle.numbers if name in known}
        records = {name: list(rows) for name, rows in oracle.records.items()}
        expected.append((arrays, numbers, records))
    with _directory() as directory:
        file = path or Path(directory) / "checkpoint.npz"
        run = _Run(program, file)
        # Everything is done on all ranks before anything is compared, where one may find more.
        found = []
        for number, piece in enumerate(execution.pieces):
            if leg in (None, number):
                run.go_on(piece, is_first=number == 0)
                numbers = {name: run.written.numbers[name].value for name in expected[number][1]}
                kept = {name: (r.times, r.values) for name, r in run.written.records.items()}
                found.append((gathered(run.written, program), numbers, kept))
        if leg is not None:
            checkpoint.save(run.simulation, file)
            expected = expected[leg : leg + 1]
    sincs = {
        one.name
        for one in flat(program.steps)
        if isinstance(one, Record) and one.points.interpolation == "sinc"
    }
    differing = [
        text for pair in zip(found, expected, strict=True) for text in _compared(*pair, sincs)
    ]
    return differing[0] if differing else ""


@contextmanager
def _directory() -> Iterator[str]:
    """Make a directory, the same for all ranks of a node; it is removed when all have left."""
    job = join()
    made = job.on_first(tempfile.TemporaryDirectory)
    try:
        yield str(job.first(made and made.name))
    finally:
        if made is not None:
            made.cleanup()


class _Run:
    """A program that is run piece by piece.

    Attributes:
        written: The program as a user has written it.
        simulation: What runs now.
    """

    def __init__(self, program: Program, file: Path) -> None:
        self._program, self._file = program, file
        self.written = Written(program)
        self.simulation: hc.Simulation | None = None

    def go_on(self, piece: Piece, *, is_first: bool) -> None:
        before = self.simulation
        if not is_first and piece.way == "restart":
            if before is not None:
                checkpoint.save(before, self._file)
                self.written = Written(self._program)
            self.simulation = self._made(piece)
            checkpoint.load(self.simulation, self._file)
        elif before is None:
            self.simulation = self._made(piece)
        elif piece.way == "taken over":
            step, time = before.step, before.time
            self.simulation = self._made(piece)
            self.simulation.step, self.simulation.time = step, time
        elif piece.way == "failed":
            checkpoint.save(before, self._file)
            self.written.is_failing = True
            # Where it is called now and then, this step may do without it.
            with suppress(FailureError):
                before.run(1, progress=False)
            self.written.is_failing = False
            checkpoint.load(before, self._file)
        if (
            before is not None
            and piece.way in ("on", "failed")
            and before.decomposition != piece.split
        ):
            before.rebuild(decomposition=piece.split)
        self.simulation.run(piece.steps, progress=False)

    def _made(self, piece: Piece) -> hc.Simulation:
        return hc.Simulation(
            self.written.grid,
            self.written.steps,
            dt=self.written.dt,
            decomposition=piece.split,
            strategy=piece.strategy,
            target=piece.target,
            device=piece.device,
            check_every=0,
            threads=1,
        )


def _compared(found, expected, sincs: set[str]) -> Iterator[str]:
    """Say where fields and numbers differ from what they should be; fields on rank 0 alone.

    Weights of 'sincs' come from elementary functions, which libraries round differently.
    """
    for name, rows in expected[2].items():
        times, values = found[2][name]
        known = np.array([value for _, value in rows]).reshape(values.shape)
        if name in sincs:
            large = np.abs(known[np.isfinite(known)]).max(initial=1.0)
            is_near = np.isclose(values, known, rtol=1e-9, atol=1e-9 * large, equal_nan=True)
        else:
            is_near = is_same(values, known)
        if not is_near.all():
            at = tuple(np.argwhere(~is_near)[0].tolist())
            yield f"{name} recorded {values[at]!r} and not {known[at]!r} at (row, point) {at}"
        if not is_same(times, np.array([time for time, _ in rows])).all():
            yield f"{name} recorded at {times} and not {[time for time, _ in rows]}"
    for name, number in expected[1].items():
        if not is_same(np.array(found[1][name]), np.array(number)):
            yield f"{name} is {found[1][name]!r} and not {number!r}"
    for name, array in expected[0].items():
        values = found[0][name]
        if values is None:
            continue
        if values.dtype != array.dtype:
            yield f"{name} is of {values.dtype} and not {array.dtype}"
        elif not (same := is_same(values, array)).all():
            at = tuple(np.argwhere(~same)[0].tolist())
            yield (
                f"{name} differs in {(~same).sum()} cells, first (component, cell) {at}: "
                f"{values[at]!r} and not {array[at]!r}"
            )


def is_same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where numbers have the same bits, or are both not a number."""
    if a.dtype.kind != "f":
        return a == b
    return (a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)
