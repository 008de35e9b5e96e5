"""Random programs that move sections of components between images, and a model of what they do.

Each image has structures in structures, with allocatable components of sizes of its own. Sections
of them are put, got, moved between two other images, and given another shape by assignment.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
from random_sections import Array, Section, assign, check, fitting, folded, selector

_TYPES = """\
  type :: leaf
    integer :: n
    integer, allocatable :: a(:)
    real(8), allocatable :: m(:, :)
  end type
  type :: node
    type(leaf) :: one
    type(leaf), allocatable :: many(:)
    integer(8) :: fixed(4)
    real(4), allocatable :: s(:)
  end type
  type(node), save :: x[*]
  type(node), allocatable :: y(:)[:]
  integer :: w(12)
  real(8) :: v(12)
  integer :: k"""

# What holds values: a name, with '@' where the image is named, its type, kind and rank.
_PLACES = tuple(
    (root + part, kind_of, kind, rank)
    for root in ("x@", "y(1)@", "y(2)@")
    for part, kind_of, kind, rank in (
        ("%one%a", "integer", 4, 1),
        ("%one%m", "real", 8, 2),
        ("%many(1)%a", "integer", 4, 1),
        ("%many(2)%a", "integer", 4, 1),
        ("%many(2)%m", "real", 8, 2),
        ("%fixed", "integer", 8, 1),
        ("%s", "real", 4, 1),
    )
)
_LOCAL = (("w", "integer", 4), ("v", "real", 8))

State = dict[Array, dict[int, np.ndarray]]


def generate(seed: int, images: int, statements: int = 25) -> str:
    """A program for at least so many images, that checks itself."""
    random = Random(seed)
    state: State = {}
    lines = [
        f"! images: {images}",
        f"! Random components, seed {seed}.",
        f"program random_{seed}",
        "  use expectations",
        "  implicit none",
        *_TYPES.splitlines(),
        "",
        "  allocate (y(2)[*])",
        "  allocate (x%many(2), y(1)%many(2), y(2)%many(2))",
        "  select case (this_image())",
    ]
    for image in range(1, images + 1):
        lines.append(f"  case ({image})")
        lines += _first_values(random, state, image)
    lines += ["  end select", "  sync all"]
    for _ in range(statements):
        runs, text = _statement(random, state, images)
        lines += [f"  if (this_image() == {runs}) {text}", "  sync all"]
    lines.append("  select case (this_image())")
    for image in range(1, images + 1):
        lines.append(f"  case ({image})")
        lines += _checks(state, image)
    lines += ["  end select", "  sync all", "  if (this_image() == 1) print '(a)', \"ok\""]
    lines.append("end program")
    return "\n".join(line for long in lines for line in folded(long)) + "\n"


def _first_values(random: Random, state: State, image: int) -> Iterator[str]:
    places = [*_PLACES, *((name, of, kind, 1) for name, of, kind in _LOCAL)]
    for number, (name, type_of, kind, rank) in enumerate(places):
        shape = tuple(random.randint(2, 6) for _ in range(rank))
        if name.endswith("fixed"):
            shape = (4,)
        local = "@" not in name
        if local:
            shape = (12,)
        a = Array(name, type_of, kind, shape, (1,) * rank, "local" if local else "allocatable")
        values = (7 * np.arange(a.size) + 13 * image + 31 * number) % 100
        state[a] = {image - 1: values.reshape(shape, order="F") + 0j}
        own = name.replace("@", "")
        if not local and not name.endswith("fixed"):
            yield f"    allocate ({own}({', '.join(map(str, shape))}))"
        formula = f"mod(7*k + {13 * image + 31 * number}, 100), k=0, {a.size - 1}"
        yield f"    {own} = reshape([({formula})], {a.shape_text})"


def _statement(random: Random, state: State, images: int) -> tuple[int, str]:
    """Who runs it, and its text; it is done in the model."""
    of = {image: [a for a in state if image - 1 in state[a]] for image in range(1, images + 1)}
    while True:
        runs, left_image, right_image = (random.randint(1, images) for _ in range(3))
        to = random.choice(of[left_image])
        source = random.choice(of[right_image])
        if to.storage == source.storage == "local":
            continue
        if any(
            a.storage == "local" and i != runs for a, i in ((to, left_image), (source, right_image))
        ):
            continue
        if to.name.endswith("%a") and source.storage == "local" and random.random() < 0.3:
            return runs, _reshaped(random, state, to, left_image, source, runs)
        selectors = tuple(
            selector(random, n, None, 1, vectors=_takes_vectors(to), repeat=False) for n in to.shape
        )
        left = Section(to, selectors, left_image)
        right = fitting(random, source, left.shape, right_image, vectors=_takes_vectors(source))
        if right is None:
            continue
        assign(state, runs, left, right, negate=False)
        return runs, f"{_text(left)} = {_text(right)}"


def _takes_vectors(a: Array) -> bool:
    """Of a component that is not allocatable the compiler does not: see compiler_limits.md."""
    return "@" in a.name and not a.name.endswith("fixed")


def _reshaped(random: Random, state: State, to: Array, image: int, source: Array, runs: int) -> str:
    """A whole allocatable component takes the shape of what is assigned to it."""
    n = random.randint(1, 9)
    values = state.pop(to), state[source][runs - 1][:n]
    shaped = Array(to.name, to.type, to.kind, (n,), (1,), "allocatable")
    new = values[1].real + 0j
    state[shaped] = {image - 1: new}
    return f"{to.name.replace('@', f'[{image}]')} = {source.name}(1:{n})"


def _text(section: Section) -> str:
    inside = ", ".join(s.closed if s.text == ":" else s.text for s in section.selectors)
    return section.array.name.replace("@", f"[{section.image}]") + f"({inside})"


def _checks(state: State, image: int) -> Iterator[str]:
    for a, values in state.items():
        if image - 1 in values:
            own = a.name.replace("@", "")
            yield f'    call expect(size({own}), {a.size}, "size of {own}")'
            flat = values[image - 1].reshape(-1, order="F").real
            yield check(a.size, f"int({own})", flat, own)
