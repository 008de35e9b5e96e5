"""Random programs that move random sections between images, and a model of what they do.

The model holds the arrays of all images in one process: a statement takes what the right side
selects, converts it, and stores it where the left side says.  Values are small whole numbers, so
that each conversion is exact.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from random import Random
from typing import Literal

import numpy as np

from halocline.frozen import Frozen

Type = Literal["integer", "real", "complex", "logical", "character"]
KINDS: dict[Type, tuple[int, ...]] = {
    "integer": (1, 2, 4, 8, 16),
    "real": (4, 8, 10, 16),
    "complex": (4, 8, 10, 16),
    "logical": (1, 2, 4, 8, 16),
    "character": (1, 3, 6),
}
NUMBERS: tuple[Type, ...] = ("integer", "real", "complex")


class Array(Frozen):
    """An array of the program; a character's kind is its length."""

    name: str
    type: Type
    kind: int
    shape: tuple[int, ...]
    lower: tuple[int, ...]
    storage: Literal["local", "static", "allocatable"]

    @property
    def family(self) -> str:
        return "number" if self.type in NUMBERS else self.type

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def shape_text(self) -> str:
        return "[" + ", ".join(str(n) for n in self.shape) + "]"


class Selector(Frozen):
    """The indices, from 0, that one dimension of a section takes, and how Fortran writes them."""

    indices: tuple[int, ...]
    text: str
    closed: str  # the same with all bounds
    one: bool = False


class Section(Frozen):
    """A part of an array, on a named image or (None) on the one that runs the statement."""

    array: Array
    selectors: tuple[Selector, ...]
    image: int | None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(s.indices) for s in self.selectors if not s.one)

    @property
    def has_vectors(self) -> bool:
        return any(s.text.startswith("[") for s in self.selectors)

    def __str__(self) -> str:
        # The compiler breaks down where a bound is left out beside a vector on a left side.
        inside = ", ".join(s.closed if self.has_vectors else s.text for s in self.selectors)
        coindex = f"[{self.image}]" if self.image else ""
        return f"{self.array.name}({inside}){coindex}"


State = dict[Array, list[np.ndarray]]


def generate(seed: int, images: int, statements: int = 30, *, vectors: bool = True) -> str:
    """A program for at least so many images, that checks itself."""
    random = Random(seed)
    arrays = [_array(random, number) for number in range(random.randint(5, 8))]
    state = {a: [_initial(a, n, k) for k in range(1, images + 1)] for n, a in enumerate(arrays)}
    lines = [
        f"! images: {images}",
        f"! Random sections, seed {seed}.",
        f"program random_{seed}",
        "  use expectations",
        "  implicit none",
        *(f"  {_declaration(a)}" for a in arrays),
        "  integer :: k",
        "",
        *(line for n, a in enumerate(arrays) for line in _first_values(a, n)),
        "  sync all",
    ]
    for _ in range(statements):
        runs, left, right, text = _statement(random, arrays, images, vectors)
        assign(state, runs, left, right, negate="99 - " in text)
        lines += [f"  if (this_image() == {runs}) {text}", "  sync all"]
    lines.append("  select case (this_image())")
    for image in range(1, images + 1):
        lines.append(f"  case ({image})")
        for a in arrays:
            lines += list(_checks(a, state[a][image - 1]))
    lines += ["  end select", "  sync all", "  if (this_image() == 1) print '(a)', \"ok\""]
    lines += ["", "contains", "", *_CODES, "end program"]
    return "\n".join(line for long in lines for line in folded(long)) + "\n"


_CODES = (
    "  pure function codes(text)",
    "    character(*), intent(in) :: text",
    "    integer :: codes(len(text)), i",
    "    codes = [(iachar(text(i:i)), i=1, len(text))]",
    "  end function",
)


# Arrays


def _array(random: Random, number: int) -> Array:
    kinds: list[Type] = ["integer", "real", "complex", "logical", "character"]
    of_type = random.choices(kinds, weights=[5, 4, 2, 1, 1])[0] if number else "integer"
    rank = random.randint(1, 4)
    largest = {1: 12, 2: 7, 3: 4, 4: 3}[rank]
    shape = tuple(random.choice([1, *range(2, largest + 1)] * 2 + [largest]) for _ in range(rank))
    # The first one is a coarray of numbers, so that each program has something to move.
    storage = random.choice(["static", "allocatable", "allocatable", "local"])
    if not number:
        storage = "static"
    lower = tuple(random.choice([1, 1, 0, -3, 5]) for _ in range(rank))
    return Array(
        f"{of_type[0]}{number}", of_type, random.choice(KINDS[of_type]), shape, lower, storage
    )


