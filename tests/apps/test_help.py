"""The help of every command begins with one sentence and has an example that is right."""

from __future__ import annotations

import re
import shlex
import subprocess

import click
import pytest
import typer

from halocline.cli.main import build
from halocline_command.caf import caf_program


def commands(group: click.Group, before: tuple[str, ...] = ()) -> dict[str, click.Command]:
    """Return all commands and groups of commands, by the words of a command line."""
    found = {}
    for name, command in group.commands.items():
        words = (*before, name)
        found[" ".join(words)] = command
        if hasattr(command, "commands"):
            found |= commands(command, words)
    return found


COMMANDS = commands(typer.main.get_command(build([])))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_begins_with_one_sentence_and_has_an_example_that_is_right(name):
    command = COMMANDS[name]
    first = command.help.partition("\n\n")[0]
    assert re.fullmatch(r"[A-Z][^.]*\.", first, re.DOTALL), first
    assert re.fullmatch(rf"Example: halocline {name}\b.*", command.epilog)
    program, *words = shlex.split(command.epilog.removeprefix("Example: "))
    parsed = typer.main.get_command(build(words))
    # Reads every word and option; calls nothing.
    while words:
        context = parsed.make_context(program, list(words))
        if not hasattr(parsed, "commands"):
            break
        program, parsed, words = parsed.resolve_command(context, list(words))


def test_the_help_of_the_whole_command_lists_all_of_them():
    listed = typer.main.get_command(build([])).commands
    assert {"run", "show", "predict", "bench", "probe", "new", "doctor", "caf"} <= set(listed)


def test_the_help_of_coarrays_begins_with_a_sentence_and_has_examples():
    done = subprocess.run([caf_program(), "--help"], capture_output=True, text=True, check=True)
    assert re.match(r"Build and run [^.]*\.\n\n  halocline caf build heat\.f90", done.stdout)
