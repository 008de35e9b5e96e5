"""Options: what follows from a declaration, and the one message for what is not as declared."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import pytest
from errors.telling import told

import halocline as hc
from halocline.errors import CaseError, PlanError
from halocline.frozen import Frozen
from halocline.language.numbers import Range
from halocline.options import Check, OneOf, check_options, options_of
from halocline.plan.cells.strategy import Strategy


def even(number: int) -> None:
    if number % 2:
        raise CaseError("That is odd.")


class Wave(Frozen):
    """A wave.

    Attributes:
        height: From trough to crest, at
            high tide [m]. More is dangerous.
        kind: What breaks it.
    """

    height: Annotated[float, Range(above=0.0, most=30.0)] = 1.0
    kind: Literal["spilling", "plunging"] = "spilling"
    axes: Literal[2, 3] = 2
    colour: Annotated[str, OneOf(("blue", "green"))] = "blue"
    crests: Annotated[int | None, Range(least=1), Check(even)] = None
    marks: list[str] | None = None
    is_long: bool = False


class Swell(Wave):
    """A longer wave.

    Attributes:
        period: Between two crests [s].
    """

    period: float = 8.0


WAVE = options_of(Wave)


def test_a_declaration_says_name_type_default_and_meaning():
    height = options_of(Swell)["height"]
    assert (height.name, height.kind, height.default) == ("height", float, 1.0)
    assert height.about == "From trough to crest, at high tide [m]. More is dangerous."
    assert options_of(Swell)["period"].about == "Between two crests [s]."
    assert (WAVE["kind"].choices, WAVE["axes"].kind) == (("spilling", "plunging"), int)
    assert WAVE["is_long"].flag == "--is-long"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("height", "2", 2.0),
        ("height", "high", "high"),
        ("axes", "3", 3),
        ("crests", "1e3", "1e3"),
        ("is_long", "true", True),
        ("kind", "3", "3"),
    ],
)
def test_texts_are_read_as_the_type_of_the_option(name, text, value):
    found = WAVE[name].parse(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("height", 0.0, "'height' was given 0.0; expected a number above 0 and at most 30."),
        ("height", "high", "'height' was given 'high'; expected a number above 0 and at most 30."),
        ("kind", "tidal", "'kind' was given 'tidal'; expected one of: spilling, plunging."),
        ("axes", 4, "'axes' was given 4; expected one of: 2, 3."),
        ("axes", 2.0, "'axes' was given 2.0; expected one of: 2, 3."),
        ("colour", "red", "'colour' was given 'red'; expected one of: blue, green."),
        ("crests", 0, "'crests' was given 0; expected a whole number of at least 1."),
        ("crests", True, "'crests' was given True; expected a whole number of at least 1."),
        ("crests", 3, "That is odd."),
        ("marks", "x", "'marks' was given 'x'; expected a list of texts."),
        ("marks", [1], "'marks' was given [1]; expected a list of texts."),
        ("is_long", 1, "'is_long' was given 1; expected true or false."),
    ],
)
def test_what_is_not_as_declared_is_refused(name, value, message):
    found = told(CaseError, lambda: check_options(Wave, {name: value}, CaseError))
    assert found == message


def test_what_is_as_declared_is_taken():
    check_options(Wave, {"crests": None, "marks": ["a"], "height": 30.0, "axes": 3})
    assert WAVE["height"].check(2) == 2.0


def test_arguments_are_options_where_they_are_annotated():
    options = options_of(hc.Simulation)
    assert {"threads", "device", "link"} <= set(options)
    assert not {"grid", "steps", "communicator"} & set(options)
    assert options["threads"].about.startswith("OpenMP threads a rank")


@pytest.mark.parametrize("name", ["threads", "blocks", "check_every", "device", "decomposition"])
def test_simulations_refuse_arguments_by_their_declaration(name):
    grid = hc.Grid((4,))
    found = told(PlanError, lambda: hc.Simulation(grid, [lambda: None], **{name: 0.5}))
    assert found.startswith(f"'{name}' was given 0.5; expected")


def test_a_decomposition_may_be_written_with_crosses():
    simulation = hc.Simulation(hc.Grid((4, 4)), [lambda: None], decomposition="1x1")
    assert simulation.decomposition.ranks == 1


def test_strategies_refuse_choices_by_their_declaration():
    found = told(PlanError, lambda: Strategy(overlap="never"))
    expected = "core-first, rim-first, postponed, none"
    assert found == f"'overlap' was given 'never'; expected one of: {expected}."


def test_a_refusal_says_where_the_argument_was_given():
    for name in ("threads", "device"):
        with pytest.raises(PlanError, match=rf"^{re.escape(__file__)}:\d+: '{name}' was given"):
            hc.Simulation(hc.Grid((4,)), [lambda: None], **{name: 0})


def test_a_field_of_another_type_is_no_option():
    class Odd(Frozen):
        where: tuple[int, int] = (1, 2)

    with pytest.raises(TypeError, match="'where' is no option"):
        options_of(Odd)
