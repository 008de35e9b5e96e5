"""Paper 000, section 4.2, in Fortran coarrays: messages beside our transports and MPI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace

from halocline.bench.benchmarks import BENCHMARKS
from halocline.bench.overlap import BOTH, COMMUNICATION, COMPUTATION
from halocline.bench.settings import Settings
from halocline.io.results import FROM, Row, Table
from halocline_reproduction.coarray_programs import Said, workshop
from halocline_reproduction.experiment import Experiment, Study
from halocline_reproduction.messages import hiding, published_overlap
from halocline_reproduction.published import published, stated

# The paper's coarrays move whole arrays between two images: so do these.
_TRANSPORTS = ("two-sided", "put", "get", "shared-push", "shared")
_QUICK_TRANSPORTS = ("two-sided",)
_LARGEST, _QUICK_LARGEST = 8 << 20, 512
_TESTS = {"ping_pong": "ping-pong", "ring": "ring-shift"}
# How often a message moves in a step as the benchmarks count it.
_MOVED = {"ping-pong": 1, "ring-shift": 2}
_BANDWIDTH = "measured network bandwidth a connection"
_WORD_BYTES = 8


def fit(points: Iterable[tuple[int, float]], moved: int) -> tuple[float, float]:
    """Return latency [us] and bandwidth [GB/s] of messages, as section 4.2.2 finds them.

    Args:
        points: Bytes of a message and its time [us].
        moved: How many messages move in this time.
    """
    sizes, times = (np.array(column, float) for column in zip(*points, strict=True))
    terms = np.column_stack((1 / times, moved * sizes / times))
    (latency, us_a_byte), *_ = np.linalg.lstsq(terms, np.ones_like(times), rcond=None)
    return float(latency), float(1e-3 / us_a_byte)


def study_coarrays(_: Experiment, settings: Settings) -> list[Table]:
    """Return what section 4.2 measures, in coarrays and by the benchmarks' transports."""
    said = _run(settings)
    two = replace(
        settings,
        ranks=2,
        transports=_QUICK_TRANSPORTS if settings.is_quick else _TRANSPORTS,
        largest_bytes=_QUICK_LARGEST if settings.is_quick else _LARGEST,
    )
    curves = [*_our_curves(said), *_curves(two)]
    return [
        Table("latency and bandwidth, fitted as in section 4.2.2; 2 images", _fits(said, curves)),
        Table("bandwidth over the size of messages", curves),
        Table("ping-pong of values that lie apart", [*_our_strided(said), *_strided(two)]),
        Table("one assignment or message for each value", _element_wise(said, two)),
        Table("both at once, and table 4.2 (XE6, 4 MB)", _overlap(said, two)),
    ]


def _run(settings: Settings) -> list[Said]:
    """Return what the coarray program says of two images."""
    sizes: dict[str, Any] = {"seconds": 0.05, "largest": _LARGEST}
    if settings.is_quick:
        small = ("largest", "element_largest", "strided_bytes", "overlap_bytes")
        sizes = {"seconds": 1e-4, "window": 1} | dict.fromkeys(small, _QUICK_LARGEST)
    with workshop() as shop:
        return shop.coarrays("low_level").run(2, **sizes)


def _our_curves(said: list[Said]) -> Iterator[Row]:
    for row in said:
        if row["test"] in _TESTS and row["bytes"]:
            name = _TESTS[row["test"]]
            # A step of ping-pong is there and back.
            us = float(row["microseconds"]) / (2 if name == "ping-pong" else 1)
            transport = f"coarrays, {row['method']}"
            yield _point(name, transport, int(row["element_bytes"]), (int(row["bytes"]), us))


def _curves(settings: Settings) -> Iterator[Row]:
    for name in _MOVED:
        for row in BENCHMARKS[name].run(settings):
            point = row["message [B]"], row["median [us]"]
            yield _point(name, row["transport"], row["element [B]"], point)


def _point(name: str, transport: str, element: int, point: tuple[int, float]) -> Row:
    size, us = point
    return {
        FROM: "here",
        "test": name,
        "with": transport,
        "element [B]": element,
        "message [B]": size,
        "time [us]": us,
        "GB/s": 1e-3 * _MOVED[name] * size / us,
    }


