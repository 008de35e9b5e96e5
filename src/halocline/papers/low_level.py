"""Paper 000, chapter 4: messages and overlap, measured by the benchmarks of 'bench'."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.bench import element_wise, overlap, ping_pong, push_pull, ring_shift, strided
from halocline.bench.settings import DIRECT, NATIVE, Settings
from halocline.papers.experiment import Cell, Experiment, Findings, Panel, Series, Setting, Table
from halocline.papers.published import published, stated
from halocline.tune.machines import find_machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.bench.ping_pong import MessageRow
    from halocline.bench.table import Benchmark
    from halocline.bench.times import Measured

LINK = "qdr-infiniband"
_QUICK_BYTES = 4096
_NO_FIGURES = (
    "The paper's curves are figures that the text at hand does not have: beside the measured "
    "curves stand what its tables and sentences say, and the curve of the model.",
    "Coarrays: none here; 'put' and 'get' are MPI's, 'shared' and 'shared-push' copies between "
    "processes of a node.",
    f"Between nodes: both ranks are on this machine; link '{LINK}' delays what would arrive "
    "sooner, and does not do the work of a network card.",
)


def bench_settings(setting: Setting, ranks: int = 2) -> Settings:
    """Return how a benchmark is to measure for an experiment."""
    if setting.is_quick:
        return Settings(ranks, repetitions=1, budget_s=2e-4, largest_bytes=_QUICK_BYTES)
    return Settings(ranks, repetitions=5)


def between_nodes(settings: Settings) -> Settings:
    """Return the same with each rank on a node of its own."""
    return replace(settings, ranks_per_node=1, link=LINK)


def _inside_and_between(
    benchmark: Benchmark, settings: Settings
) -> tuple[list[MessageRow], list[MessageRow]]:
    """Measure inside this node and over the emulated link."""
    remote = tuple(name for name in settings.chosen() if name not in DIRECT)
    between = replace(between_nodes(settings), transports=remote)
    return list(benchmark.run(settings)), list(benchmark.run(between))


def _rate(row: Measured) -> float:
    return row.bytes_per_s / 1e9


def _lines(rows: Iterable[MessageRow], name: Callable[[MessageRow], str]) -> list[Series]:
    """Return GB/s over the size of messages, a line for each name."""
    groups: dict[str, list[MessageRow]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return [
        Series(label, tuple(r.message_bytes for r in group), tuple(map(_rate, group)), "here")
        for label, group in groups.items()
    ]


def _model(sizes: Sequence[float], machine: str, *, is_ring: bool = False) -> Series:
    """Return what a machine's messages between nodes make of a size: T = L + N / B."""
    times = find_machine(machine).times("two-sided", is_same_node=False)
    found = [times.range_of(size) for size in sizes]
    moved = 2 if is_ring else 1
    rates = (
        moved * size / (r.latency_s + size * r.byte_s) / 1e9
        for size, r in zip(sizes, found, strict=True)
    )
    return Series(f"model: MPI on {machine}", tuple(sizes), tuple(rates), "model")


def _table(title: str, places: dict[str, Sequence[MessageRow]]) -> Table:
    rows = tuple(
        (
            *(where, row.transport, row.element_bytes, row.message_bytes),
            *(row.times.median_s * 1e6, _rate(row)),
        )
        for where, group in places.items()
        for row in group
    )
    columns = ("where", "transport", "element [B]", "message [B]", "time [us]", "GB/s")
    return Table(title, columns, rows)


def _curves(title: str, series: Sequence[Series]) -> Panel:
    return Panel(title, "message [bytes]", "GB/s", tuple(series), is_log_x=True, is_log_y=True)


def _run_ping_pong(setting: Setting) -> Findings:
    inside, between = _inside_and_between(ping_pong.BENCHMARK, bench_settings(setting))
    sizes = sorted({row.message_bytes for row in inside})
    return Findings(
        (_table("ping-pong, a message one way", {"inside": inside, LINK: between}),),
        (
            _curves("inside a node", _lines(inside, lambda r: f"here: {r.transport}")),
            _curves(
                "between nodes",
                [
                    *_lines(between, lambda r: f"{LINK}: {r.transport}"),
                    *(_model(sizes, machine) for machine in ("lima", "xe6")),
                ],
            ),
        ),
        _NO_FIGURES,
    )


