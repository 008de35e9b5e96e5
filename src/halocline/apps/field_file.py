"""Files of fields that a user asks for: 'surface.nc every=90 variables=zeta,u x=0:1e5 mean=10'."""

from __future__ import annotations

from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from halocline.errors import CaseError, nearest
from halocline.frozen import Frozen
from halocline.geometry import AXES
from halocline.io.field_series import Precision, check_choice, check_format, check_levels
from halocline.io.sections import AnyLevel, Choice, sections_of
from halocline.language.grids.resampled import Prolongation
from halocline.language.numbers import Range
from halocline.options import Check, options_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halocline.apps.case import Case, Problem
    from halocline.io.quantity import Quantity
    from halocline.io.region import Region

# What a run writes in any case, or with 'every'.
_RESERVED = ("series.zarr", "fields.zarr")


def read_range(text: str) -> tuple[float, float]:
    """Return the least and the greatest coordinate of a text as '0:1e5', '0:' or ':1e5'.

    Raises:
        CaseError: It is none, or the second is less than the first.
    """
    low, colon, high = text.partition(":")
    try:
        ends = (float(low) if low else -inf, float(high) if high else inf)
    except ValueError:
        colon = ""
    if not colon or text == ":" or not ends[0] <= ends[1]:
        raise CaseError(
            f"The coordinates '{text}' were given; expected two numbers, the lesser one first, as "
            "'0:1e5', '0:' or ':1e5'."
        )
    return ends


def read_level(text: str) -> AnyLevel:
    """Return the level that a text names by its number, or as 'finest'.

    Raises:
        CaseError: It is neither.
    """
    if text == "finest":
        return "finest"
    if not text.isdecimal():
        raise CaseError(f"The level '{text}' was given; expected a number or 'finest'.")
    return int(text)


class FieldFile(Frozen):
    """A file of fields, and what of them it has.

    Attributes:
        every: Steps between two times.
        variables: Their names, as 'zeta,u,v'; without it all.
        x: Cells with coordinates as '0:1e5', both ends included; '0:' or ':1e5' for one end.
        y: Likewise.
        z: Likewise.
        mean: Instead of states their means since the last time, of the states after each so many
            steps; divides 'every'.
        precision: Of numbers that are not whole; without it that of their fields.
        level: Of a forest, all levels on the cells of this one: a number, or 'finest'; without it a
            group a level.
        prolongation: What these cells get where leaves are coarser.
    """

    every: Annotated[int | None, Range(least=1)] = None
    variables: str | None = None
    x: Annotated[str | None, Check(read_range)] = None
    y: Annotated[str | None, Check(read_range)] = None
    z: Annotated[str | None, Check(read_range)] = None
    mean: Annotated[int | None, Range(least=1)] = None
    precision: Precision | None = None
    level: Annotated[str | None, Check(read_level)] = None
    prolongation: Prolongation = "linear"

    @property
    def of_level(self) -> AnyLevel | None:
        """The level on whose cells a forest is brought together; None for a group a level."""
        return None if self.level is None else read_level(self.level)

    @property
    def interval(self) -> int:
        """Steps between two times."""
        assert self.every is not None
        return self.every

    @property
    def region(self) -> Region:
        """Which cells it has."""
        texts = {name: getattr(self, name) for name in AXES}
        return {name: read_range(text) for name, text in texts.items() if text}

    @property
    def names(self) -> list[str] | None:
        """Those of its variables; None for all."""
        return None if self.variables is None else self.variables.split(",")

    def chosen(self, quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
        """Return the quantities that it has, in the order of the case."""
        return tuple(q for q in quantities if self.names is None or q.name in self.names)

    def check(self, name: str, case: Case, problem: Problem) -> None:
        """Raise a CaseError for what this problem does not have."""
        names = [quantity.name for quantity in problem.quantities]
        for variable in self.names or ():
            if variable not in names:
                raise CaseError(
                    f"The case '{case.name}' has no variable '{variable}' for '{name}'.",
                    hint=nearest(variable, names),
                )
        check_levels(name, problem.grid, self.of_level)
        choice = Choice(
            self.region,
            problem.axes,
            lambda quantity: np.dtype(quantity.dtype),
            self.prolongation,
            is_mean=self.mean is not None,
        )
        with _told_of(name):
            chosen = self.chosen(problem.quantities)
            sections_of(problem.grid, chosen, choice, self.of_level)


FIELD_FILE = options_of(FieldFile)


def read_field_files(texts: list[str] | None) -> dict[str, FieldFile]:
    """Return by their names the files that texts as 'NAME every=N …' ask for.

    Raises:
        CaseError: A text has something unknown in it, or lacks something, or a file is asked for
            twice.
    """
    files: dict[str, FieldFile] = {}
    for text in texts or ():
        name, *words = text.split() or [""]
        _check_name(name, text)
        if name in files:
            raise CaseError(
                f"The file '{name}' was asked for twice.", hint="Give one of them another name."
            )
        files[name] = _field_file(name, words)
    return files


def _field_file(name: str, words: Iterable[str]) -> FieldFile:
    choices = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in FIELD_FILE:
            kind = f"has no choice '{key}'" if equals else f"cannot make anything of '{word}'"
            shape = "" if equals else " Expected NAME=VALUE, without spaces around '='."
            raise CaseError(f"The file '{name}' {kind}.{shape}", hint=nearest(key, FIELD_FILE))
        if key in choices:
            raise CaseError(f"The file '{name}' was given '{key}' twice.")
        with _told_of(name):
            choices[key] = FIELD_FILE[key].check(FIELD_FILE[key].parse(value), CaseError)
    file = FieldFile(**choices)
    if file.every is None:
        raise CaseError(
            f"The file '{name}' was given no 'every'.",
            hint=f"Give the steps between two times: '{name} every=100'.",
        )
    with _told_of(name):
        check_choice(file.every, file.mean, file.precision)
    return file


@contextmanager
def _told_of(name: str) -> Iterator[None]:
    """Return a context in which errors tell the file that they are about."""
    try:
        yield
    except CaseError as error:
        raise CaseError(f"'{name}': {error.message}", hint=error.hint) from None


def _check_name(name: str, text: str) -> None:
    """Refuse what cannot be the name of a file in the directory of the results."""
    if not name or "=" in name:
        raise CaseError(
            f"No file is named in '{text}'.", hint="Its name comes first: 'fields.nc every=100'."
        )
    if Path(name).name != name:
        raise CaseError(
            f"The file '{name}' is in another directory; expected a name alone.",
            hint="All results are in the directory of --output.",
        )
    if name in _RESERVED:
        raise CaseError(
            f"The file '{name}' is one that the run writes itself.", hint="Choose another name."
        )
    check_format(name)
