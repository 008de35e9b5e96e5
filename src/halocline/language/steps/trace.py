"""@kernel: run the user's function once on symbols and record what it assigns."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from halocline.errors import KernelError, described, nearest
from halocline.language.expressions import operators
from halocline.language.expressions.complex_values import Complex, ComplexComponents
from halocline.language.expressions.expr import Read
from halocline.language.expressions.kernel import Kernel, Statement
from halocline.language.expressions.parameters import Parameter
from halocline.language.expressions.parameters import step as clock
from halocline.language.expressions.random_numbers import scalars_of_draws
from halocline.language.expressions.scalars import with_scalars
from halocline.language.expressions.subscripts import parse_component, parse_offset_of_field
from halocline.language.expressions.tracing import Traced, tracing
from halocline.language.grids.complex_fields import ComplexField
from halocline.language.grids.composite import CompositeField, at_level, forest_of
from halocline.language.grids.fields import Field
from halocline.language.grids.grid import same_family
from halocline.language.place import user_place
from halocline.language.steps.calls import On, over_cells
from halocline.language.steps.keywords import (
    as_traced,
    differs_from_cell_to_cell,
    entries,
    read_at_run_time,
)
from halocline.language.steps.steps import Call
from halocline.language.steps.tree import OnLevels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from halocline.geometry import Offset
    from halocline.language.expressions.kernel import FieldType
    from halocline.language.grids.forest import Forest


class Recorder:
    """The statements of the function being traced, in order, with their places."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.places: list[str] = []
        self.versions: Counter[tuple[str, int]] = Counter()

    def symbols(self, fields: Mapping[str, Field]) -> list[Any]:
        """Return what stands for fields, known by these names, in a function being traced."""
        return [_SymbolField(field, name, self) for name, field in fields.items()]

    def assign(self, field: FieldType, component: int, offset: Offset, value: Any) -> None:
        """Record a statement."""
        expression = operators.to_expression(value)
        self.statements.append(Statement(field.name, component, expression, offset))
        self.places.append(user_place())
        self.versions[field.name, component] += 1


class _SymbolComponent(operators.Symbol):
    """One component of a field while tracing."""

    def __init__(self, parent: _SymbolField, component: int) -> None:
        self.parent = parent
        self.component = component

    def expression(self) -> Read:
        return self[self.parent.here].node  # type: ignore[return-value]

    def __getitem__(self, key: Any) -> operators.Value:
        name = self.parent.type.name
        offset = parse_offset_of_field(name, self.parent.space, key)
        version = self.parent.recorder.versions[name, self.component]
        return operators.Value(Read(name, self.component, offset, version))

    def __setitem__(self, key: Any, value: Any) -> None:
        name = self.parent.type.name
        offset = parse_offset_of_field(name, self.parent.space, key)
        self.parent.recorder.assign(self.parent.type, self.component, offset, value)


class _SymbolComplexField(Complex):
    """A field of one complex number a cell while tracing; see '_SymbolField'."""

    def __init__(self, parts: _SymbolField) -> None:
        super().__init__(*parts)
        self.dimensions, self.spacing, self.here = parts.dimensions, parts.spacing, parts.here


def as_seen(fields: Iterable[Field], symbols: Iterable[Any]) -> tuple[Any, ...]:
    """Return what a user's function sees of fields, of which some are complex."""

    def seen(field: Field, symbol: _SymbolField) -> Any:
        if not isinstance(field, ComplexField):
            return symbol
        return _SymbolComplexField(symbol) if field.per_cell == 1 else ComplexComponents(symbol)

    return tuple(seen(field, symbol) for field, symbol in zip(fields, symbols, strict=True))


