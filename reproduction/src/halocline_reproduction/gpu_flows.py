"""Paper 001 on devices, predicted: its own nodes beside its rates, NVLink, a large cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from msgspec.structs import replace

from halocline.bench.settings import Settings
from halocline.geometry import AXES, by_axes
from halocline.io.results import FROM, Row, Table
from halocline_reproduction.configuration import near_cube
from halocline_reproduction.device_flow import (
    PAPER_SCHEMES,
    TRANSPORTS,
    DeviceFlow,
    alone,
    efficiency,
    exposed,
    predicted,
    rate,
)
from halocline_reproduction.directions import CUTS
from halocline_reproduction.experiment import Experiment
from halocline_reproduction.published import stated

KEPLER, NODE, CLUSTER = "kepler-001", "nvlink-8", "h200-cluster"
_EDGES, _QUICK_EDGES = (8, 16, 32, 64, 128, 256), (8, 16)
_SIDES, _QUICK_SIDES = (16, 32, 64, 128, 256), (16, 32)
# The grids of blocks of the worst case on each machine, and the transports that it has.
_WORST = {KEPLER: (1, 2, 2), NODE: (2, 2, 2), CLUSTER: (8, 8, 16)}
_SERVED = {KEPLER: TRANSPORTS[:2], NODE: TRANSPORTS[:3], CLUSTER: TRANSPORTS[:3]}
_SIDE_TRANSPORTS = {KEPLER: ("box-copies", "via-host", "from-device")}
# Of scaling: the paper's grids of blocks, cut across y and z or across x and z, and numbers of
# devices elsewhere.
_PAPER_GRIDS = {"yz": ((1, 1, 1), (1, 2, 1), (1, 2, 2)), "xz": ((1, 1, 1), (2, 1, 1), (2, 1, 2))}
_COUNTS = {NODE: (1, 2, 4, 8), CLUSTER: (8, 16, 32, 64, 128, 256, 512, 1024)}
_QUICK_COUNTS = {NODE: (1, 2), CLUSTER: (8, 16)}
# Cells a side of the grids of strong scaling: the paper's, and one with work for more devices.
_STRONG = {KEPLER: (256,), NODE: (256,), CLUSTER: (256, 512)}
# The rates that the paper prints of blocks of 256³ by scheme and cut, and whether a number of the
# machine was fitted to them.
_PRINTED = {
    ("GPUPackInfo", "yz"): ("worst_packinfo_256", "fitted"),
    ("with streams", "yz"): ("worst_asynchronous_256", ""),
    ("GPUBufferedScheme", "yz"): ("worst_buffered_256", "fitted"),
    ("with streams", "xz"): ("weak_xz_packinfo", "fitted"),
    ("GPUBufferedScheme", "xz"): ("weak_xz_buffered", ""),
}


_OVER_ALONE = "with streams over computing alone, 320³ [1]"


def _cube(edge: int) -> tuple[int, int, int]:
    return (edge,) * 3


def paper_flow(scheme: str, cut: str = "yz", edge: int = 256) -> DeviceFlow:
    """Return a periodic flow on the paper's four devices."""
    return DeviceFlow(KEPLER, scheme, _cube(edge), _PAPER_GRIDS[cut][-1])


def comparison() -> list[tuple[str, float, float, str]]:
    """Return what the paper prints, what the model says, and where that was fitted."""
    one = DeviceFlow(KEPLER, "GPUPackInfo", _cube(320), (1, 1, 1))
    packed, streams = map(paper_flow, ("GPUPackInfo", "with streams"))
    large = paper_flow("with streams", edge=320)
    rows = [
        ("one GPU, 320³ [MLUP/s]", "one_gpu_320", rate(one), "fitted"),
        *(
            (f"{scheme}, {cut} [MLUP/s]", quantity, rate(paper_flow(scheme, cut)), how)
            for (scheme, cut), (quantity, how) in _PRINTED.items()
        ),
        ("gain of streams, yz [1]", "gain", rate(streams) / rate(packed) - 1, ""),
        (_OVER_ALONE, "hidden_share", rate(large) / alone(large), ""),
    ]
    return [(name, stated("001", quantity), model, how) for name, quantity, model, how in rows]


def study_devices(_: Experiment, settings: Settings) -> list[Table]:
    """Return printed rates beside predicted ones, the worst case, and directions."""
    compared = []
    for name, paper, model, how in comparison():
        what, _bracket, unit = name.removesuffix("]").partition(" [")
        numbers = {"printed": paper, "predicted": model, "predicted / printed": model / paper}
        compared.append({"what": what, "unit": unit, **numbers, "which": how})
    title = (
        f"predicted: cavity in two blocks, nothing hidden; two devices of a node on {NODE}, of two "
        "nodes elsewhere: exchange and launches of a step"
    )
    return [
        Table(f"{KEPLER}: four blocks of 256³ on four GPUs where not said else", compared),
        Table("predicted: periodic, and printed", _worst(settings)),
        Table(title, _directions(_QUICK_SIDES if settings.is_quick else _SIDES)),
    ]


