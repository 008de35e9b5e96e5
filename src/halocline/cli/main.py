"""The command 'halocline': run a case, or show what becomes of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from halocline.cli.declared import flags_of, with_options, words_of
from halocline.cli.launch import EXIT_MISTAKE, end_with, run_on_ranks
from halocline.cli.spelling import spell_what_cannot_be_encoded
from halocline.errors import CaseError, HaloclineError, MpiError, described
from halocline.installation import additions, refuse_if_not_installed
from halocline.launched import launched_rank, launched_ranks
from halocline.options import Option, options_of
from halocline.runtime.launcher import check_not_alone
from halocline_command.caf import run_caf

if TYPE_CHECKING:
    from halocline.apps.run_options import JobOptions

# Commands with the parameters of a case among their options, and which of their words is the case.
_WITH_CASE = {"run": 0, "show": 1, "predict": 0}
# Flags of their own.
_FLAGS = ("--help", "--weak")


class Subject(StrEnum):
    """What 'show' can show."""

    kernel = "kernel"
    footprint = "footprint"
    passes = "passes"
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
    whole_step = "whole-step"
    imbalance = "imbalance"
    lbm = "lbm"
    d2q9 = "d2q9"
    choice = "choice"
    device = "device"


# Shown below the help of each command.
_EXAMPLES = {
    "run": "halocline run lid-cavity --cells 64 --reynolds 1000 --ranks 2",
    "show": "halocline show plan lid-cavity --ranks 8 --rank 3",
    "predict": "halocline predict lid-cavity --cells 512 --ranks 64,4096 --machine lima",
    "bench": "halocline bench lbm --size 64 --size 128",
    "probe": "halocline probe --quick",
    "new": "halocline new heat",
    "doctor": "halocline doctor",
    "caf": "halocline caf build heat.f90 -o heat",
}

CASE = "A case, as lid-cavity, a .py file that defines one, or a .toml file with its parameters"
PROGRAM = f"{CASE}; or a .py file that is a program, whose first simulation is looked at"
ProgramName = Annotated[
    str, typer.Argument(metavar="CASE", help=f"{PROGRAM}; --help then tells those.")
]
CaseOrNone = Annotated[
    str | None,
    typer.Argument(
        metavar="CASE", help=f"{CASE}; --help then tells those. Not needed with --restart."
    ),
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
Given = Mapping[str, Any]


def run(case: CaseOrNone = None, *, restart: Restart = None, run: Given, parameters: Given) -> None:
    """Run a case and write fields, log, report and picture into a directory."""
    from halocline.apps.run_options import RunOptions
    from halocline.cli.hosts import find_job_launcher
    from halocline.cli.outputs import check_can_go_on, read_run
    from halocline.cli.relaunch import run_again_after_deaths
    from halocline.cli.run import run_case

    read, from_file = read_run(case, parameters, restart)
    options = RunOptions({**from_file, **run}, restart)
    options.check()
    check_can_go_on(options)
    job = options.job
    if launched_rank() is not None:
        _refuse_other_number(job.ranks)
        _refuse_to_start_ranks(job)
    elif job.relaunch or job.hosts is not None or (job.ranks or 1) > 1:
        check_not_alone()
        if job.relaunch:
            sys.exit(run_again_after_deaths(read, options, sys.argv[1:]))
        launcher, ranks = find_job_launcher(job.ranks, job.hosts)
        sys.exit(run_on_ranks(launcher.words, ranks, sys.argv[1:]))
    run_case(read, options)


def show(  # noqa: PLR0913 (one parameter an option: that is how typer works)
    what: Annotated[Subject, typer.Argument(help="kernel, footprint, passes, plan or code.")],
    case: ProgramName,
    *,
    ranks: Annotated[int, typer.Option(min=1, help="Ranks of the machine in mind.")] = 1,
    rank: Annotated[int, typer.Option(help="The rank whose plan is shown.")] = 0,
    target: Annotated[str, typer.Option(help="What code is shown for: c++ or cuda.")] = "c++",
    write: Annotated[
        str, typer.Option(metavar="FILE", help="Write the plans of all ranks, for run --plan.")
    ] = "",
    run: Given,
    parameters: Given,
) -> None:
    """Show what becomes of a case; needs no MPI, no compiler and no device."""
    from halocline.apps.cases import read_case
    from halocline.apps.run_options import RunOptions
    from halocline.cli.show import show_subject, write_plans_of_case
    from halocline.language.grids.initial import planning
    from halocline.runtime.platform import platform_of_ranks

    read, from_file = read_case(case, parameters)
    with planning():
        problem = read.problem()
    options = RunOptions({**from_file, **run})
    platform = platform_of_ranks(ranks, run.get("ranks_per_node"), run.get("threads", 1))
    typer.echo(show_subject(what.value, problem, options, (ranks, rank), platform, target))
    if write:
        write_plans_of_case(write, problem, options, ranks, platform)


def predict(  # noqa: PLR0913 (as for show)
    case: ProgramName,
    *,
    ranks: Annotated[str, typer.Option(help="Numbers of ranks, as 64,512,4096.")] = "1",
    machine: MachineName = "generic",
    weak: Annotated[
        bool, typer.Option("--weak", help="As many cells a rank as --cells has.")
    ] = False,
    plot: Annotated[str, typer.Option(help="Draw the curve into a file.")] = "",
    run: Given,
    parameters: Given,
) -> None:
    """Predict the time of a step on any machine and any number of ranks; needs no MPI."""
    from halocline.apps.cases import read_case
    from halocline.apps.run_options import RunOptions
    from halocline.cli.predict import PredictChoices, predict_case

    read, from_file = read_case(case, parameters)
    per_node, threads = run.get("ranks_per_node"), run.get("threads", 1)
    choices = PredictChoices(ranks, machine, weak, per_node, threads, plot)
    predict_case(read, RunOptions({**from_file, **run}), choices, typer.echo)


def bench(  # noqa: PLR0913 (as for show)
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
        str,
        typer.Option(metavar="CASE", help="A case or program (imbalance, whole-step)."),
    ] = "lid-cavity",
    ranks: Annotated[int, typer.Option(min=1, help="MPI ranks to start.")] = 2,
    repetitions: Annotated[int, typer.Option(min=1, help="How often each is timed.")] = 7,
    warm: Annotated[
        bool,
        typer.Option("--warm", help="Messages stay as they are; else rewritten before each."),
    ] = False,
    json_file: Annotated[str, typer.Option("--json", help="Write the figures to a file.")] = "",
    plot: Annotated[str, typer.Option(help="Draw the figures into a PNG file.")] = "",
    run: Given,
    parameters: Given,
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
        ranks_per_node=run.get("ranks_per_node"),
        link=run.get("link"),
        case=case,
        device=run.get("device", "auto"),
    )
    run_bench(what.value, typer.echo, settings, json_file, plot)


def probe(
    *,
    output: Annotated[
        str, typer.Option(metavar="FILE", help="The file; default: where later runs look for it.")
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="A few seconds instead of a minute.")
    ] = False,
    run: Given,
    parameters: Given,
) -> None:
    """Measure what the model needs to know of this machine, and keep it in a file."""
    from halocline.cli.probe import run_probe

    run_probe(typer.echo, output, is_quick=quick, device=run.get("device", "cpu"))


def new(
    program: Annotated[
        str | None,
        typer.Argument(metavar="PROGRAM", help="Its name; without it, the list of programs."),
    ] = None,
) -> None:
    """Write a commented program to start from into this folder."""
    from halocline.cli.new import programs, write_program

    if program is None:
        width = max(map(len, programs()))
        for name, about in programs().items():
            typer.echo(f"halocline new {name:<{width}}  {about}")
        return
    path = write_program(program, Path())
    typer.echo(f"{path} is written; run it: {Path(sys.executable).name} {path}")


def doctor() -> None:
    """Show what this installation uses and what is wrong with it, with remedies.

    The exit code is 1 if a part is wrong. What is absent, runs do without.
    """
    from rich.console import Console

    from halocline.cli.doctor import State, findings, table

    rows = list(findings())
    Console().print(table(rows))
    if any(row.state is State.wrong for row in rows):
        raise typer.Exit(1)


def caf(
    words: Annotated[list[str], typer.Argument(help="build, run or flags; see --help.")],
) -> None:
    """Build and run coarray programs of GNU Fortran."""
    run_caf(words)


def build(arguments: Sequence[str]) -> typer.Typer:
    """Return the commands; the one that a command line names has its options.

    Raises:
        HaloclineError: There is no such case, its file cannot be read, or the command belongs to a
            package that is not installed.
    """
    app = typer.Typer(
        help="Stencil computations on structured grids: write the kernel once, the halo takes "
        "care of itself.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    # No option stands before the command but '--help'.
    named = arguments[0] if arguments and not arguments[0].startswith("-") else None
    with_declared = {command.__name__: command for command in (run, show, predict, bench, probe)}
    for name, command in with_declared.items():
        options = _options_of(name, arguments) if name == named else ({}, {}, {})
        app.command(name, epilog=_example(name))(with_options(command, *options))
    for plain in (new, doctor):
        app.command(epilog=_example(plain.__name__))(plain)
    # Such words never come this far but where the command is looked at as a whole.
    anything = {"ignore_unknown_options": True}
    app.command("caf", epilog=_example("caf"), context_settings=anything)(caf)
    if named not in _EXAMPLES:
        _add_commands_of_other_packages(app, named)
    return app


def _example(command: str) -> str:
    return f"Example: {_EXAMPLES[command]}"


def _options_of(
    command: str, arguments: Sequence[str]
) -> tuple[Mapping[str, Option], Mapping[str, Option], Mapping[str, Any]]:
    """Return the options of a command, the parameters of the case, and what is usual for these."""
    from halocline.apps.run_options import RUN, STRATEGY

    distribution = (*STRATEGY, "decomposition", "blocks", "ranks_per_node", "threads")
    names = {
        "show": distribution,
        "predict": distribution,
        "bench": ("device", "ranks_per_node", "link"),
        "probe": ("device",),
    }
    options = {name: RUN[name] for name in names.get(command, RUN)}
    if command not in _WITH_CASE:
        return options, {}, {}
    flags = [*_FLAGS, *(flag for o in RUN.values() if o.kind is bool for flag in flags_of(o))]
    kind = _named_case(words_of(arguments, flags), arguments)
    return (options, options_of(kind), kind.usual) if kind else (options, {}, {})


def _add_commands_of_other_packages(app: typer.Typer, named: str | None) -> None:
    added = additions("commands")
    if named is not None and named not in added:
        refuse_if_not_installed("commands", named)
    for name, entry in added.items():
        app.add_typer(entry.load(), name=name)


def _named_case(words: Sequence[str], arguments: Sequence[str]) -> Any:
    """Return the class of the case that a command line names, or None."""
    from halocline.apps.cases import known_cases, read_source
    from halocline.cli.outputs import case_file_in

    place = 1 + _WITH_CASE[words[0]]
    if len(words) > place:
        return read_source(words[place]).kind
    restart = _value_of("--restart", arguments)
    if restart is not None:
        return read_source(case_file_in(restart)).kind
    if "--help" in arguments:
        return None
    raise CaseError("No case was given.", hint=f"Known are: {', '.join(known_cases())}.")


def _value_of(option: str, arguments: Sequence[str]) -> str | None:
    """Return what a command line says last of an option."""
    found = None
    for argument, following in zip(arguments, [*arguments[1:], None], strict=True):
        name, equals, value = argument.partition("=")
        if name == option:
            found = value if equals else following
    return found


def _refuse_other_number(ranks: int | None) -> None:
    launched = launched_ranks()
    if ranks is not None and launched is not None and ranks != launched:
        raise MpiError(
            f"{ranks} ranks were asked for, but the launcher has started {launched}.",
            hint="Leave out --ranks under mpiexec.",
        )


def _refuse_to_start_ranks(job: JobOptions) -> None:
    """Refuse options that only a command without a launcher around it can fulfil."""
    for option in ("relaunch", "hosts"):
        if value := getattr(job, option):
            raise MpiError(
                f"'{option}' was given {described(value)}, but a launcher has started this rank; "
                "expected a command that starts the ranks itself.",
                hint=f"Start 'halocline run' without mpiexec and srun, or leave out '{option}'.",
            )


def main() -> None:
    """Run the command line; a mistake gives one message and exit code 2."""
    spell_what_cannot_be_encoded()
    try:
        build(sys.argv[1:])()
    except HaloclineError as error:
        sys.exit(end_with(error))
    except MemoryError as error:
        hint = "Use fewer cells, or more ranks on more nodes."
        sys.exit(end_with(CaseError(f"There is not enough memory: {error}.", hint=hint)))
    except KeyboardInterrupt:
        if not launched_rank():
            print("stopped", file=sys.stderr)
        sys.exit(128 + EXIT_MISTAKE)