def _fits(said: list[Said], curves: list[Row]) -> list[Row]:
    """Return the fits of the program and of the transports, and the paper's highest rates."""
    rows: list[Row] = [
        _fitted(
            (_TESTS[row["test"]], f"coarrays, {row['method'].removesuffix('_fit')}"),
            int(row["element_bytes"]),
            float(row["latency_microseconds"]),
            1e-3 * float(row["fitted_megabytes/second"]),
        )
        for row in said
        if row["test"] in _TESTS and row["method"].endswith("_fit")
    ]
    names = dict.fromkeys((row["test"], row["with"]) for row in curves)
    for name, transport in names:
        if not transport.startswith("coarrays"):
            of = [row for row in curves if (row["test"], row["with"]) == (name, transport)]
            points = [(row["message [B]"], row["time [us]"]) for row in of]
            rows.append(_fitted((name, transport), _WORD_BYTES, *fit(points, _MOVED[name])))
    highest = next(row for row in published("000-3-1") if row["quantity"] == _BANDWIDTH)
    for machine in ("Cray XE6", "Lima"):
        row = {FROM: "paper", "test": "ring-shift", "with": f"{machine}, between nodes, highest"}
        rows.append({**row, "bandwidth [GB/s]": float(highest[machine])})
    return rows


def _fitted(who: tuple[str, str], element: int, latency: float, bandwidth: float) -> Row:
    return {
        FROM: "here",
        **dict(zip(("test", "with"), who, strict=True)),
        "element [B]": element,
        "latency [us]": latency,
        "bandwidth [GB/s]": bandwidth,
    }


def _our_strided(said: list[Said]) -> Iterator[Row]:
    for row in said:
        if row["test"] == "strided":
            kind = "buffered" if row["method"] == "packed" else "native"
            method = row["method"].replace("packed", "push")
            yield {
                FROM: "here",
                "with": f"coarrays, {method}",
                "kind": kind,
                "stride [B]": _WORD_BYTES * int(row["stride"]),
                "message [B]": int(row["bytes"]),
                "GB/s": 1e-3 * float(row["megabytes/second"]),
            }


def _strided(settings: Settings) -> Iterator[Row]:
    # Every value takes a row of its own: the benchmark's own size.
    if not settings.is_quick:
        settings = replace(settings, largest_bytes=None)
    for row in BENCHMARKS["strided"].run(settings):
        names = ("kind", "stride [B]", "message [B]", "GB/s")
        yield {FROM: "here", "with": row["transport"], **{name: row[name] for name in names}}


def _element_wise(said: list[Said], settings: Settings) -> list[Row]:
    """Return by how much the bandwidth of the largest message drops."""
    times = {
        (row["method"], int(row["bytes"])): float(row["microseconds"])
        for row in said
        if row["test"] == "element_wise" and row["bytes"]
    }
    largest = max(size for _, size in times)
    rows: list[Row] = [
        _drop(f"coarrays, {side}", largest, times["contiguous", largest], times[side, largest])
        for side in ("push", "pull")
    ]
    if not settings.is_quick:
        settings = replace(settings, largest_bytes=None)
    found = BENCHMARKS["element-wise"].run(settings)
    for transport in dict.fromkeys(row["transport"] for row in found):
        of = [row for row in found if row["transport"] == transport]
        size = max(row["message [B]"] for row in of)
        whole, pieces = (row["median [us]"] for row in of if row["message [B]"] == size)
        rows.append(_drop(transport, size, whole, pieces))
    for name, quantity in (
        ("XE6, inside a node", "inside_node"),
        ("XE6, between nodes", "between_nodes"),
        ("Open64, between nodes", "open64"),
    ):
        drop = stated("000", f"element_wise_drop_{quantity}")
        row = {FROM: "paper", "with": f"coarrays, {name}", "drop by a factor of": drop}
        rows.append(row)
    return rows


def _drop(who: str, size: int, whole_us: float, pieces_us: float) -> Row:
    drop = pieces_us / whole_us
    return {FROM: "here", "with": who, "message [B]": size, "drop by a factor of": drop}


def _overlap(said: list[Said], settings: Settings) -> list[Row]:
    """Return the share hidden of the shorter of computing and communicating."""
    of = [row for row in said if row["test"] == "overlap"]
    us = [(row["method"], float(row["microseconds"])) for row in of]
    rows: list[Row] = []
    # Each side: communication, computation, both.
    for (side, communication), (_, computation), (_, both) in zip(*[iter(us)] * 3, strict=True):
        named = {FROM: "here", "with": f"coarrays, {side}"}
        rows.append(hiding(named, (computation, communication), both))
    found = BENCHMARKS["overlap"].run(settings)
    times = {(row["transport"], row["work"]): row["median [us]"] for row in found}
    for transport in dict.fromkeys(name for name, _ in times):
        parts = times[transport, COMPUTATION], times[transport, COMMUNICATION]
        rows.append(hiding({FROM: "here", "with": transport}, parts, times[transport, BOTH]))
    for printed in published_overlap():
        row = {**printed, "with": f"coarrays, {printed['transport']}, {printed['where']}"}
        rows.append({name: row[name] for name in rows[0]})
    return rows


STUDIES: dict[str, Study] = {"000-coarrays": study_coarrays}
