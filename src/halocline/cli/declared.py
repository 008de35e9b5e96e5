"""Options that are declared elsewhere (halocline/options.py) as options of a command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

from halocline.errors import CaseError, HaloclineError, PlanError
from halocline.options import Option

_NAMES: Mapping[type, str] = {int: "INTEGER", float: "NUMBER", str: "TEXT", list: "TEXT"}


def with_options(
    command: Callable[..., None],
    run: Mapping[str, Option],
    parameters: Mapping[str, Option],
    usual: Mapping[str, Any],
) -> Callable[..., None]:
    """Return a command with options of a run and with the parameters of a case as options.

    Args:
        command: Gets as 'run' and 'parameters' what was given of both, checked; its other
            arguments are its own.
        run: Options of a run.
        parameters: Those of the case that the command line names, if it does.
        usual: What is taken for parameters that are None.
    """
    own = [
        parameter
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items()
        if name not in ("run", "parameters")
    ]
    _refuse_clashes(parameters, {*run, *(parameter.name for parameter in own)})

    def called(**values: Any) -> None:
        given = {name: value for name, value in values.items() if value not in (None, [])}
        mine = {parameter.name: values[parameter.name] for parameter in own}
        command(
            **mine,
            run=_checked(run, given, PlanError),
            parameters=_checked(parameters, given, CaseError),
        )

    shown = [_parameter(option, "Options of the run", option.default) for option in run.values()]
    shown += [
        _parameter(option, "Parameters of the case", usual.get(name, option.default))
        for name, option in parameters.items()
    ]
    called.__signature__ = inspect.Signature([*own, *shown])  # type: ignore[attr-defined]
    called.__annotations__ = {}
    called.__doc__ = command.__doc__
    return called


def words_of(arguments: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Return the words of a command line that are neither options nor their values.

    Args:
        arguments: The command line.
        flags: The options that have no value.
    """
    words, is_value = [], False
    for argument in arguments:
        is_option = argument.startswith("-")
        if not is_option and not is_value:
            words.append(argument)
        is_value = is_option and "=" not in argument and argument not in flags
    return words


def flags_of(option: Option) -> tuple[str, ...]:
    """Return what turns an option on, and off if it is true or false."""
    if option.kind is not bool:
        return (option.flag,)
    return option.flag, option.flag.replace("--", "--no-", 1)


def _checked(
    options: Mapping[str, Option], given: Mapping[str, Any], error: type[HaloclineError]
) -> dict[str, Any]:
    found = {}
    for name, option in options.items():
        if name in given:
            value = given[name]
            value = option.parse(value) if isinstance(value, str) else value
            found[name] = option.check(value, error, f"'{option.flag}'")
    return found


def _parameter(option: Option, panel: str, default: Any) -> inspect.Parameter:
    """Return an option as an argument of a function, as Typer reads it; texts are read later."""
    types: dict[type, Any] = {bool: bool, list: list[str]}
    # The first sentence or clause; the others are for programs.
    text = re.split(r"(?<=[\w'\])])[.;](?:\s|$)", option.about)[0]
    usual = "" if default in (None, "") or default is False else f"default {default}"
    details = "; ".join(filter(None, (str(option.allowed), usual)))
    known = "|".join(map(str, option.choices))
    shown = typer.Option(
        "/".join(flags_of(option)),
        # Rich would take a unit, as [m], for a style.
        help=escape(text + (f" ({details})." if details else ".")),
        metavar=None if option.kind is bool else f"[{known}]" if known else _NAMES[option.kind],
        show_default=False,
        rich_help_panel=panel,
    )
    kind = types.get(option.kind, str)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, shown],
    )


def _refuse_clashes(parameters: Mapping[str, Option], taken: set[str]) -> None:
    for name in parameters:
        if name in taken:
            raise CaseError(
                f"The case has a parameter '{name}', which is an option of the command.",
                hint="Give the parameter another name.",
            )
