"""Paper 003, micro-benchmarks: transfers, synchronisation and halos of coarrays, beside MPI."""

from __future__ import annotations

from math import isqrt
from typing import Any

from halocline.bench.settings import Settings
from halocline.io.results import FROM, Row, Table
from halocline_reproduction.coarray_programs import (
    Program,
    Said,
    Workshop,
    beside_reference,
    workshop,
)
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.published import published

COARRAYS, MPI = "coarrays", "MPI"
# How a message of MPI synchronises: by itself.
_ITSELF = "message"
_WORD_BYTES = 8
_LATENCY_WORDS, _QUICK_WORDS = 512, 32
# 16 MB.
_BANDWIDTH_WORDS = 1 << 21
# How many values the reference moved of those that lie apart.
_REFERENCE_VALUES = (1000, 100_000)
_LARGEST_CUBE, _REFERENCE_CUBE, _QUICK_CUBE = 150, 128, 10

# Programs by what they communicate with.
_Pair = dict[str, Program]


def _compile(shop: Workshop) -> _Pair:
    modules = ("micro_transfers", "micro_others")
    return {COARRAYS: shop.coarrays("micro", *modules), MPI: shop.messages("micro_mpi")}


def _images(settings: Settings) -> int:
    """Return how many images take part: transfers need two."""
    return max(2, settings.ranks)


def _arrangements(settings: Settings) -> tuple[str, ...]:
    """Return who moves: with two images all arrangements are one."""
    images = _images(settings)
    return ("single", "multiple") if images > 2 and images % 2 == 0 else ("single",)  # noqa: PLR2004


def _seconds(settings: Settings, usual: float) -> float:
    """Return how long a test lasts at least [s]."""
    return 1e-3 if settings.is_quick else usual


def _transfers(pair: _Pair, settings: Settings, **what: Any) -> list[tuple[str, Said]]:
    """Return what programs say of transfers, with what they communicate with."""
    return [
        (name, said)
        for arrangement in _arrangements(settings)
        for name, program in pair.items()
        for said in program.run(_images(settings), part="point", arrangement=arrangement, **what)
    ]


def _who(name: str, said: Said) -> Row:
    return {
        FROM: "here",
        "with": name,
        "operation": said["operation"],
        "synchronisation": said["synchronisation"] or _ITSELF,
    }


def _bytes(said: Said) -> int:
    return _WORD_BYTES * int(said["count"]) * int(said["block_words"])


def _us(said: Said) -> float:
    return 1e6 * float(said["seconds"])


def _note(settings: Settings) -> str:
    mark = settings.mark(_images(settings))
    return f"{_images(settings)} images here{', ' if mark else ''}{mark}"


def study_latency(_: Experiment, settings: Settings) -> list[Table]:
    """Return the time of small contiguous transfers with their synchronisation."""
    words = _QUICK_WORDS if settings.is_quick else _LATENCY_WORDS
    what = {"mode": "contiguous", "words": words, "seconds": _seconds(settings, 0.1)}
    with workshop() as shop:
        found = _transfers(_compile(shop), settings, **what)
    rows: list[Row] = [
        {
            **_who(name, said),
            "arrangement": said["arrangement"],
            "message [B]": _bytes(said),
            "time [us]": _us(said),
        }
        for name, said in found
    ]
    rows += [
        {
            FROM: "paper",
            "with": "Intel coarrays, 32 cores on 2 nodes",
            "operation": "put",
            "synchronisation": "not said",
            "arrangement": "single",
            # The bandwidth that is printed beside it says that these are words.
            "message [B]": _WORD_BYTES * int(row["blksize_bytes"]),
            "time [us]": 1e6 * float(row["latency_sec"]),
        }
        for row in published("003-intel")
    ]
    put = next(
        said
        for name, said in found
        if name == COARRAYS and said["synchronisation"] == "images" and said["operation"] == "put"
    )
    return [
        Table(f"a transfer one way with its synchronisation; {_note(settings)}", rows),
        beside_reference({"put of 8 bytes and SYNC IMAGES there and back": 2 * _us(put)}),
    ]