def _run_ring_shift(setting: Setting) -> Findings:
    settings = replace(bench_settings(setting, setting.ranks), element_bytes=(4, 8))
    inside, between = _inside_and_between(ring_shift.BENCHMARK, settings)
    sizes = sorted({row.message_bytes for row in inside})
    hardware = published("000-3-1")
    bandwidths = next(row for row in hardware.rows if row[0].startswith("measured network"))[2:]
    ends = (float(sizes[0]), float(sizes[-1]))
    printed = [
        Series(f"paper: {name}, highest", ends, (float(rate),) * 2, "paper")
        for name, rate in zip(hardware.columns[2:], bandwidths, strict=True)
    ]
    share = stated("000", "ring_shift_share_of_memory_bandwidth")
    return Findings(
        (_table("ring-shift, sent and received", {"inside": inside, LINK: between}),),
        (
            _curves("inside, 8-byte elements", _lines(_of(inside, 8), lambda r: r.transport)),
            _curves("inside, 4-byte elements", _lines(_of(inside, 4), lambda r: r.transport)),
            _curves(
                "between nodes",
                [
                    *_lines(_of(between, 8), lambda r: f"{LINK}: {r.transport}"),
                    *printed,
                    *(_model(sizes, machine, is_ring=True) for machine in ("lima", "xe6")),
                ],
            ),
        ),
        (
            *_NO_FIGURES,
            f"The paper's ring inside a node saturates at about {share:g} of the memory bandwidth "
            "with 24 processes; here there are as many processes as --ranks says.",
        ),
    )


def _of(rows: Iterable[MessageRow], element_bytes: int) -> list[MessageRow]:
    return [row for row in rows if row.element_bytes == element_bytes]


def _run_strided(setting: Setting) -> Findings:
    settings = bench_settings(setting)
    inside, between = _inside_and_between(strided.BENCHMARK, settings)
    columns = ("where", "transport", "kind", "stride [B]", "message [B]", "time [us]", "GB/s")

    def kind(row: MessageRow) -> str:
        return "native" if row.transport in NATIVE else "buffered"

    def series(rows: list[MessageRow]) -> tuple[Series, ...]:
        groups: dict[str, list[MessageRow]] = {}
        for row in rows:
            groups.setdefault(f"{row.transport}, {kind(row)}", []).append(row)
        return tuple(
            Series(
                name,
                tuple(float(getattr(row, "stride_bytes", 0)) for row in group),
                tuple(map(_rate, group)),
                "here",
            )
            for name, group in groups.items()
        )

    rows = tuple(
        (
            *(where, r.transport, kind(r), getattr(r, "stride_bytes", 0), r.message_bytes),
            *(r.times.median_s * 1e6, _rate(r)),
        )
        for where, group in (("inside", inside), (LINK, between))
        for r in group
    )
    message = stated("000", "strided_message_bytes")
    return Findings(
        (Table("strided ping-pong", columns, rows),),
        tuple(
            Panel(title, "stride [bytes]", "GB/s", series(group), is_log_x=True, is_log_y=True)
            for title, group in (("inside a node", inside), ("between nodes", between))
        ),
        (
            *_NO_FIGURES,
            f"The paper's messages have {message / 1e6:g} MB; here they are smaller, since every "
            "value takes a row of its own.",
        ),
    )


def _run_element_wise(setting: Setting) -> Findings:
    inside, between = _inside_and_between(element_wise.BENCHMARK, bench_settings(setting))
    rows, drops = [], {}
    for where, group in (("inside", inside), (LINK, between)):
        largest = max(row.message_bytes for row in group)
        for transport in dict.fromkeys(row.transport for row in group):
            whole, pieces = (
                row for row in group if (row.transport, row.message_bytes) == (transport, largest)
            )
            drops[where, transport] = pieces.times.median_s / whole.times.median_s
            values = largest // whole.element_bytes
            rows.append((where, transport, values, _rate(whole), drops[where, transport]))
    columns = ("where", "transport", "values", "whole [GB/s]", "drop by a factor of")
    printed = {
        "XE6, between nodes": stated("000", "element_wise_drop_between_nodes"),
        "XE6, inside a node": stated("000", "element_wise_drop_inside_node"),
        "Open64, between nodes": stated("000", "element_wise_drop_open64"),
    }
    series = [
        Series(
            f"here: {place}",
            tuple(t for where, t in drops if where == place),
            tuple(drop for (where, _), drop in drops.items() if where == place),
            "here",
        )
        for place in ("inside", LINK)
    ]
    series.append(Series("paper: coarrays", tuple(printed), tuple(printed.values()), "paper"))
    return Findings(
        (
            Table("one message of all values, or a message for each", columns, tuple(rows)),
            Table("the paper", ("where", "drop by a factor of"), tuple(printed.items())),
        ),
        (Panel("drop of the bandwidth", "", "factor", tuple(series), is_log_y=True),),
        (
            *_NO_FIGURES,
            "The paper's drop compares with the bandwidth of the same large message; arrays here "
            "are smaller, so that whole messages do not reach their full bandwidth.",
        ),
    )


