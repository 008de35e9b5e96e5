"""Grids and fields of random programs."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from random import Random

from msgspec.structs import replace
from property.given import Boundary, Given
from property.programs import (
    AXES,
    Field,
    is_on_faces,
)

FLOATS = ("float64", "float32", "float16")
INTEGERS = ("int64", "int32", "uint8", "int8", "int16", "uint16", "uint32", "uint64")
DTYPES = (*FLOATS, *INTEGERS, "bool")
# Dyadic, so that a product with a distance is exact in any type.
GIVEN = (0.5, -0.25, 1.0, 0.125, -2.0, 0.3)
ROBIN = ((1.0, 0.5), (0.3, 0.7), (-2.0, -1.0), (2.0, 0.25), (1.0, 0.0))

# Cells of a grid for one of the first, along each axis.
Scale = tuple[Fraction, ...]


def draw_scales(random: Random, dimensions: int) -> list[Scale]:
    """Draw a family of grids: the first, and some coarser or finer, by other ratios each axis."""
    scales = [(Fraction(1),) * dimensions]
    for _ in range(random.choice((0, 0, 1, 1, 1, 2))):
        ratio = random.choice((Fraction(1, 2), Fraction(1, 2), Fraction(1, 3), 2, 3))
        base = random.choice(scales)
        scale = tuple(s * ratio if random.random() < 0.6 else s for s in base)
        if all(Fraction(1, 6) <= s <= 4 for s in scale):
            scales.append(scale)
    return scales


def draw_extent(random: Random, scales: list[Scale], periodic: tuple[bool, ...]) -> tuple[int, ...]:
    """Draw how many cells there are along each axis.

    One that is periodic may be narrower than what is read across its sides.
    """
    dimensions, along = len(periodic), list(zip(*scales, strict=True))
    thin = random.randrange(dimensions)
    is_thin = dimensions > 1 and periodic[thin] and random.random() < 0.2
    grains = [lcm(*(s.denominator for s in one)) for one in along]
    # So many parts that four blocks can be made of them.
    parts = 4 if dimensions == 1 or is_thin else 2
    extent = []
    for grain, finest in zip(grains, map(max, along), strict=True):
        # Not many cells, also on finer grids.
        longest = int({1: 14, 2: 9, 3: 6}[dimensions] / finest) // grain
        least = max(parts, -(-4 // grain))
        extent.append(grain * random.randint(least, max(least, longest)))
    if is_thin:
        extent[thin] = grains[thin] * random.choice((1, 1, 2, 3))
    return tuple(extent)


def draw_fields(random: Random, periodic: tuple[bool, ...], scales: list[Scale]):
    """Draw two fields of one type, some of others, some without an axis, and a mask."""
    kinds = [random.choice(FLOATS[:2] * 2 + DTYPES)]
    kinds = [kinds[0], kinds[0], *(random.choice(DTYPES) for _ in range(random.randint(1, 2)))]
    everything = tuple(range(len(periodic)))
    components, layout = random.choice((1, 1, 2)), random.choice(("soa", "aos"))
    location = _draw_location(random, everything)
    scale, axes = random.choice(scales), _draw_axes(random, everything, 0.1)
    replicated = random.choice((0.0, 0.0, 0.5))
    is_replicated = random.random() < replicated
    fields = []
    for number, dtype in enumerate(kinds):
        if number > 1:
            components, layout = random.choice((1, 1, 2)), random.choice(("soa", "aos"))
            scale, axes = random.choice(scales), _draw_axes(random, everything, 0.25)
            is_replicated = random.random() < replicated
        if number > 1 or random.random() < 0.3 or not _lies(location, axes or everything):
            location = _draw_location(random, axes or everything)
        boundaries = _draw_boundaries(random, periodic, dtype, axes)
        fields.append(
            Field(
                *(f"F{number}", dtype, components, location, boundaries, layout, axes, _(scale)),
                is_replicated=is_replicated,
            )
        )
    fields += [
        replace(field, is_replicated=is_replicated)
        for field in _draw_columns(random, periodic, scales)
    ]
    dtype = random.choice(("uint8", "bool", "int32", "float32", "uint64"))
    axes, location = _draw_axes(random, everything, 0.15), "center"
    scale = random.choice(scales) if random.random() < 0.3 else scales[0]
    if random.random() < 0.2:
        location = _draw_location(random, axes or everything)
    boundaries = () if random.random() < 0.7 else _draw_boundaries(random, periodic, dtype, axes)
    is_replicated = random.random() < replicated / 2
    return (
        *fields,
        Field(
            "M", dtype, 1, location, boundaries, "soa", axes, _(scale), is_replicated=is_replicated
        ),
    )


def _draw_columns(random: Random, periodic: tuple[bool, ...], scales: list[Scale]) -> list[Field]:
    """Draw fields without an axis, that may be carries of sweeps."""
    everything = tuple(range(len(periodic)))
    if len(everything) == 1 or random.random() < 0.3:
        return []
    missing, scale = random.choice(everything), random.choice(scales)
    axes = tuple(axis for axis in everything if axis != missing)
    fields = []
    for number in range(random.randint(1, 2)):
        dtype = random.choice(DTYPES + FLOATS[:2])
        location = _draw_location(random, axes) if random.random() < 0.15 else "center"
        boundaries = _draw_boundaries(random, periodic, dtype, axes)
        fields.append(Field(f"C{number}", dtype, 1, location, boundaries, "soa", axes, _(scale)))
    return fields


def _(scale: Scale) -> Scale:
    """Return a scale; that of the first grid needs not be said."""
    return scale if set(scale) != {1} else ()


def _draw_axes(random: Random, axes: tuple[int, ...], chance: float) -> tuple[int, ...]:
    """Draw some of the axes; nothing for all."""
    if random.random() > chance or len(axes) == 1:
        return ()
    return tuple(sorted(random.sample(axes, random.randint(1, len(axes) - 1))))


def _draw_location(random: Random, axes: tuple[int, ...]) -> str:
    names = [AXES[axis] for axis in axes]
    edges = (f"{names[0]}{names[-1]}_edge",) if len(names) > 1 else ()
    faces = (*(f"{axis}_face" for axis in names), *edges)
    return random.choice(("center", random.choice(faces)))


def _lies(location: str, axes: tuple[int, ...]) -> bool:
    found = Field("", "", location=location)
    return all(axis in axes for axis in range(len(AXES)) if is_on_faces(found, axis))


def _draw_boundaries(random: Random, periodic, dtype, axes) -> tuple[Boundary, ...]:
    axes = axes or range(len(periodic))
    sides = [AXES[axis] + sign for axis in axes if not periodic[axis] for sign in "-+"]
    random.shuffle(sides)
    return tuple(_draw_boundary(random, side, dtype) for side in sides if random.random() < 0.85)


def _draw_boundary(random: Random, side: str, dtype: str) -> Boundary:
    """Draw a condition; prescribed numbers are floats, whole numbers are copied or mirrored."""
    if dtype in FLOATS and random.random() < 0.8:
        kind = random.choice(("dirichlet", "neumann", "robin"))
        factors = random.choice(ROBIN) if kind == "robin" else (1.0, 0.0)
        return Boundary(side, kind, Given("number", random.choice(GIVEN)), factors)
    return Boundary(side, random.choice(("copy", "mirror")))
