"""The options of flows, of output on the way and of predictions, as the command line shows them."""

from __future__ import annotations

from typing import Annotated

import typer

Collision = Annotated[str | None, typer.Option(help="trt, bgk, mrt, regularised or cumulant.")]
Streaming = Annotated[str | None, typer.Option(help="two-grids, or in-place for half the memory.")]
Geometry = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Solid cells: a .npy array, an image or an .stl surface."),
]
Target = Annotated[str, typer.Option(help="What code is shown for: c++ or cuda.")]
Every = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Write fields and numbers every N steps."),
]
Vtk = Annotated[bool | None, typer.Option("--vtk", help="With --every: fields for ParaView, too.")]
ProbeAt = Annotated[
    list[str] | None,
    typer.Option(
        "--probe",
        metavar="X,Y[,Z]",
        help="With --every: also the values at a point; may be repeated.",
    ),
]
Movie = Annotated[
    str | None,
    typer.Option(metavar="VARIABLE", help="With --every: a movie of the middle plane."),
]
Checkpoint = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Write a checkpoint every N steps.")
]
Restart = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Go on from the checkpoint of a run, on any ranks."),
]
MachineName = Annotated[
    str,
    typer.Option(
        "--machine",
        help="generic, lima, xe6, getm-cluster, bluecrystal-3, here, or a file; with devices: "
        "kepler-001, h100, nvlink-8, h200-cluster.",
    ),
]
