"""Paper 000, section 6.2, in Fortran: messages, buffered and unbuffered coarrays, one kernel."""

from __future__ import annotations

from itertools import product

from halocline.bench.settings import Settings
from halocline.errors import CaseError
from halocline.geometry import by_axes
from halocline.io.results import FROM, Row, Table
from halocline_reproduction.coarray_programs import Program, Said, Workshop, workshop
from halocline_reproduction.configuration import Configuration, measure, near_cube, near_square
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.lattice import AS_PAPER

MESSAGES, BUFFERED, UNBUFFERED, OURS = "MPI", "buffered", "unbuffered", "Halocline"
_SHARED = ("lattice_boltzmann_model", "lattice_boltzmann_blocks", "lattice_boltzmann_walls")
_CELLS, _QUICK_CELLS = 96, 8
_STEPS, _QUICK_STEPS = 20, 2
_REPETITIONS = 3
# Repetitions of our kernel, and about how long each lasts [s].
_EFFORT = (5, 0.2)
# Others compile and start too much for a look whether it works.
_QUICK_CUTS = ("(1,1,1)", "(1,1,x)", "(1,x,x)")
# What the styles may lose against MPI.
_TOLERANCE = 0.03
# The fewest images that cut two axes, and three.
_SQUARE, _CUBE = 4, 8

Blocks = tuple[int, int, int]


def decompositions(ranks: int) -> dict[str, Blocks]:
    """Return blocks by the paper's names: of one, two and three axes, only an 'x' is cut.

    Where there are too few ranks for two or three axes, as many are taken as these need.
    """
    large, small = near_square(max(ranks, _SQUARE))
    found = {
        "(1,1,1)": (1, 1, 1),
        "(x,1,1)": (ranks, 1, 1),
        "(1,x,1)": (1, ranks, 1),
        "(1,1,x)": (1, 1, ranks),
        "(1,x,x)": (1, small, large),
        "(x,1,x)": (small, 1, large),
        "(x,x,1)": (small, large, 1),
        "(x,x,x)": near_cube(max(ranks, _CUBE)),
    }
    return {name: b for name, b in found.items() if ranks > 1 or name == "(1,1,1)"}


def _compile(shop: Workshop) -> dict[str, Program]:
    """Return the program in the three styles."""
    name = "lattice_boltzmann"
    programs = {MESSAGES: shop.fortran_messages(name, *_SHARED, f"{name}_messages")}
    for style in (BUFFERED, UNBUFFERED):
        programs[style] = shop.coarrays(name, *_SHARED, f"{name}_images", f"{name}_{style}")
    return programs


def study_lattice(_: Experiment, settings: Settings) -> list[Table]:
    """Return one grid cut in all ways, in three styles and by our own kernel."""
    cuts = decompositions(settings.ranks)
    if settings.is_quick:
        cuts = {name: blocks for name, blocks in cuts.items() if name in _QUICK_CUTS}
    cells = _QUICK_CELLS if settings.is_quick else _CELLS
    # A grid grows until it can be divided, as in the paper.
    boxes = {name: tuple(-(-cells // n) * n for n in blocks) for name, blocks in cuts.items()}
    with workshop() as shop:
        programs = _compile(shop)
        found = {name: _run(programs, cuts[name], boxes[name], settings) for name in cuts}
    rows = [
        _row(name, style, said, settings)
        for name, styles in found.items()
        for style, said in styles.items()
    ]
    rows += _ours(cuts, boxes, settings)
    return [
        Table(f"one grid of {cells}³ cells; only an 'x' is cut, x is the fast axis", rows),
        _ratios(rows),
    ]


def _run(
    programs: dict[str, Program], blocks: Blocks, box: tuple[int, ...], settings: Settings
) -> dict[str, Said]:
    """Return the fastest of some runs of each style, which take turns; of one on too few cores.

    Raises:
        CaseError: Styles gave other bits.
    """
    images = blocks[0] * blocks[1] * blocks[2]
    what: dict[str, int | str] = {"walls": "none", "start": "abc"}
    what |= {f"cells_{axis}": n for axis, n in zip("xyz", box, strict=True)}
    what["steps"] = _QUICK_STEPS if settings.is_quick else _STEPS
    best: dict[str, Said] = {}
    is_once = settings.is_quick or settings.mark(images)
    turns = range(1 if is_once else _REPETITIONS)
    for _, (style, program) in product(turns, programs.items()):
        (said,) = program.run(images, blocks=by_axes(blocks), **what)
        if style not in best or _step(said) < _step(best[style]):
            best[style] = said
    if len({said["checksum"] for said in best.values()}) > 1:
        raise CaseError(
            f"The styles gave different bits in {by_axes(blocks)} blocks: a result is wrong."
        )
    return best


def _step(said: Said) -> float:
    """Return the time of a step [s]."""
    return float(said["seconds_per_step"])


def _row(name: str, style: str, said: Said, settings: Settings) -> Row:
    images = int(said["images"])
    return {
        FROM: "here",
        "cut": name,
        "blocks": said["blocks"],
        "images": images,
        "note": settings.mark(images),
        "style": style,
        "MLUPS": float(said["million_updates_per_second"]),
        "exchange [%]": 100 * float(said["exchange_seconds_per_step"]) / _step(said),
    }


def _ours(
    cuts: dict[str, Blocks], boxes: dict[str, tuple[int, ...]], settings: Settings
) -> list[Row]:
    """Return the rates of our kernel, which exchanges as the paper's MPI code does."""
    every = {
        name: Configuration(
            "d3q19",
            tuple(n // m for n, m in zip(boxes[name], blocks, strict=True)),
            blocks,
            AS_PAPER,
        )
        for name, blocks in cuts.items()
    }
    found = measure(every.values(), settings, _EFFORT)
    return [
        {
            FROM: "here",
            "cut": name,
            "blocks": by_axes(c.blocks),
            "images": c.ranks,
            "note": settings.mark(c.ranks),
            "style": OURS,
            "MLUPS": c.cells / found[c].least() / 1e6,
            "exchange [%]": 100 * found[c].least("start", "wait") / found[c].least(),
        }
        for name, c in every.items()
    ]


def _ratios(rows: list[Row]) -> Table:
    """Return rates against MPI's, and whether coarrays come as near as was asked."""
    ratios: list[Row] = []
    for base in rows:
        if base["style"] == MESSAGES:
            of = {row["style"]: row["MLUPS"] for row in rows if row["cut"] == base["cut"]}
            ratio = {style: rate / base["MLUPS"] for style, rate in of.items()}
            is_near = min(ratio[BUFFERED], ratio[UNBUFFERED]) >= 1 - _TOLERANCE
            verdict = "yes" if is_near else "no"
            ratios.append(
                {
                    "cut": base["cut"],
                    "blocks": base["blocks"],
                    "note": base["note"],
                    **{f"{s} / MPI": ratio[s] for s in (BUFFERED, UNBUFFERED, OURS)},
                    "coarrays within 3 %": "-" if base["note"] else verdict,
                }
            )
    return Table("rates against that of MPI in the same cut", ratios)


STUDIES: dict[str, Study] = {"000-lattice-coarrays": study_lattice}
