"""Steps of random programs that are no kernels of the user's: at points, filled, systems solved."""

from __future__ import annotations

from random import Random

from property.draw_fields import FLOATS
from property.draw_numbers import Numbers
from property.draw_points import draw_amount, draw_points
from property.draw_sides import draw_series
from property.draw_values import Place
from property.expressions import Binary, Expression, Number
from property.given import Fill, Inject, Record
from property.legal import is_computable
from property.programs import Program, Step, Tridiagonal


class Others(Numbers):
    """Draws such steps of one program, whose fields and parameters are known."""

    def __init__(self, random: Random, program: Program) -> None:
        super().__init__(random, program)
        self.made = 0

    def other(self, kind: str) -> list[Step]:
        """Draw a step, or nothing where there are no fields for it."""
        match kind:
            case "fill":
                return [self.fill()]
            case "tridiagonal":
                return self.tridiagonal()
            case _:
                return self.at_points(kind)

    def name(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def fillable(self) -> list[str]:
        """Return the fields that series may fill."""
        return [f.name for f in self.program.fields if f.dtype in ("float64", "float32")]

    def cut(self) -> tuple[str, ...]:
        """Return the fields of grids that are not replicated."""
        return tuple(field.name for field in self.program.fields if not field.is_replicated)

    def fill(self) -> Fill:
        """Draw arrays that change with time."""
        is_even = isinstance(self.program.dt, float)
        series = draw_series(self.random, self.name("arrays"), may_end=is_even)
        return Fill(self.random.choice(self.fillable()), series)

    def at_points(self, kind: str) -> list[Step]:
        """Draw what is done at points, or nothing where they have nothing to read."""
        field = self.program.field(self.random.choice(self.fillable()))
        component = self.random.randrange(field.components)
        ways = ("linear", "linear", "cubic") + ("sinc",) * (kind == "record")
        points = draw_points(self.random, self.program, self.random.choice(ways))
        if kind == "record":
            every = self.random.choice((1, 1, 2))
            made = Record(self.name("shot"), field.name, component, points, every)
        else:
            scales = tuple(self.random.choice((0.5, -1.0, 0.3)) for _ in points.places)
            amount = draw_amount(self.random, self.program)
            made = Inject(field.name, component, points, amount, scales)
        return [made] if is_computable(self.program, made) else []

    def tridiagonal(self) -> list[Step]:
        """Draw a system whose diagonal may dominate, or nothing where there is no field for it."""
        fields = [f for f in self.program.fields if f.dtype in FLOATS and f.components == 1]
        if not fields:
            return []
        into = self.random.choice(fields)
        space = self.program.space(into.name)
        axis = self.random.choice(space.axes)
        self.keywords = {}
        place = Place((self.here, space.size), space, hidden=self.cut() * space.is_replicated)
        values = [self._coefficient(place) for _ in range(4)]
        values[1] = Binary("add", Number(4.0), Binary("mul", Number(0.25), values[1]))
        made = Tridiagonal(axis, tuple(values), into.name)
        return [made] if is_computable(self.program, made) else []

    def _coefficient(self, place: Place) -> Expression:
        if self.random.random() < 0.3:
            return Number(self.random.choice((0.5, -1.0, 0.3)))
        return self.expression(place, self.random.randint(0, 2), self.here)
