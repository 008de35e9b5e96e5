"""Random numbers of programs, that is such as are known at run time: sources and formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from property.draw_values import Values
from property.expressions import Binary, Expression, Keyword, Number, Unary, Where
from property.programs import Assign, Formula, Reduce, Source

_LITERALS = (0.5, 2.0, -1.0, 0.1, 3.0)


class Numbers(Values):
    """Draws numbers of one program; 'known' are reductions and passes that have a value."""

    def numbers(self, known: Sequence[str]) -> tuple[str, ...]:
        """Return the names of all numbers."""
        series = (one.name for one in self.program.series)
        return (*(name for name, _ in self.program.parameters), *series, *known)

    def source(self, known: list[str]) -> Source:
        """Draw where a number comes from."""
        kinds = ["number", "number", "step", "time"]
        kinds += ["parameter"] * 2 if self.program.parameters else []
        kinds += ["series"] * bool(self.program.series)
        kinds += ["reduction"] * 3 if known else []
        kinds += ["formula"] * 3 if self.numbers(known) else []
        kind = self.random.choice(kinds)
        match kind:
            case "number":
                return Source(kind, self.random.choice((0.75, 0.1, -1.5, 2)))
            case "parameter":
                return Source(kind, self.random.choice(self.program.parameters)[0])
            case "series":
                return Source(kind, self.random.choice(self.program.series).name)
            case "reduction":
                return Source(kind, self.random.choice(known))
            case "formula":
                return Source(kind, self.formula(self.numbers(known), 2))
        return Source(kind)

    def formula(self, names: Sequence[str], depth: int) -> Expression:
        """Draw what is computed of some numbers, of one at least."""
        choice = self.random.choice
        if depth == 0 or self.random.random() < 0.2:
            return Keyword(choice(names))
        first = self.formula(names, depth - 1)
        other = [lambda: Number(choice(_LITERALS)), lambda: self.formula(names, depth - 1)]
        second = choice(other)()
        pair = (first, second) if choice((True, False)) else (second, first)
        match choice(("binary", "binary", "unary", "sqrt", "where")):
            case "binary":
                return Binary(choice(("add", "sub", "mul", "div", "min", "max")), *pair)
            case "unary":
                return Unary(choice(("neg", "abs")), first)
            case "sqrt":
                return Unary("sqrt", Unary("abs", first))
            case _:
                return Where(self.condition(names, 0), *pair)

    def condition(self, names: Sequence[str], depth: int) -> Expression:
        """Draw a comparison of numbers."""
        op = self.random.choice(("lt", "le", "gt", "ge"))
        return Binary(op, self.formula(names, depth), Number(self.random.choice(_LITERALS)))

    def with_inside(self, known: Sequence[str], make: Callable, reduced: Reduce) -> Formula:
        """Draw a formula, maybe of a reduction that is no step."""
        names, inside = self.numbers(known), ()
        if not names or self.random.random() < 0.5:
            names, inside = (*names, reduced.name), (reduced,)
        return Formula(make(names, 1), inside)

    def assign(self, known: Sequence[str], reduced: Reduce) -> Assign:
        """Draw what gives a parameter another value."""
        parameter = self.random.choice(self.program.parameters)[0]
        return Assign(parameter, self.with_inside(known, self.formula, reduced))
