"""'halocline papers': the experiments of the papers, listed and run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halocline.errors import CaseError
from halocline.launched import launched_rank

papers_app = typer.Typer(
    help="Repeat the experiments of the papers beside the numbers they print.",
    epilog="Example: halocline papers list",
    no_args_is_help=True,
)


@papers_app.command("list", epilog="Example: halocline papers list")
def list_experiments() -> None:
    """List the experiments: what each shows and about how long it takes."""
    from halocline_reproduction.experiments import EXPERIMENTS

    widths = (max(map(len, EXPERIMENTS)), max(len(e.source) for e in EXPERIMENTS.values()))
    name, source = "name".ljust(widths[0]), "paper".ljust(widths[1])
    typer.echo(f"{name}  {source}  minutes  what it shows")
    for e in EXPERIMENTS.values():
        named = f"{e.name:<{widths[0]}}  {e.source:<{widths[1]}}"
        typer.echo(f"{named}  {e.minutes:>7g}  {e.shows}")


@papers_app.command("run", epilog="Example: halocline papers run 000-memory --quick")
def run_experiment(
    name: Annotated[str, typer.Argument(metavar="NAME", help="See 'halocline papers list'.")],
    *,
    ranks: Annotated[int, typer.Option(min=1, help="MPI ranks to start.")] = 2,
    output: Annotated[str, typer.Option(help="Directory of the results.")] = "output/papers",
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes: shows that it works, not how fast.")
    ] = False,
) -> None:
    """Run an experiment; show its tables and write text, JSON and picture."""
    from halocline_reproduction.experiment import as_text, settings_for, write
    from halocline_reproduction.experiments import find_experiment

    experiment = find_experiment(name)
    if launched_rank() is not None:
        raise CaseError(
            "An experiment was started as one of several ranks; it starts its ranks itself.",
            hint=f"Leave out mpiexec: halocline papers run {name} --ranks {ranks}",
        )
    settings = settings_for(ranks, is_quick=quick)
    findings = experiment.run(settings)
    typer.echo(as_text(experiment, findings, settings))
    paths = write(experiment, findings, settings, Path(output))
    typer.echo("\nwritten: " + ", ".join(map(str, paths)))