def study_bandwidth(_: Experiment, settings: Settings) -> list[Table]:
    """Return contiguous transfers of all sizes, and those of values that lie apart."""
    words = _QUICK_WORDS if settings.is_quick else _BANDWIDTH_WORDS
    what = {"words": words, "seconds": _seconds(settings, 0.05)}
    with workshop() as shop:
        pair = _compile(shop)
        whole = _transfers(pair, settings, mode="contiguous", **what)
        apart = _transfers(pair, settings, mode="strided", **what)
        ours = _strided_as_reference(pair[COARRAYS], settings)
    contiguous = [
        {
            **_who(name, said),
            "arrangement": said["arrangement"],
            "message [B]": _bytes(said),
            "MB/s": float(said["MB/s"]),
        }
        for name, said in whole
    ]
    strided = [
        {
            **_who(name, said),
            "arrangement": said["arrangement"],
            "stride [words]": int(said["stride_words"]),
            "values": int(said["count"]),
            "MB/s": float(said["MB/s"]),
        }
        for name, said in apart
    ]
    for name, said in whole:
        if name == COARRAYS and (said["arrangement"], said["operation"]) == ("single", "put"):
            ours[f"put of {_bytes(said)} bytes"] = _us(said)
    return [
        Table(f"contiguous, MB of 2**20 bytes; {_note(settings)}", contiguous),
        Table(f"one word in so many, {_WORD_BYTES * words:,} bytes from end to end", strided),
        beside_reference({name: us for name, us in ours.items() if _is_known(name)}),
    ]


def _strided_as_reference(program: Program, settings: Settings) -> dict[str, float]:
    """Return the times of every second word, for the numbers of values of the reference [us]."""
    found: dict[str, float] = {}
    for values in _REFERENCE_VALUES:
        for operation in ("put", "get"):
            rows = program.run(
                _images(settings),
                part="point",
                mode="strided",
                synchronisation="images",
                operation=operation,
                words=2 * values,
                seconds=_seconds(settings, 0.1),
            )
            said = next(row for row in rows if row["stride_words"] == "2")
            found[f"{operation} of every second word; {values} of them"] = _us(said)
    return found


def _is_known(operation: str) -> bool:
    return any(row["operation"] == operation for row in published("003-reference"))


def study_synchronisation(_: Experiment, settings: Settings) -> list[Table]:
    """Return what it costs to synchronise."""
    often = {"outer": 5, "inner": 10} if settings.is_quick else {"outer": 100, "inner": 200}
    with workshop() as shop:
        found = [
            (name, said)
            for name, program in _compile(shop).items()
            for said in program.run(_images(settings), part="synchronisation", **often)
        ]
    rows = [
        {
            FROM: "here",
            "with": name,
            "kind": said["kind"],
            "time [us]": _us(said),
            "within 95 % [us]": 1e6 * float(said["interval_seconds"]),
        }
        for name, said in found
    ]
    names = {"all": "SYNC ALL", "pairwise": "SYNC IMAGES of a pair"}
    ours = {
        names[said["kind"]]: _us(said)
        for name, said in found
        if name == COARRAYS and said["kind"] in names
    }
    return [
        Table(f"time beyond that of a delay loop; {_note(settings)}", rows),
        beside_reference(ours),
    ]


def study_halo(_: Experiment, settings: Settings) -> list[Table]:
    """Return the exchange of the six faces of a cube, and of the two along each axis."""
    largest = _QUICK_CUBE if settings.is_quick else _LARGEST_CUBE
    edge = _QUICK_CUBE if settings.is_quick else _REFERENCE_CUBE
    seconds = _seconds(settings, 0.1)
    with workshop() as shop:
        rows = [
            {
                **_who(name, said),
                "cells a side": isqrt(int(said["block_words"])),
                "time [us]": _us(said),
                "MB/s": float(said["MB/s"]),
            }
            for name, program in _compile(shop).items()
            for said in program.run(
                _images(settings), part="halo", largest=largest, seconds=seconds
            )
        ]
        pairs = shop.coarrays("faces").run(_images(settings), n=edge, seconds=seconds)
    tables = [Table(f"six faces, each way; {_note(settings)}", rows)]
    if settings.is_quick:
        return tables
    ours = {
        f"halo of {edge}³ both ways along {said['axis']} {said['way']}": _us(said) for said in pairs
    }
    return [*tables, beside_reference(ours)]


STUDIES: dict[str, Study] = {
    "003-latency": study_latency,
    "003-bandwidth": study_bandwidth,
    "003-synchronisation": study_synchronisation,
    "003-halo": study_halo,
}
