"""The options of how a run is distributed, as the command line shows them."""

from __future__ import annotations

from typing import Annotated

import typer

Ranks = Annotated[int | None, typer.Option(min=1, help="MPI ranks to start.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads a rank.")]
Decomposition = Annotated[
    str | None, typer.Option(help="rows, tiles, pencils, or blocks along each axis: 2x2x1.")
]
Overlap = Annotated[str | None, typer.Option(help="core-first, rim-first, postponed or none.")]
Neighbours = Annotated[str | None, typer.Option(help="direct or staged.")]
Transport = Annotated[
    str | None,
    typer.Option(
        help="auto, shared, shared-push, two-sided, persistent, datatype, put, get; with a "
        "device peer, from-device, via-host, box-copies."
    ),
]
Messages = Annotated[str | None, typer.Option(help="One a neighbour, or one a field.")]
Wait = Annotated[str | None, typer.Option(help="all or any.")]
Depth = Annotated[int | None, typer.Option(help="Steps between exchanges.")]
Tiles = Annotated[int | None, typer.Option(help="Pieces of the core, polls between them.")]
Device = Annotated[
    str | None, typer.Option(help="Where kernels run: cpu, cuda, cuda:1, auto or emulated:7.")
]
RanksPerNode = Annotated[
    int | None, typer.Option(min=1, help="Declare so many ranks to be a node.")
]
Link = Annotated[
    str | None, typer.Option(help="Emulated link between nodes: a name, or L=1e-5,G=1e-9.")
]
