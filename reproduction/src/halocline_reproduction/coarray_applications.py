"""Paper 003, applications: jitter, Burgers' equation, Himeno, transposes, matrix times vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, product
from math import pi
from typing import Any

from halocline.bench.settings import Settings
from halocline.io.results import FROM, Row, Table
from halocline_reproduction.coarray_programs import (
    Program,
    Said,
    Workshop,
    beside_reference,
    image_counts,
    workshop,
)
from halocline_reproduction.coarray_transfers import COARRAYS, MPI
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.published import stated

# Points of Burgers' equation and the end of its time; fronts are resolved from 64 points on.
_BURGERS = {64: 0.6, 256: 0.05}
_QUICK_BURGERS = {16: 0.05}
_WEAK_POINTS, _WEAK_STEPS, _QUICK_STEPS = 4096, 500, 10
# The program's time step in squares of the distance of points.
_STEP = 0.1 * 0.1 * 2 / 4
_SWEEPS = {"S": 50, "M": 10}
_QUICK_SWEEPS = {"XS": 3}
_HIMENO_AS_REFERENCE = "M"
_HIMENO_OPERATION = "Himeno M a sweep: communication with {}"
_SPECTRAL, _QUICK_SPECTRAL = (128, 128, 64), (8, 8, 4)
_MATRIX, _QUICK_MATRIX = 1024, 32
_ORDER, _QUICK_ORDER = 2000, 50
# Of the histogram of times, what is shown one by one.
_BODY = 0.99


def _pair(shop: Workshop, name: str) -> dict[str, Program]:
    """Return a program with coarrays and its twin with MPI."""
    return {COARRAYS: shop.coarrays(name), MPI: shop.messages(f"{name}_mpi")}


def _multiple(of: int, least: int) -> int:
    """Return the smallest multiple that is at least as large."""
    return -(-least // of) * of


def study_psnap(_: Experiment, settings: Settings) -> list[Table]:
    """Return how the times of a loop of exchanges scatter."""
    often = {"n": 20, "w": 2, "g": 200} if settings.is_quick else {"n": 1000, "w": 100, "g": 1000}
    with workshop() as shop:
        found = {
            name: program.run(max(2, settings.ranks), limit=5, **often)
            for name, program in _pair(shop, "psnap").items()
        }
    rows: list[Row] = [_jitter(name, said) for name, said in found.items()]
    for quantity, who in (
        ("psnap_intel_yellowstone", "Intel, Yellowstone"),
        ("psnap_gfortran_yellowstone", "GFortran on IBM MPI, Yellowstone"),
        ("psnap_cray_hopper", "Cray, Hopper"),
        ("psnap_gfortran_hopper", "GFortran on MPI, Hopper"),
    ):
        mean = 1e3 * stated("003", quantity)
        rows.append({FROM: "paper", "with": who, "mean [us]": mean})
    bins = [row for name, said in found.items() for row in _histogram(name, said)]
    return [
        Table(f"a loop of exchanges between peers {settings.mark(settings.ranks)}".rstrip(), rows),
        Table("how often it took so long: 99 % of all loops", bins),
    ]


def _counts(said: list[Said]) -> list[tuple[int, int]]:
    """Return microseconds and how often, of all images."""
    counts: Counter[int] = Counter()
    for row in said:
        counts[int(row["microseconds"])] += int(row["count"])
    return sorted(counts.items())


def _jitter(name: str, said: list[Said]) -> Row:
    counts = _counts(said)
    total, exchanges = sum(n for _, n in counts), int(said[0]["exchanges"])
    mean = sum((us + 0.5) * n for us, n in counts) / total
    return {
        FROM: "here",
        "with": name,
        "mean [us]": mean,
        "exchanges": exchanges,
        "an exchange [us]": mean / exchanges,
        "median [us]": _quantile(counts, 0.5),
        "99 % below [us]": _quantile(counts, _BODY),
        "longest [us]": counts[-1][0],
    }


def _quantile(counts: list[tuple[int, int]], share: float) -> int:
    """Return the time that so many do not exceed."""
    below = accumulate(n for _, n in counts)
    total = sum(n for _, n in counts)
    return next(us for (us, _), n in zip(counts, below, strict=True) if n >= share * total)


def _histogram(name: str, said: list[Said]) -> Iterator[Row]:
    counts = _counts(said)
    total, last = sum(n for _, n in counts), _quantile(counts, _BODY)
    width = max(1, (last - counts[0][0]) // 20)
    bins: Counter[int] = Counter()
    for us, n in counts:
        if us <= last:
            bins[us // width * width] += n
    for us, n in sorted(bins.items()):
        yield {FROM: "here", "with": name, "from [us]": us, "share [%]": 100 * n / total}


def study_burgers(_: Experiment, settings: Settings) -> list[Table]:
    """Return the time of a step of Burgers' equation, whose messages are single numbers."""
    sizes = _QUICK_BURGERS if settings.is_quick else _BURGERS
    steps = _QUICK_STEPS if settings.is_quick else _WEAK_STEPS
    rows: list[Row] = []
    weak: list[Row] = []
    with workshop() as shop:
        for name, program in _pair(shop, "burgers").items():
            alone = None
            for images in image_counts(settings):
                rows += [
                    _burgers(name, program, settings, images=images, points=points, end=end)
                    for points, end in sizes.items()
                ]
                points = _WEAK_POINTS * images
                end = steps * _STEP * (2 * pi / points) ** 2
                row = _burgers(name, program, settings, images=images, points=points, end=end)
                us = row["step [us]"]
                alone = alone or us
                weak.append({**row, "efficiency [%]": 100 * alone / us})
    efficiency = stated("003", "burgers_weak_efficiency")
    cores = int(stated("003", "burgers_weak_cores"))
    weak.append({FROM: "paper", "with": "coarrays", "images": cores, "efficiency [%]": efficiency})
    return [
        Table("the same points on more images", rows),
        Table(f"{_WEAK_POINTS} points an image", weak),
    ]


