"""Points of random programs."""

from __future__ import annotations

from random import Random

from property.draw_sides import draw_series
from property.given import Points, Series
from property.programs import Program


def draw_points(random: Random, program: Program, interpolation: str) -> Points:
    """Draw points, of which some lie in the middle of cells, on faces, or on sides; or none does.

    They are eighths of a cell of a finer grid, so that their places are exact.
    """
    count, places = random.randint(1, 5), []
    margin = random.choice((0, 0, 1)) * (min(program.extent) > 2)
    for _ in range(count):
        place = []
        for n, width in zip(program.extent, program.spacing, strict=True):
            eighths = random.randint(8 * margin, 8 * (n - margin))
            eighths -= eighths % random.choice((1, 1, 4, 8))
            place.append(eighths / 8 * width)
        places.append(tuple(place))
    if random.random() < 0.3:
        places.append(places[0])
    return Points(tuple(places), interpolation)


def draw_amount(random: Random, program: Program) -> float | str | Series:
    """Draw what is injected."""
    names = [name for name, _ in program.parameters] + [one.name for one in program.series]
    kind = random.choice(("number", "rows", *("name",) * bool(names)))
    match kind:
        case "number":
            return random.choice((1.0, 0.3, -2.0))
        case "rows":
            return draw_series(random, "rows", may_end=isinstance(program.dt, float))
        case _:
            return random.choice(names)
