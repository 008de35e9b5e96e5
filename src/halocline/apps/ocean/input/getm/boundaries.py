"""The open boundaries of a GETM run: where they are, of which type, and the sea beyond them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from msgspec import field
from msgspec.structs import replace

from halocline.apps.ocean.input.boundary_file import read_currents, read_rows, wet_parts
from halocline.apps.ocean.input.getm.bathymetry import corner_of
from halocline.apps.ocean.input.text_lines import Line, lines_of
from halocline.apps.ocean.setup.domain import OpenBoundary
from halocline.errors import CaseError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from halocline.apps.ocean.input.getm.namelists import Namelists
    from halocline.apps.ocean.input.input_file import Period
    from halocline.apps.ocean.setup.domain import OpenKind, OpenSide
    from halocline.language.series.series import Series

_Kind = TypeVar("_Kind", bound=str)
# In which order the file has them, and along which axis each lies.
_SIDES: tuple[OpenSide, ...] = ("west", "north", "east", "south")
_KINDS: dict[int, OpenKind] = {1: "zero-gradient", 2: "radiating", 3: "clamped", 4: "flather"}
# Whose temperature and salinity open cells have: those of the beginning, or of a file.
_TRACERS: dict[int, Literal["constant", "clamped"]] = {-1: "constant", 0: "clamped"}
# Of these the elevation of the sea beyond must be known.
_DRIVEN: tuple[OpenKind, ...] = ("clamped", "flather")


class _Segment(Frozen):
    """A line of a boundary file: cells, counted from 0 in the file of the bathymetry."""

    line: Line
    cells: OpenBoundary
    tracers: int


class Boundaries(Frozen, eq=False):
    """What a folder says of open boundaries.

    Attributes:
        parts: Lines of open cells, counted from 0 in the window of the run, each of a kind.
        elevation: Of their cells, in order, with time; None if nothing is given.
        current: Across Flather boundaries, in the same way [m/s].
        ramp: Time in which both grow from nothing [s].
        tracers: Whose temperature and salinity open cells have: 'constant' for those of the
            beginning, 'clamped' for those of a file; None if the run says nothing of it.
        points: How many cells the lines of the file have, land among them.
        numbers: For each cell of 'parts' how many of these come before it.
    """

    parts: tuple[OpenBoundary, ...] = ()
    elevation: Series | None = None
    current: Series | None = None
    ramp: float = 0.0
    tracers: Literal["constant", "clamped"] | None = None
    points: int = 0
    numbers: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))

    @property
    def cells(self) -> tuple[NDArray[np.intp], ...]:
        """Indices of open cells along x and y, in order."""
        return tuple(np.concatenate([part.cells() for part in self.parts], axis=1))


def read_boundaries(
    folder: Path,
    namelists: Namelists,
    is_wet: NDArray[np.bool_],
    period: Period,
) -> Boundaries:
    """Return the open boundaries of a run.

    Args:
        folder: With their files.
        namelists: Of the run.
        is_wet: Which cells of its window are water, shape (nx, ny).
        period: Of the run.

    Raises:
        CaseError: A file cannot be read, or has something else, or what we do not support.
    """
    if not namelists["domain.openbdy"]:
        return Boundaries()
    path = folder / namelists["domain.bdyinfofile"]
    corner = corner_of(namelists)
    segments = list(_segments(path))
    lines = [_in_window(segment, corner, is_wet.shape) for segment in segments]
    for segment, line in zip(segments, lines, strict=True):
        if not is_wet[line.cells()].any():
            raise segment.line.refusal(
                f"a {line.side} boundary of land only, or of cells that 'mask.adjust' makes land; "
                "expected water"
            )
    if not segments:
        return Boundaries()
    parts, numbers = wet_parts(lines, is_wet)
    points = sum(line.cells()[0].size for line in lines)
    boundaries = Boundaries(
        parts, tracers=_tracers(namelists, segments), points=points, numbers=numbers
    )
    is_driven = _is_of_kind(parts, *_DRIVEN)
    if not is_driven.any() or not namelists["m2d.bdy2d"]:
        return boundaries
    data = folder / namelists["m2d.bdyfile_2d"]
    elevation = read_rows(data, "elev", "m", points, numbers, period, is_driven)
    is_flather = _is_of_kind(parts, "flather")
    current = None
    if is_flather.any():
        current = read_currents(data, parts, points, numbers, period, is_flather)
    ramp = namelists["m2d.bdy2d_ramp"]
    seconds = ramp * namelists["time.timestep"] if ramp > 1 else 0.0
    return replace(boundaries, elevation=elevation, current=current, ramp=seconds)


def _is_of_kind(parts: Sequence[OpenBoundary], *kinds: OpenKind) -> NDArray[np.bool_]:
    """Return which cells of boundaries are of some kinds."""
    sizes = [part.cells()[0].size for part in parts]
    return np.repeat([part.kind in kinds for part in parts], sizes)


def _segments(path: Path) -> Iterator[_Segment]:
    """Return the segments of a boundary file: for each side how many there are, then each."""
    if not path.is_file():
        raise CaseError(f"There is no boundary description file '{path}'.")
    lines = iter(lines_of(path))
    for side in _SIDES:
        for _ in range(_next(path, lines, f"the number of {side} boundaries").whole(1)[0]):
            line = _next(path, lines, f"a {side} boundary")
            index, first, last, kind, tracers = line.whole(5)
            if kind not in _KINDS:
                raise line.refusal(
                    f"the 2-D type {kind}; expected 1 (zero gradient), 2 (Sommerfeld), 3 (clamped) "
                    "or 4 (Flather)"
                )
            cells = OpenBoundary(side, index - 1, first - 1, last - 1, _KINDS[kind])
            yield _Segment(line, cells, tracers)


def _next(path: Path, lines: Iterator[Line], expected: str) -> Line:
    for line in lines:
        return line
    raise CaseError(
        f"The boundary description file '{path}' ends where {expected} is expected.",
        hint="It has a number for west, north, east and south each, and after each so many lines "
        "'index, first, last, 2-D type, 3-D type'.",
    )


def _in_window(segment: _Segment, corner: tuple[int, int], extent: tuple[int, ...]) -> OpenBoundary:
    """Return where a segment lies in the window of the run."""
    cells = segment.cells
    across = "xy".index(cells.axis)
    index, shift = cells.index - corner[across], corner[1 - across]
    first, last = cells.first - shift, cells.last - shift
    if not (0 <= index < extent[across] and 0 <= first <= last < extent[1 - across]):
        raise segment.line.refusal(
            f"a {cells.side} boundary at {cells.index + 1}, cells {cells.first + 1} to "
            f"{cells.last + 1}, but the run has {extent[0]} x {extent[1]} cells, of which the "
            f"first is ({corner[0] + 1}, {corner[1] + 1})"
        )
    return replace(cells, index=index, first=first, last=last)


def _tracers(
    namelists: Namelists, segments: list[_Segment]
) -> Literal["constant", "clamped"] | None:
    """Return whose temperature and salinity all segments have.

    Without 'bdy3d' newer versions, which know 'bdy3d_vel', make clamped segments constant ones, and
    older ones look at none.
    """
    is_given = namelists["m3d.bdy3d"]
    if not namelists.tracers or namelists.is_frozen:
        return None
    if not is_given and not namelists.is_given("m3d.bdy3d_vel"):
        return None
    for segment in segments:
        if segment.tracers not in _TRACERS:
            raise segment.line.refusal(
                f"the 3-D type {segment.tracers}; supported is -1 (constant) or 0 (clamped)"
            )
    if not is_given:
        return "constant"
    return _same(segments, [_TRACERS[segment.tracers] for segment in segments])


def _same(segments: list[_Segment], kinds: list[_Kind]) -> _Kind:
    """Return the kind that all segments have."""
    for segment, kind in zip(segments, kinds, strict=True):
        if kind != kinds[0]:
            raise segment.line.refusal(
                f"a boundary of the kind '{kind}', but another one is '{kinds[0]}'; supported is "
                "one kind for all"
            )
    return kinds[0]