def _declaration(a: Array) -> str:
    bounds = ", ".join(f"{lo}:{lo + n - 1}" for lo, n in zip(a.lower, a.shape))
    if a.storage == "local":
        return f"{a.type}({a.kind}) :: {a.name}({bounds})"
    if a.storage == "static":
        return f"{a.type}({a.kind}), save :: {a.name}({bounds})[*]"
    colons = ", ".join(":" for _ in a.shape)
    return f"{a.type}({a.kind}), allocatable :: {a.name}({colons})[:]"


def _first_values(a: Array, number: int) -> Iterator[str]:
    if a.storage == "allocatable":
        bounds = ", ".join(f"{lo}:{lo + n - 1}" for lo, n in zip(a.lower, a.shape))
        yield f"  allocate ({a.name}({bounds})[*])"
    value = f"mod(7*k + 13*this_image() + {31 * number}, 100)"
    if a.type == "complex":
        value = f"cmplx({value}, mod(5*k + 3*this_image(), 50), {a.kind})"
    elif a.type == "logical":
        value = f"mod({value}, 5) < 2"
    elif a.type == "character":
        value = f"achar(97 + mod({value}, 26)) // achar(65 + mod(k, 26))"
    values = f"[({value}, k=0, {a.size - 1})]"
    yield f"  {a.name} = reshape({values}, {a.shape_text})"


def _initial(a: Array, number: int, image: int) -> np.ndarray:
    k = np.arange(a.size)
    value = (7 * k + 13 * image + 31 * number) % 100
    if a.type == "logical":
        flat: np.ndarray = value % 5 < 2
    elif a.type == "character":
        words = [chr(97 + v % 26) + chr(65 + i % 26) for i, v in enumerate(value)]
        flat = _words(np.array(words), a.kind)
    else:
        imaginary = (5 * k + 3 * image) % 50 if a.type == "complex" else 0
        flat = value + 1j * imaginary
    return flat.reshape(a.shape, order="F")


def _words(words: np.ndarray, length: int) -> np.ndarray:
    padded = np.strings.ljust(words, length) if words.size else words
    return padded.astype(f"<U{length}")


# Statements


def _statement(
    random: Random,
    arrays: list[Array],
    images: int,
    vectors: bool,  # noqa: FBT001
) -> tuple[int, Section, Section, str]:
    """Who runs it, what it writes, what it reads, and its text."""
    while True:
        to, source = random.choice(arrays), random.choice(arrays)
        if to.family != source.family or to.storage == source.storage == "local":
            continue
        runs = random.randint(1, images)
        left_image, right_image = (
            None if a.storage == "local" or random.random() < chance else random.randint(1, images)
            for a, chance in ((to, 0.3), (source, 0.3))
        )
        if left_image is None and right_image is None:
            continue
        selectors = tuple(
            selector(random, n, None, lo, vectors=vectors, repeat=False)
            for n, lo in zip(to.shape, to.lower)
        )
        left = Section(to, selectors, left_image)
        if _is_beyond_the_compiler(left):
            continue
        right = fitting(random, source, left.shape, right_image, vectors=vectors)
        if right is None:
            continue
        # In an expression the compiler takes a vector subscript for one of this image.
        may_negate = to.family == "number" and right_image and not right.has_vectors
        negate = may_negate and random.random() < 0.2
        return runs, left, right, f"{left} = {'99 - ' if negate else ''}{right}"


def _is_beyond_the_compiler(left: Section) -> bool:
    """What gfortran 12 translates wrongly on a left side: see compiler_limits.md."""
    return left.image is None and len(left.selectors) > 1 and left.has_vectors


def selector(
    random: Random, extent: int, length: int | None, lower: int, *, vectors: bool, repeat: bool
) -> Selector:
    """A choice of 'length' indices of a dimension (of any number, or of one, where None)."""
    kind = random.choice(["one", "all", "range", "range", "vector"])
    if length is None:
        if kind == "one":
            return element(random, extent, lower)
        is_empty = random.random() < 0.03
        length = 0 if is_empty else extent if kind == "all" else random.randint(1, extent)
    if kind == "all" and length == extent:
        return Selector(tuple(range(extent)), ":", f"{lower}:{lower + extent - 1}")
    if kind == "vector" and vectors and length > 0:
        chosen = (
            random.choices(range(extent), k=length)
            if repeat
            else random.sample(range(extent), length)
        )
        suffix = random.choice(["", "", "_1", "_2", "_8"])
        vector = "[" + ", ".join(f"{lower + i}{suffix}" for i in chosen) + "]"
        return Selector(tuple(chosen), vector, vector)
    return triplet(random, extent, length, lower)