class _SymbolField(operators.Symbol):
    """A field while tracing.

    Attributes:
        components: Numbers per cell.
        dtype: Of the numbers stored.
        spacing: Edge lengths of a cell.
        here: The subscript of the cell itself.
    """

    def __init__(self, field: Field, name: str, recorder: Recorder) -> None:
        self.type = field.type_as(name)
        self.components = field.components
        self.dtype = field.dtype
        self.dimensions = field.dimensions
        self.space = field.space
        self.here = (0,) * len(field.axes)
        self.spacing = tuple(field.grid.spacing[axis] for axis in field.space.axes)
        self.recorder = recorder

    def expression(self) -> Read:
        """Return the value in the cell itself."""
        if self.components > 1:
            parse_component(self.type.name, self.components, "no component")
        return _SymbolComponent(self, 0).expression()

    def __len__(self) -> int:
        return self.components

    def __iter__(self) -> Any:
        return (_SymbolComponent(self, q) for q in range(self.components))

    def __getitem__(self, key: Any) -> Any:
        if self.components == 1:
            return _SymbolComponent(self, 0)[key]
        return _SymbolComponent(self, parse_component(self.type.name, self.components, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.components == 1:
            _SymbolComponent(self, 0)[key] = value
        else:
            self[key][self.here] = value


class KernelFunction:
    """What '@kernel' makes of a function; call it with fields to get a step.

    Args:
        function: Takes fields by position and scalars by keyword; assigns to fields.

    Raises:
        KernelError: It is no function written in Python.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        if not inspect.isfunction(function):
            raise KernelError(
                f"'hc.kernel' was given {described(function)}; expected a function of fields.",
                hint="Write @hc.kernel on the line before 'def'.",
                place=user_place(),
            )
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__ if function.__name__.isidentifier() else "kernel"
        code = function.__code__
        self.place = f"{code.co_filename}:{code.co_firstlineno}"
        parameters = inspect.signature(function).parameters.values()
        self.field_names = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
        self.keywords = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def __repr__(self) -> str:
        """Return what it is, by its name."""
        return f"<kernel {self.name}>"

    @overload
    def __call__(self, *fields: Field, on: On = None, **given: Any) -> Call: ...

    @overload
    def __call__(
        self, *fields: CompositeField, on: CompositeField | str | None = None, **given: Any
    ) -> OnLevels[Call]: ...

    def __call__(self, *fields: Any, on: Any = None, **given: Any) -> Any:
        """Bind the kernel to fields.

        Args:
            fields: One for each positional parameter of the function. With those of a forest it
                runs on all its levels.
            on: Where it runs: everywhere (None), on the layer beyond a side ('z-'), on a box of
                cells, in the cells where a field is not zero, or in those of them that lie in a box
                (mask, box). Cells are those of the fields that it assigns.
            given: By keyword. Fields are fields of the kernel like the others, also those in a
                tuple, and may be left out where the function has a default. Floats and parameters
                are read at run time, also those in a tuple, where 0.0 says that there is none; any
                other value is known while the function is traced.

        Raises:
            KernelError: The function or its arguments have no meaning as a kernel.
        """
        forest = forest_of((*fields, *given.values()), f"Kernel '{self.name}'")
        if forest is not None:
            return self._on_levels(forest, fields, on, given)
        named, read = self._check(fields, given)
        body = partial(self._traced, named, given)
        return recorded(self.name, self.place, named, body, read, on=on)

    def _on_levels(
        self, forest: Forest, fields: tuple[Any, ...], on: Any, given: dict[str, Any]
    ) -> OnLevels[Call]:
        """Bind the kernel to composite fields: to the fields of each level."""

        def call(level: int) -> Call:
            there = {name: at_level(value, level) for name, value in given.items()}
            made: Call = self(*at_level(fields, level), on=at_level(on, level), **there)
            return made

        return OnLevels(forest, tuple(map(call, range(forest.levels))))

    def _traced(
        self, named: dict[str, Field], given: dict[str, Any], *symbols: Any, carry: Any = ()
    ) -> Any:
        """Return what the function does to symbols of its fields.

        Args:
            named: See '_check'.
            given: By keyword.
            symbols: What stands for each field.
            carry: What comes before the fields.
        """
        symbols = as_seen(named.values(), symbols)
        symbol_of = dict(zip(named.values(), symbols, strict=True))
        keywords = {
            name: as_traced(name, given.get(name, default), symbol_of)
            for name, default in self.keywords.items()
        }
        return self.function(*carry, *symbols[: len(self.field_names)], **keywords)

    def _check(
        self, fields: tuple[Any, ...], given: dict[str, Any]
    ) -> tuple[dict[str, Field], dict[str, Any]]:
        """Refuse arguments that do not fit the function.

        Returns:
            Each field once by the name that the kernel has for it, those given by keyword last; and
            what is read at run time.
        """
        self._check_fields(fields)
        self._check_keywords(given)
        values = {name: given.get(name, default) for name, default in self.keywords.items()}
        named = dict(zip(self.field_names, fields, strict=True))
        for name, value in values.items():
            for own, entry in entries(name, value):
                if isinstance(entry, Field) and entry not in named.values():
                    named[own] = entry
        if not named:
            raise KernelError(
                f"Kernel '{self.name}' was called with 0 fields; expected at least one.",
                place=self.place,
            )
        same_family(tuple(named.values()), f"Kernel '{self.name}'")
        return named, read_at_run_time(values)

    def _check_fields(self, fields: tuple[Any, ...]) -> None:
        """Refuse fields that do not fit the function."""
        if len(fields) != len(self.field_names):
            raise KernelError(
                f"Kernel '{self.name}' was called with {len(fields)} fields; expected "
                f"{len(self.field_names)}{': ' if self.field_names else ''}"
                f"{', '.join(self.field_names)}.",
                hint=f"Numbers are given by keyword: {next(iter(self.keywords))}=…"
                if self.keywords and len(fields) > len(self.field_names)
                else "",
                place=self.place,
            )
        for field, name in zip(fields, self.field_names, strict=True):
            if not isinstance(field, Field):
                raise KernelError(
                    f"Kernel '{self.name}' was given {type(field).__name__} for '{name}'; "
                    "expected a field.",
                    hint="Pass fields by position and scalars by keyword.",
                    place=self.place,
                )
        if len(set(fields)) != len(fields):
            raise KernelError(
                f"Kernel '{self.name}' was given the same field twice; expected different fields.",
                place=self.place,
            )

    def _check_keywords(self, given: dict[str, Any]) -> None:
        """Refuse keywords that the function has not, and those whose values it cannot take."""
        for name in given:
            if name not in self.keywords:
                hint = nearest(name, self.keywords) if self.keywords else "It takes none."
                raise KernelError(
                    f"Kernel '{self.name}' has no scalar '{name}'.", hint=hint, place=self.place
                )
        for name, value in given.items():
            if differs_from_cell_to_cell(value):
                raise KernelError(
                    f"Kernel '{self.name}' was given something that differs from cell to cell for "
                    f"'{name}'; expected a number, or a formula of parameters and reductions.",
                    hint="Pass the fields and compute it inside, or reduce it to a number: "
                    f"{name}=hc.max(…).",
                    place=self.place,
                )
        missing = [n for n, d in self.keywords.items() if d is inspect.Parameter.empty]
        for name in missing:
            if name not in given:
                raise KernelError(
                    f"Kernel '{self.name}' needs a value for '{name}'.",
                    hint=f"Write {self.name}(…, {name}=…).",
                    place=self.place,
                )


def recorded(  # noqa: PLR0913 (what a call is made of)
    name: str,
    place: str,
    fields: Mapping[str, Field],
    body: Callable[..., None],
    scalars: Mapping[str, float | Parameter],
    *,
    on: On = None,
    sweep: tuple[int, int] | None = None,
) -> Call:
    """Record what a function does to symbols of fields, and bind it to these.

    Args:
        name: What the kernel is called.
        place: 'file:line' of the function.
        fields: By the names that the kernel has for them.
        body: Called with a symbol for each.
        scalars: What is read at run time, by name.
        on: See 'KernelFunction.__call__'.
        sweep: See 'Kernel'.
    """
    recorder = Recorder()
    with tracing(written_for(fields.values())):
        body(*recorder.symbols(fields))
    return bound(name, place, fields, recorder, scalars, on=on, sweep=sweep)


def written_for(fields: Iterable[Field]) -> Traced:
    """Return what is known of a kernel of these fields before its function is run."""
    spaces = [field.space for field in fields]
    # What a kernel assigns has all the axes that it reads, or that it sweeps.
    return Traced(len(spaces[0].extent), tuple(sorted({a for s in spaces for a in s.axes})))


def bound(  # noqa: PLR0913 (what a call is made of)
    name: str,
    place: str,
    fields: Mapping[str, Field],
    recorder: Recorder,
    scalars: Mapping[str, float | Parameter],
    *,
    on: On = None,
    sweep: tuple[int, int] | None = None,
) -> Call:
    """Bind what has been recorded to fields; see 'recorded'."""
    statements, numbers = with_scalars(recorder.statements, scalars)
    identity = [name, *(field.name for field in fields.values()), getattr(on, "name", str(on))]
    scalars = {**scalars, **numbers, **scalars_of_draws(statements, clock, identity)}
    kernel = Kernel(
        name,
        next(iter(fields.values())).dimensions,
        tuple(field.type_as(own) for own, field in fields.items()),
        tuple(scalars),
        statements,
        sweep=sweep,
    )
    traced = over_cells(kernel, tuple(fields.values()), recorder.places, place, on)
    return Call(
        traced.kernel,
        traced.fields,
        tuple(v if isinstance(v, Parameter) else float(v) for v in scalars.values()),
        traced.region,
        isinstance(on, str),
        place,
        traced.mask,
        traced.space,
    )


def kernel(function: Callable[..., None]) -> KernelFunction:
    """Make a kernel of a function that says what one cell does.

    Example:
        >>> import halocline as hc
        >>> @hc.kernel
        ... def relax(u, u_new):
        ...     u_new[0] = 0.5 * (u[-1] + u[1])
    """
    return KernelFunction(function)
