"""The command 'halocline': run a case, or show what becomes of it."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from halocline.cli.distribution import (
    Decomposition,
    Depth,
    Device,
    Link,
    Messages,
    Neighbours,
    Overlap,
    Ranks,
    RanksPerNode,
    Threads,
    Tiles,
    Transport,
    Wait,
)
from halocline.cli.launch import EXIT_MISTAKE, end_with, run_on_ranks
from halocline.cli.options import (
    Checkpoint,
    Collision,
    Every,
    Geometry,
    MachineName,
    Movie,
    ProbeAt,
    Restart,
    Streaming,
    Target,
    Vtk,
)
from halocline.cli.papers import papers_app
from halocline.errors import CaseError, HaloclineError, MpiError
from halocline.launched import launched_rank, launched_ranks

app = typer.Typer(
    help="Stencil computations on structured grids: write the kernel once, the halo takes care of "
    "itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(papers_app, name="papers")


class Subject(StrEnum):
    """What 'show' can show."""

    kernel = "kernel"
    footprint = "footprint"
    plan = "plan"
    code = "code"


class Measurement(StrEnum):
    """What 'bench' can measure."""

    memory = "memory"
    ping_pong = "ping-pong"
    ring_shift = "ring-shift"
    strided = "strided"
    element_wise = "element-wise"
    push_pull = "push-pull"
    overlap = "overlap"
    halo = "halo"
    step = "step"
    imbalance = "imbalance"
    lbm = "lbm"
    d2q9 = "d2q9"
    choice = "choice"
    device = "device"


CaseName = Annotated[
    str,
    typer.Argument(metavar="CASE", help="A case, as lid-cavity or channel, or a .toml file."),
]
CaseOrNone = Annotated[
    str | None,
    typer.Argument(
        metavar="CASE",
        help="A case, as lid-cavity or channel, or a .toml file; not needed with --restart.",
    ),
]
Cells = Annotated[int | None, typer.Option(help="Cells along each side.")]
Reynolds = Annotated[float | None, typer.Option(help="Reynolds number.")]
Dimensions = Annotated[int | None, typer.Option(help="2 or 3.")]
LidSpeed = Annotated[float | None, typer.Option(help="Cells the lid moves in a step.")]
DType = Annotated[str | None, typer.Option("--dtype", help="float64 or float32.")]
Tolerance = Annotated[
    float | None, typer.Option(help="Converged when the change per convective time is below.")
]
MaxTimes = Annotated[int | None, typer.Option(help="Convective times after which to give up.")]
Steps = Annotated[int | None, typer.Option(help="Time steps (heat, obstacle-flow).")]
GridName = Annotated[
    str | None, typer.Option(help="128x128, 128x256, 256x256 or 1024x1024 (obstacle-flow).")
]
Obstacles = Annotated[
    str | None, typer.Option(metavar="FILE", help="Obstacles, a line 'x y 1' each (obstacle-flow).")
]
ParameterFile = Annotated[
    str | None,
    typer.Option(
        "--parameters", metavar="FILE", help="The course's parameter file (obstacle-flow)."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any parameter of the case; may be repeated."),
]
Output = Annotated[str | None, typer.Option(help="Directory of the results.")]


@app.command()
def run(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    case: CaseOrNone = None,
    *,
    cells: Cells = None,
    reynolds: Reynolds = None,
    dimensions: Dimensions = None,
    lid_speed: LidSpeed = None,
    collision: Collision = None,
    streaming: Streaming = None,
    geometry: Geometry = None,
    dtype: DType = None,
    tolerance: Tolerance = None,
    max_convective_times: MaxTimes = None,
    steps: Steps = None,
    grid: GridName = None,
    obstacles: Obstacles = None,
    parameter_file: ParameterFile = None,
    settings: Settings = None,
    ranks: Ranks = None,
    threads: Threads = None,
    decomposition: Decomposition = None,
    overlap: Overlap = None,
    neighbours: Neighbours = None,
    transport: Transport = None,
    messages: Messages = None,
    wait: Wait = None,
    depth: Depth = None,
    tiles: Tiles = None,
    device: Device = None,
    ranks_per_node: RanksPerNode = None,
    link: Link = None,
    output: Output = None,
    every: Every = None,
    vtk: Vtk = None,
    probe_at: ProbeAt = None,
    movie: Movie = None,
    checkpoint: Checkpoint = None,
    restart: Restart = None,
) -> None:
    """Run a case and write fields, log, report and picture into a directory."""
    from halocline.cli.outputs import read_run
    from halocline.cli.run import RunChoices, run_case

    parameters = _given(
        cells=cells,
        reynolds=reynolds,
        dimensions=dimensions,
        lid_speed=lid_speed,
        collision=collision,
        streaming=streaming,
        geometry=geometry,
        dtype=dtype,
        tolerance=tolerance,
        max_convective_times=max_convective_times,
        steps=steps,
        grid=grid,
        obstacles=obstacles,
        parameters=parameter_file,
    )
    parameters.update(_settings(settings))
    read, from_file = read_run(case, parameters, restart)
    how = {"ranks": ranks, "threads": threads, "link": link, "output": output, "restart": restart}
    split = {"decomposition": decomposition, "overlap": overlap, "neighbours": neighbours}
    split |= {"transport": transport, "messages": messages, "wait": wait, "device": device}
    written = {"every": every, "vtk": vtk, "probe": probe_at, "movie": movie}
    written |= {"checkpoint": checkpoint}
    numbers = {"depth": depth, "tiles": tiles, "ranks_per_node": ranks_per_node}
    choices = RunChoices(**{**from_file, **_given(**how, **split, **numbers, **written)})
    choices.check()
    if launched_rank() is not None:
        _refuse_other_number(choices.ranks)
    elif choices.ranks is not None and choices.ranks > 1:
        sys.exit(run_on_ranks(choices.ranks, sys.argv[1:]))
    run_case(read, choices)


@app.command()
def show(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    what: Annotated[Subject, typer.Argument(help="kernel, footprint, plan or code.")],
    case: CaseName,
    *,
    cells: Cells = None,
    reynolds: Reynolds = None,
    dimensions: Dimensions = None,
    collision: Collision = None,
    dtype: DType = None,
    settings: Settings = None,
    ranks: Annotated[int, typer.Option(min=1, help="Ranks of the machine in mind.")] = 1,
    rank: Annotated[int, typer.Option(help="The rank whose plan is shown.")] = 0,
    target: Target = "c++",
    decomposition: Decomposition = None,
    overlap: Overlap = None,
    neighbours: Neighbours = None,
    transport: Transport = None,
    messages: Messages = None,
    wait: Wait = None,
    depth: Depth = None,
    tiles: Tiles = None,
) -> None:
    """Show what becomes of a case; needs no MPI, no compiler and no device."""
    from halocline.apps.cases import read_case
    from halocline.cli.run import RunChoices
    from halocline.cli.show import show_subject
    from halocline.language.initial import planning

    parameters = _given(
        cells=cells, reynolds=reynolds, dimensions=dimensions, collision=collision, dtype=dtype
    )
    parameters.update(_settings(settings))
    read, from_file = read_case(case, parameters)
    chosen = _given(decomposition=decomposition, overlap=overlap, neighbours=neighbours)
    chosen |= _given(transport=transport, messages=messages, wait=wait, depth=depth, tiles=tiles)
    choices = RunChoices(**{**from_file, **chosen})
    with planning():
        problem = read.problem()
    typer.echo(show_subject(what.value, problem, choices, (ranks, rank), target))


@app.command()
def bench(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    what: Annotated[Measurement, typer.Argument(help="What to measure.")],
    *,
    transport: Annotated[
        list[str] | None, typer.Option(help="Transports to compare; may be repeated.")
    ] = None,
    element_bytes: Annotated[
        list[int] | None, typer.Option(help="4 or 8; may be repeated.")
    ] = None,
    largest: Annotated[
        int | None, typer.Option(metavar="BYTES", help="The largest message.")
    ] = None,
    size: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Cells a side of the cube (memory, halo, lbm); may be repeated."),
    ] = None,
    case: Annotated[
        str, typer.Option(metavar="CASE", help="Whose imbalance: a name or a .toml file.")
    ] = "lid-cavity",
    device: Device = "auto",
    ranks: Annotated[int, typer.Option(min=1, help="MPI ranks to start.")] = 2,
    repetitions: Annotated[int, typer.Option(min=1, help="How often each is timed.")] = 7,
    warm: Annotated[
        bool,
        typer.Option("--warm", help="Messages stay as they are; else rewritten before each."),
    ] = False,
    ranks_per_node: RanksPerNode = None,
    link: Link = None,
    json_file: Annotated[str, typer.Option("--json", help="Write the figures to a file.")] = "",
    plot: Annotated[str, typer.Option(help="Draw the figures into a PNG file.")] = "",
) -> None:
    """Measure this machine and what Halocline makes of it, each with a verified result."""
    from halocline.bench.settings import Settings
    from halocline.cli.bench import run_bench

    settings = Settings(
        ranks=ranks,
        transports=tuple(transport or ()),
        element_bytes=tuple(element_bytes or ()),
        repetitions=repetitions,
        largest_bytes=largest,
        sizes=tuple(size or ()),
        is_rewritten=not warm,
        ranks_per_node=ranks_per_node,
        link=link,
        case=case,
        device=device or "auto",
    )
    run_bench(what.value, typer.echo, settings, json_file, plot)


@app.command()
def predict(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    case: CaseName,
    *,
    cells: Cells = None,
    reynolds: Reynolds = None,
    dimensions: Dimensions = None,
    collision: Collision = None,
    dtype: DType = None,
    settings: Settings = None,
    ranks: Annotated[str, typer.Option(help="Numbers of ranks, as 64,512,4096.")] = "1",
    machine: MachineName = "generic",
    weak: Annotated[
        bool, typer.Option("--weak", help="As many cells a rank as --cells has.")
    ] = False,
    ranks_per_node: RanksPerNode = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads a rank.")] = 1,
    decomposition: Decomposition = None,
    overlap: Overlap = None,
    neighbours: Neighbours = None,
    transport: Transport = None,
    messages: Messages = None,
    wait: Wait = None,
    depth: Depth = None,
    tiles: Tiles = None,
    plot: Annotated[str, typer.Option(help="Draw the curve into a file.")] = "",
) -> None:
    """Predict the time of a step on any machine and any number of ranks; needs no MPI."""
    from halocline.apps.cases import read_case
    from halocline.cli.predict import PredictChoices, predict_case
    from halocline.cli.run import RunChoices

    parameters = _given(
        cells=cells, reynolds=reynolds, dimensions=dimensions, collision=collision, dtype=dtype
    )
    parameters.update(_settings(settings))
    read, from_file = read_case(case, parameters)
    chosen = _given(decomposition=decomposition, overlap=overlap, neighbours=neighbours)
    chosen |= _given(transport=transport, messages=messages, wait=wait, depth=depth, tiles=tiles)
    run_choices = RunChoices(**{**from_file, **chosen})
    choices = PredictChoices(ranks, machine, weak, ranks_per_node, threads, plot)
    predict_case(read, run_choices, choices, typer.echo)


@app.command()
def probe(
    *,
    output: Annotated[
        str, typer.Option(metavar="FILE", help="The file; default: where later runs look for it.")
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="A few seconds instead of a minute.")
    ] = False,
    device: Annotated[str, typer.Option(help="Measure this device, too: cuda, cuda:1.")] = "cpu",
) -> None:
    """Measure what the model needs to know of this machine, and keep it in a file."""
    from halocline.cli.probe import run_probe

    run_probe(typer.echo, output, is_quick=quick, device=device)


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _settings(settings: list[str] | None) -> dict[str, Any]:
    """Return 'key=value' words as parameters: numbers where they look like numbers."""
    found: dict[str, Any] = {}
    for setting in settings or ():
        key, equals, value = setting.partition("=")
        if not equals:
            raise CaseError(f"'--set {setting}' was given; expected KEY=VALUE.")
        found[key.strip()] = _number(value.strip())
    return found


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _refuse_other_number(ranks: int | None) -> None:
    launched = launched_ranks()
    if ranks is not None and launched is not None and ranks != launched:
        raise MpiError(
            f"{ranks} ranks were asked for, but the launcher has started {launched}.",
            hint="Leave out --ranks under mpiexec.",
        )


def main() -> None:
    """Run the command line; a mistake gives one message and exit code 2."""
    try:
        app()
    except HaloclineError as error:
        sys.exit(end_with(error))
    except MemoryError as error:
        hint = "Use fewer cells, or more ranks on more nodes."
        sys.exit(end_with(CaseError(f"There is not enough memory: {error}.", hint=hint)))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(128 + EXIT_MISTAKE)