def element(random: Random, extent: int, lower: int) -> Selector:
    index = random.randrange(extent)
    return Selector((index,), str(lower + index), str(lower + index), one=True)


def triplet(random: Random, extent: int, length: int, lower: int) -> Selector:
    """A section by bounds and stride, of which each may be left out where it says nothing new."""
    largest = (extent - 1) // (length - 1) if length > 1 else extent
    stride = random.choice([-1, 1]) * random.randint(1, largest)
    span = abs(stride) * max(length - 1, 0)
    first = random.randrange(extent - span) + (span if stride < 0 else 0)
    # A bound that no element reaches says the same.
    last = first + stride * length - random.randint(1, abs(stride)) * (1 if stride > 0 else -1)
    indices = tuple(range(first, first + stride * length, stride))
    to_the_end = tuple(range(first, extent if stride > 0 else extent - 2, stride))
    start, end, step = str(lower + first), str(lower + last), f":{stride}" if stride != 1 else ""
    closed = f"{start}:{end}{step}"
    if first == 0 and random.random() < 0.5:
        start = ""
    if to_the_end == indices and random.random() < 0.5:
        end = ""
    return Selector(indices, f"{start}:{end}{step}", closed)


def fitting(
    random: Random, a: Array, shape: tuple[int, ...], image: int | None, *, vectors: bool
) -> Section | None:
    """A section of that shape, or (now and then, or where none fits) of one element."""
    rank = len(a.shape)
    if random.random() < 0.1:
        shape = ()
    if len(shape) > rank:
        return None
    dims = sorted(random.sample(range(rank), len(shape)))
    if any(a.shape[d] < n for d, n in zip(dims, shape)):
        return None
    wanted = dict(zip(dims, shape))
    selectors = []
    for d, (extent, lower) in enumerate(zip(a.shape, a.lower)):
        if d in wanted:
            chosen = selector(random, extent, wanted[d], lower, vectors=vectors, repeat=True)
        else:
            chosen = element(random, extent, lower)
        selectors.append(chosen)
    return Section(a, tuple(selectors), image)


def assign(state: State, runs: int, left: Section, right: Section, *, negate: bool) -> None:
    source = state[right.array][(right.image or runs) - 1]
    target = state[left.array][(left.image or runs) - 1]
    values = source[np.ix_(*(s.indices for s in right.selectors))].copy()
    values = values.reshape(right.shape)
    if negate:
        values = 99 - values
    if left.array.type in {"integer", "real"}:
        values = values.real + 0j
    elif left.array.type == "character":
        values = _words(values, left.array.kind)
    where = np.ix_(*(s.indices for s in left.selectors))
    if right.shape:
        values = values.reshape(target[where].shape)
    target[where] = values


# What is expected in the end


def _checks(a: Array, values: np.ndarray) -> Iterator[str]:
    flat = values.reshape(-1, order="F")
    if a.type == "character":
        codes = np.array([ord(c) for word in flat for c in word.ljust(a.kind)])
        text = f'transfer({a.name}, repeat(" ", {codes.size}))'
        yield check(codes.size, f"codes({text})", codes, a.name)
        return
    if a.type == "logical":
        yield check(a.size, f"merge(1, 0, logical({a.name}))", flat, a.name)
        return
    part = f"int(real({a.name}))" if a.type == "complex" else f"int({a.name})"
    yield check(a.size, part, flat.real, a.name)
    if a.type == "complex":
        yield check(a.size, f"int(aimag({a.name}))", flat.imag, f"{a.name}, imaginary")


def check(size: int, found: str, expected: np.ndarray, what: str) -> str:
    numbers = ", ".join(str(int(v)) for v in expected)
    return f'    call expect(reshape({found}, [{size}]), [{numbers}], "{what}")'


def folded(line: str) -> list[str]:
    """The line in lines of at most 100 columns."""
    indent = line[: len(line) - len(line.lstrip())]
    parts = textwrap.wrap(
        line.lstrip(),
        98 - len(indent),
        break_long_words=False,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
    )
    return [part + " &" for part in parts[:-1]] + parts[-1:] or [""]
