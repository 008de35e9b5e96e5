"""Options: what a user can choose, each declared once, where it is used.

An option is a field of a record, or an argument of a function that is 'Annotated'. Its
annotation says which values it takes, its default what holds otherwise, the docstring what it
means. Command line, case files and the checks of arguments follow from these.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT

from halocline.errors import HaloclineError, PlanError, described
from halocline.frozen import Frozen, defaults, has_fields
from halocline.language.numbers import ANY, Range, finite_number, whole_number
from halocline.language.place import user_place

_KINDS: Mapping[type, str] = MappingProxyType(
    {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
        list: "a list of texts",
    }
)
# What a docstring says of one attribute or argument.
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


class OneOf(Frozen):
    """Stands in an annotation: only these words are allowed."""

    words: tuple[str, ...]


class Check(Frozen):
    """Stands in an annotation: a function that raises a HaloclineError for other values."""

    function: Callable[[Any], object]


class Option(Frozen):
    """One option.

    Attributes:
        name: As Python and case files write it.
        kind: What a text or a file can give: bool, int, float, str, or list for a list of texts.
        default: What holds if it is not given.
        about: What it means.
        choices: All values that are allowed; empty if there are others.
        allowed: The numbers that are allowed.
        others: Types of values that only a program can give.
        check_value: See 'Check'.
        marks: What else the annotation says.
    """

    name: str
    kind: type
    default: Any
    about: str = ""
    choices: tuple[Any, ...] = ()
    allowed: Range = ANY
    others: tuple[type, ...] = ()
    check_value: Callable[[Any], object] | None = None
    marks: tuple[Any, ...] = ()

    @property
    def flag(self) -> str:
        """The option as the command line writes it: '--ranks-per-node'."""
        return "--" + self.name.replace("_", "-")

    @property
    def expected(self) -> str:
        """Which values are allowed, as a message says it."""
        if self.choices:
            return f"one of: {', '.join(map(str, self.choices))}"
        return self.allowed.described(_KINDS[self.kind])

    def parse(self, text: str) -> Any:
        """Return what a text on a command line stands for; the text where it is no such value."""
        if self.kind not in (int, float):
            return {"true": True, "false": False}.get(text, text) if self.kind is bool else text
        try:
            return self.kind(text)
        except ValueError:
            return text

    def check(
        self, value: Any, error: type[HaloclineError] = PlanError, what: str | None = None
    ) -> Any:
        """Return a value in the type of the option.

        Args:
            value: What was given.
            error: The kind of error to raise.
            what: What messages call the option; its name in quotes if None.

        Raises:
            HaloclineError: The value is not allowed.
        """
        what = what or f"'{self.name}'"
        if isinstance(value, self.others):
            return value
        if self.choices:
            if not isinstance(value, self.kind) or value not in self.choices:
                raise self._refused(value, error, what)
        elif self.kind is int:
            value = whole_number(what, value, self.allowed, error)
        elif self.kind is float:
            value = finite_number(what, value, self.allowed, error)
        elif not isinstance(value, self.kind) or not all(
            isinstance(entry, str) for entry in (value if isinstance(value, list) else ())
        ):
            raise self._refused(value, error, what)
        if self.check_value is not None:
            self.check_value(value)
        return value

    def _refused(self, value: Any, error: type[HaloclineError], what: str) -> HaloclineError:
        message = f"{what} was given {described(value)}; expected {self.expected}."
        return error(message, place=user_place())


def options_of(declared: Any) -> Mapping[str, Option]:
    """Return what fields of a record, a function, or the '__init__' of a class declare."""
    return _options_of(declared)


@cache
def _options_of(declared: Any) -> Mapping[str, Option]:
    about = _attributes(declared)
    if has_fields(declared):
        hints = get_type_hints(declared, include_extras=True)
        given = defaults(declared)
    else:
        function = vars(declared)["__init__"] if isinstance(declared, type) else declared
        hints = get_type_hints(function, include_extras=True)
        given = {
            name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if get_origin(hints.get(name)) is Annotated
        }
    found = {name: _option(name, hints[name], default, about) for name, default in given.items()}
    return MappingProxyType(found)


def check_options(
    declared: Any, values: Mapping[str, Any], error: type[HaloclineError] = PlanError
) -> None:
    """Refuse arguments, or the fields of a record, that are not as they are declared.

    Raises:
        HaloclineError: One is not; the message names it.
    """
    options = options_of(declared)
    for name, value in values.items():
        options[name].check(value, error)


def check_declared(given: Any, error: type[HaloclineError] = PlanError) -> None:
    """Refuse fields of a record that are not as their annotations say.

    Checked are fields that are 'Annotated', a 'Literal', or truth values; a class with fields of
    other types checks these itself.

    Raises:
        HaloclineError: One is not; the message names it.
    """
    for name, option in _declared(given.__class__).items():
        option.check(getattr(given, name), error)


@cache
def _declared(declared: Any) -> Mapping[str, Option]:
    hints = get_type_hints(declared, include_extras=True)
    chosen = {
        name: hint
        for name, hint in hints.items()
        if hint is bool or get_origin(hint) is Annotated or _words(_members(hint))
    }
    return MappingProxyType({name: _option(name, hint, None, {}) for name, hint in chosen.items()})


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the only one."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _words(members: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values of the literal among some types."""
    return next((get_args(member) for member in members if get_origin(member) is Literal), ())


def _option(name: str, annotation: Any, default: Any, about: Mapping[str, str]) -> Option:
    hint, *extras = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    members = _members(hint)
    words = _words(members)
    plain = [get_origin(member) or member for member in members]
    kind = type(words[0]) if words else next((kind for kind in _KINDS if kind in plain), None)
    if kind is None or default is NODEFAULT or default is inspect.Parameter.empty:
        raise TypeError(f"'{name}' is no option: {hint} is no type of one, or it has no default")
    found: dict[type, Any] = {type(extra): extra for extra in extras}
    return Option(
        name,
        kind,
        default,
        about.get(name, ""),
        found[OneOf].words if OneOf in found else words,
        found.get(Range, ANY),
        tuple(other for other in plain if isinstance(other, type) and other is not kind),
        found[Check].function if Check in found else None,
        tuple(extra for extra in extras if not isinstance(extra, OneOf | Range | Check)),
    )


def _attributes(declared: Any) -> dict[str, str]:
    """Return what docstrings say of attributes or arguments; a subclass adds to its bases."""
    found = {}
    for part in reversed(getattr(declared, "__mro__", (declared,))):
        text = inspect.cleandoc(part.__doc__ or "")
        section = re.search(r"^(?:Attributes|Args):\n((?:    .*\n?)+)", text, re.MULTILINE)
        for name, words in _ENTRY.findall(section[1] if section else ""):
            found[name] = " ".join(words.split())
    return found