def _burgers(
    name: str, program: Program, settings: Settings, *, images: int, points: int, end: float
) -> Row:
    # Both even and a multiple of the images.
    points = _multiple(2 * images, points)
    (said,) = program.run(images, points=points, end=end)
    return {
        FROM: "here",
        "with": name,
        "images": images,
        "note": settings.mark(images),
        "points": points,
        "steps": int(said["steps"]),
        "step [us]": float(said["microseconds/step"]),
        "largest error": float(said["max_error"]),
    }


def study_himeno(_: Experiment, settings: Settings) -> list[Table]:
    """Return the rate of Himeno's benchmark, and what halos cost."""
    sizes = _QUICK_SWEEPS if settings.is_quick else _SWEEPS
    rows: list[Row] = []
    ours: dict[str, float | None] = {}
    with workshop() as shop:
        pair = _pair(shop, "himeno")
        for (size, sweeps), images in product(sizes.items(), image_counts(settings)):
            for split in range(1, 1 + min(3, max(1, _prime_factors(images)))):
                what: dict[str, Any] = {"size": size, "sweeps": sweeps, "split": split}
                found = _himeno(pair, images, what)
                rows += [_himeno_row(name, said, settings) for name, said in found]
                if (size, images, split) == (_HIMENO_AS_REFERENCE, 2, 1):
                    ours = {
                        _HIMENO_OPERATION.format(said["communication"]): _communication(said)
                        for name, said in found
                        if name == COARRAYS
                    }
    tables = [Table("single precision; communication with the sum of the residual", rows)]
    return [*tables, beside_reference(ours)] if ours else tables


def _himeno(pair: dict[str, Program], images: int, what: dict[str, Any]) -> list[tuple[str, Said]]:
    """Return rows of both programs; that with MPI must have the residual of the other."""
    found = [
        (COARRAYS, said)
        for communication in ("put", "get")
        for said in pair[COARRAYS].run(images, communication=communication, **what)
    ]
    known = found[0][1]["gosa"]
    return [*found, *((MPI, said) for said in pair[MPI].run(images, known=known, **what))]


def _communication(said: Said) -> float:
    return 1e6 * float(said["communication_seconds/sweep"])


def _himeno_row(name: str, said: Said, settings: Settings) -> Row:
    images = int(said["images"])
    return {
        FROM: "here",
        "with": name,
        "operation": said["communication"],
        "size": said["size"],
        "images": images,
        "blocks": "x".join(said[f"images_{axis}"] for axis in "ijk"),
        "note": settings.mark(images),
        "MFLOPS": float(said["MFLOPS"]),
        "communication [us a sweep]": _communication(said),
    }