def _run_push_pull(setting: Setting) -> Findings:
    inside = list(push_pull.BENCHMARK.run(bench_settings(setting)))
    remote = replace(between_nodes(bench_settings(setting)), transports=("put", "get"))
    between = list(push_pull.BENCHMARK.run(remote))

    def name(row: MessageRow) -> str:
        return f"{row.transport} ({push_pull.SIDES[row.transport]})"

    return Findings(
        (_table("ping-pong by one side", {"inside": inside, LINK: between}),),
        (
            _curves("inside a node", _lines(inside, name)),
            _curves("between nodes", _lines(between, name)),
        ),
        (
            *_NO_FIGURES,
            "The paper finds no difference of push and pull on the XE6, where all communication "
            "is done at once, and differences with Intel and Open64 that it does not explain.",
        ),
    )


def _run_overlap(setting: Setting) -> Findings:
    settings = bench_settings(setting, setting.ranks)
    inside, between = _inside_and_between(overlap.BENCHMARK, settings)
    works = (overlap.COMPUTATION, overlap.COMMUNICATION, overlap.BOTH, overlap.POLLED)
    here = {
        (where, row.transport, getattr(row, "work", "")): row.times.median_s * 1e6
        for where, group in (("inside", inside), (LINK, between))
        for row in group
    }
    ways = list(dict.fromkeys(key[:2] for key in here))
    rows: list[tuple[Cell, ...]] = [
        (where, transport, *times, *(_hidden(times[0], times[1], both) for both in times[2:]))
        for where, transport in ways
        for times in ([here[where, transport, work] for work in works],)
    ]
    paper = _printed_overlap()
    columns = ("where", "transport", *(f"{work} [us]" for work in works))
    return Findings(
        (
            Table("here", (*columns, "hidden [%]", "hidden, polled [%]"), tuple(rows)),
            Table("the paper, table 4.2 (XE6, 4 MB)", (*columns[:-1], "hidden [%]"), paper),
        ),
        (
            Panel(
                "share hidden of the shorter of the two",
                "",
                "%",
                (
                    _share("here", rows, -2, "here"),
                    _share("here, polled", rows, -1, "here"),
                    _share("paper: XE6", paper, -1, "paper"),
                ),
            ),
        ),
        (
            *_NO_FIGURES,
            "The computation here takes as long as the communication; the paper's takes 1278 us "
            "whatever the communication takes.",
        ),
    )


def _hidden(computing: float, communicating: float, both: float) -> float:
    """Return the share of the shorter part that vanishes when both are done at once [%]."""
    return 100 * (computing + communicating - both) / min(computing, communicating)


def _printed_overlap() -> tuple[tuple[Cell, ...], ...]:
    table = published("000-4-2")
    times = {row[:4]: float(row[5]) for row in table.rows}
    alone = times["any", "no", "yes", "any"]
    rows: list[tuple[Cell, ...]] = []
    for side in ("push", "pull"):
        for where in ("intra", "inter"):
            sent, both = times[side, "yes", "no", where], times[side, "yes", "yes", where]
            rows.append((where, side, alone, sent, both, _hidden(alone, sent, both)))
    return tuple(rows)


def _share(label: str, rows: Iterable[tuple[Cell, ...]], column: int, kind: str) -> Series:
    kept = list(rows)
    places = tuple(f"{row[1]}, {row[0]}" for row in kept)
    return Series(label, places, tuple(float(row[column] or 0.0) for row in kept), kind)


EXPERIMENTS = (
    Experiment(
        "000-ping-pong",
        "000, section 4.2, figures 4.1 to 4.3",
        "bandwidth of ping-pong over the size of messages, all transports",
        1.0,
        _run_ping_pong,
    ),
    Experiment(
        "000-ring-shift",
        "000, sections 4.2.3 and 4.2.5, figures 4.1 to 4.4",
        "bandwidth of ring-shift, with 4- and 8-byte elements",
        1.5,
        _run_ring_shift,
    ),
    Experiment(
        "000-strided",
        "000, section 4.2.6, figure 4.5",
        "ping-pong of values that lie apart, native and buffered",
        1.0,
        _run_strided,
    ),
    Experiment(
        "000-element-wise",
        "000, section 4.2.7, figure 4.6",
        "a message for each value instead of one for all",
        0.5,
        _run_element_wise,
    ),
    Experiment(
        "000-push-pull",
        "000, section 4.2.4, figures 4.1 to 4.3",
        "the source writes, or the target fetches",
        0.5,
        _run_push_pull,
    ),
    Experiment(
        "000-overlap",
        "000, section 4.2.8, table 4.2",
        "computing while a message of 4 MB is on its way",
        0.5,
        _run_overlap,
    ),
)