def _worst(settings: Settings) -> list[Row]:
    """Return the worst case on all machines, and what is printed of it."""
    rows: list[Row] = []
    for machine, blocks in _WORST.items():
        ours = [f"{t}, {word}" for t in _SERVED[machine] for word in ("waiting", "hiding")]
        schemes = (*PAPER_SCHEMES, *ours) if machine == KEPLER else ours
        for scheme, edge in product(schemes, _QUICK_EDGES if settings.is_quick else _EDGES):
            flow = DeviceFlow(machine, scheme, _cube(edge), blocks)
            rates = alone(flow), rate(flow), exposed(flow)
            rows.append(_worst_row("model", flow, *rates))
    whole = stated("001", "all_hidden")
    for scheme in PAPER_SCHEMES:
        step = stated("001", _PRINTED[scheme, "yz"][0])
        rows.append(_worst_row("paper", paper_flow(scheme), None, step, 100 - 100 * step / whole))
    return rows


def _worst_row(
    source: str, flow: DeviceFlow, computing: float | None, step: float, share: float
) -> Row:
    return {
        FROM: source,
        "machine": flow.machine,
        "blocks": by_axes(flow.blocks),
        "scheme": flow.scheme,
        "edge": flow.block[0],
        "computing alone [MLUP/s]": computing,
        "step [MLUP/s]": step,
        "exposed [%]": share,
    }


def _directions(sides: Sequence[int]) -> list[Row]:
    rows: list[Row] = []
    for machine in _WORST:
        per_node = None if machine == NODE else 1
        for transport in _SIDE_TRANSPORTS.get(machine, ("via-host", "peer")):
            for edge in sides:
                flow = DeviceFlow(
                    *(machine, f"{transport}, waiting", _cube(edge), CUTS["x"]),
                    is_cavity=True,
                    per_node=per_node,
                )
                times = {
                    axis: 1e6 * predicted(replace(flow, blocks=CUTS[axis])).least("exchange")
                    for axis in AXES
                }
                rows.append(
                    {
                        FROM: "model",
                        "machine": machine,
                        "messages": transport,
                        "edge": edge,
                        **{f"across {axis} [us]": time for axis, time in times.items()},
                        "x / z": times["x"] / times["z"],
                    }
                )
    return rows


def study_scaling(_: Experiment, settings: Settings) -> list[Table]:
    """Return weak and strong scaling on each machine, and what is printed of them."""
    weak, strong = (_scaling(settings, is_strong=is_strong) for is_strong in (False, True))
    for (scheme, cut), (quantity, _how) in _PRINTED.items():
        if scheme != "GPUPackInfo":
            paper = {"scheme": f"{scheme}, {cut}", "devices": 4, "MLUP/s": stated("001", quantity)}
            weak.append({FROM: "paper", "machine": KEPLER, **paper})
    title = "predicted: weak scaling, a periodic block of 256³ for each device; and printed"
    return [Table(title, weak), Table("predicted: strong scaling, one periodic grid", strong)]


def _scaling(settings: Settings, *, is_strong: bool) -> list[Row]:
    """Return blocks of the paper's size for each device, or grids of a size for all together."""
    weak = int(stated("001", "scaling_cells_a_side"))
    rows: list[Row] = []
    for machine, sizes in _STRONG.items():
        for size in sizes if is_strong else (None,):
            for scheme, name, grids in _curves(machine, size, settings):
                blocks = [tuple(size // n if size else weak for n in grid) for grid in grids]
                flows = [
                    DeviceFlow(machine, scheme, block, grid)
                    for block, grid in zip(blocks, grids, strict=True)
                ]
                rows += (_scaling_row(flow, name, flows[0]) for flow in flows)
    return rows


def _curves(
    machine: str, size: int | None, settings: Settings
) -> list[tuple[str, str, Sequence[tuple[int, int, int]]]]:
    """Return schemes with their names and grids of blocks: the paper's, or as cubic as may be."""
    if machine == KEPLER:
        schemes = ("with streams", "GPUBufferedScheme", "via-host, hiding")
        return [(s, f"{s}, {cut}", grids) for s in schemes for cut, grids in _PAPER_GRIDS.items()]
    counts = (_QUICK_COUNTS if settings.is_quick else _COUNTS)[machine]
    grids = [near_cube(count) for count in counts]
    word = f", {size}³" if size else ""
    return [(s, f"{s}{word}", grids) for s in ("peer, waiting", "peer, hiding")]


def _scaling_row(flow: DeviceFlow, name: str, first: DeviceFlow) -> Row:
    return {
        FROM: "model",
        "machine": flow.machine,
        "scheme": name,
        "devices": flow.devices,
        "blocks": by_axes(flow.blocks),
        "block": by_axes(flow.block),
        "MLUP/s": rate(flow),
        "efficiency [%]": efficiency(flow, first),
    }


STUDIES = {"001-devices": study_devices, "001-device-scaling": study_scaling}