def _prime_factors(number: int) -> int:
    """Return how many prime factors a number has: along so many axes it can be cut."""
    count, factor = 0, 2
    while number > 1:
        if number % factor:
            factor += 1
        else:
            number, count = number // factor, count + 1
    return count


def study_transpose(_: Experiment, settings: Settings) -> list[Table]:
    """Return transposes of a field and of a matrix, in blocks and element by element."""
    images = max(2, settings.ranks)
    nx, ny, nz = _QUICK_SPECTRAL if settings.is_quick else _SPECTRAL
    nx, ny = _multiple(2 * images, nx), _multiple(images, ny)
    n = _multiple(images, _QUICK_MATRIX if settings.is_quick else _MATRIX)
    kinds: dict[str, dict[str, int]] = {
        "spectral": {"nx": nx, "ny": ny, "nz": nz},
        "matrix": {"n": n},
    }
    found: list[tuple[str, Said]] = []
    with workshop() as shop:
        pair = _pair(shop, "transpose")
        for kind, size in kinds.items():
            for transfer, variant in product(("block", "element"), ("send", "receive")):
                what: dict[str, Any] = {"kind": kind, "transfer": transfer, "variant": variant}
                found += ((COARRAYS, s) for s in pair[COARRAYS].run(images, **what, **size))
            found += ((MPI, said) for said in pair[MPI].run(images, kind=kind, **size))
    rows = [_transpose_row(name, said) for name, said in found]
    ours = {
        f"transpose of {n}x{n} numbers": row["transpose [us]"]
        for row in rows
        if (row["with"], row["kind"], row["moved"]) == (COARRAYS, "matrix", "block, send")
    }
    note = f"{nx}x{ny}x{nz} points, or {n}x{n} numbers; {images} images {settings.mark(images)}"
    tables = [Table(note.rstrip(), rows)]
    is_as_reference = not settings.is_quick and images == 2  # noqa: PLR2004
    return [*tables, beside_reference(ours)] if is_as_reference else tables


def _transpose_row(name: str, said: Said) -> Row:
    moved = f"{said['transfer']}, {said['variant']}" if name == COARRAYS else "MPI_Alltoall"
    return {
        FROM: "here",
        "with": name,
        "kind": " ".join(filter(None, (said["kind"], said["direction"]))),
        "moved": moved,
        "sent [B]": int(float(said["bytes"])),
        "transpose [us]": 1e6 * float(said["seconds/transpose"]),
        "MB/s": float(said["MB/s"]),
    }


def study_matrix_vector(_: Experiment, settings: Settings) -> list[Table]:
    """Return a product of a matrix that one image has, sent once or for each product."""
    n = _QUICK_ORDER if settings.is_quick else _ORDER
    parts = ("distribute", "broadcast", "multiply", "gather")
    rows: list[Row] = []
    with workshop() as shop:
        for name, program in _pair(shop, "matrix_vector").items():
            for mode in ("once", "repeated"):
                (said,) = program.run(settings.ranks, mode=mode, n=n)
                times = {f"{part} [ms]": 1e3 * float(said[f"{part}_seconds"]) for part in parts}
                rows.append(
                    {
                        FROM: "here",
                        "with": name,
                        "matrix": "for each product" if mode == "once" else "for all products",
                        "images": settings.ranks,
                        "products": int(said["products"]),
                        **times,
                        "all [s]": float(said["seconds"]),
                        "one image alone [s]": float(said["serial_seconds"]),
                    }
                )
    for quantity, who in (
        ("matrix_vector_gfortran_yellowstone", "GFortran on MPI, Yellowstone"),
        ("matrix_vector_intel", "Intel, Yellowstone"),
        ("matrix_vector_gfortran_hopper", "GFortran on MPI, Hopper"),
        ("matrix_vector_cray", "Cray, Hopper"),
    ):
        row = {FROM: "paper", "with": who, "matrix": "not said", "images": 16}
        rows.append({**row, "all [s]": stated("003", quantity)})
    title = f"{n}x{n} numbers here; the paper does not say how many; "
    return [Table(f"{title}{settings.mark(settings.ranks)}".rstrip("; "), rows)]


STUDIES: dict[str, Study] = {
    "003-psnap": study_psnap,
    "003-burgers": study_burgers,
    "003-himeno": study_himeno,
    "003-transpose": study_transpose,
    "003-matrix-vector": study_matrix_vector,
}
