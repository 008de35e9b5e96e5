"""What of the language and of its strategies must occur in programs that have been run."""

from __future__ import annotations

from property.draw_fields import DTYPES, FLOATS
from property.draw_sides import GIVEN_KINDS, KINDS
from property.executions import CHOICES, WAYS

IN_PROGRAMS = frozenset(
    {f"dtype {dtype}" for dtype in DTYPES}
    | {f"reduction {kind}" for kind in ("sum", "min", "max")}
    | {f"beyond a side: {kind}" for kind in KINDS + GIVEN_KINDS}
    | {f"two layers beyond a side: {kind}" for kind in KINDS}
    | {f"beyond a part of a side: {said}" for said in ("box", "array", "function")}
    | {
        f"keyword: {kind}"
        for kind in ("number", "step", "time", "parameter", "reduction", "formula", "series")
    }
    | {
        "index on a periodic axis",
        "index across a periodic side",
        "more than once around",
        "replicated field read by a cut one",
        "replicated field made of cut ones",
        "replicated field made of a coarser one",
        "replicated fields alone",
        "replicated fields in a sweep",
        "only diagonals beyond a side of a replicated grid",
        "stencil",
        "stencil of an expression",
        "difference",
        "difference half a cell away",
        "mask",
        "mask that changes",
        "box",
        "next door",
        "next door on a mask",
        "next door in a box",
        "reduction of an expression",
        "reduction of all components",
        "callback on a field",
        "callback on a parameter",
        "value on a face",
        "repeat",
        "every",
        "swap",
        *(f"record {way}" for way in ("linear", "cubic", "sinc")),
        *(f"inject {way}" for way in ("linear", "cubic")),
        *(f"inject a {kind}" for kind in ("float", "str", "Series")),
        *(f"{done} on last faces" for done in ("recorded", "injected")),
        *(f"{done} without an axis" for done in ("recorded", "injected")),
        "record every",
        "tridiagonal: cyclic",
        "tridiagonal: open",
        "tridiagonal of its own solution",
        *(f"tridiagonal of {dtype}" for dtype in FLOATS),
        "fill",
        "rotate",
        "assign",
        "until",
        "dt is a parameter",
        "number from around a kernel",
        "reduction inside of assign",
        "reduction inside of a condition",
        *(f"{name} in until" for name in ("kernel", "swap", "until", "assign", "sweep", "reduce")),
        "parameter in a reduction",
        "cast",
        "old value",
        "finer field",
        "finer field seen from another cell",
        "coarser field",
        "coarser field seen from another cell",
        "field without an axis",
        "field without an axis assigned",
        "field without an axis next door",
        "other ratios along axes",
        "two coarser grids",
        "random number",
        "random number of a neighbour",
        "random number in repeat",
        "colours",
        "layer from the one before",
        "ratio 3",
        "box on a kernel of several grids",
        "mask of another grid",
        "mask without an axis",
        "mask on faces",
        "last face computed",
        "last face in a sweep",
        "reduction of several grids",
        "reduction of fields with other axes",
        "sweep upwards",
        "sweep downwards",
        "sweep along x",
        "sweep along y",
        "sweep along z",
        "sweep of two carries",
        "sweep with ends",
        "sweep on a mask",
        "sweep in a box",
        "sweep without assignments",
        "sweep over several grids",
        "sweep next door",
        "sweep from a field",
        "sweep from a number",
        "sweep from a parameter",
        "sweep from a reduction",
        "sweep along an axis that is cut",
        "boundary of a field without an axis",
        "boundary of a coarser grid",
        "next door of what the kernel has assigned",
        "sweep through a list of blocks",
        "fewer axes on a list of blocks",
    }
)
IN_WAYS = frozenset(
    {f"{name}={value}" for name, values in CHOICES.items() for value in values}
    | {f"way={way}" for way in WAYS}
    | {"blocks: a list", "other blocks between runs", "other owners between runs"}
)
# What must have occurred on ranks, too.
ON_RANKS = frozenset({"target=c++", "target=numpy"})
# What must have occurred in programs whose blocks were others from one run to the next.
MOVING = (
    "mask",
    "swap",
    "every",
    "next door",
    "finer field",
    "field without an axis",
    "last face computed",
    "callback on a field",
    "sweep along an axis that is cut",
)
IN_PROGRAMS |= {f"{name}, on other blocks then" for name in MOVING}
