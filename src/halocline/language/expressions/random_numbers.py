"""Random numbers by counter: a number follows from a seed, a step, a cell and which draw it is.

Philox4x32-10 turns 128 bits into as many others that look random (Salmon, Moraes, Dror and Shaw,
Parallel random numbers: as easy as 1, 2, 3, SC'11). It is written in the language, so all targets
compute the same bits, and no state has to be kept, exchanged or saved: docs/decisions/0034.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from halocline.errors import KernelError, described, nearest
from halocline.geometry import AXES
from halocline.language.expressions.expr import Cast, Const, Index, Read, Scalar, walk
from halocline.language.expressions.functions import cos, log, sin, sqrt
from halocline.language.expressions.kernel import INTEGERS
from halocline.language.expressions.operators import Operand, Value
from halocline.language.expressions.tracing import traced
from halocline.language.numbers import Range, whole_number
from halocline.language.place import user_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from halocline.language.expressions.kernel import Statement

# Scalars of a kernel that draws, beside those of the user: where it runs.
STEP, PASS, KERNEL = "hc_step", "hc_pass", "hc_kernel"

_ROUNDS = 10
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_INCREMENTS = (0x9E3779B9, 0xBB67AE85)
_WORD, _WORD_BYTES = 0xFFFFFFFF, 4
_FLOATS = ("float64", "float32")
# Draws of these kinds in a cell count by themselves.
_UNIFORM, _NORMAL = 0, 1

_seeds = Range(least=0, most=2**64 - 1)
_streams = Range(least=0, most=2**31 - 1)


def random(seed: Any = 0, stream: int | None = None, dtype: Any = "float64") -> Any:
    """Return a random number of the cell in this step, evenly distributed in [0, 1).

    It is the same on any number of ranks, on all devices and after a restart.

    Args:
        seed: A whole number, or a keyword of the kernel, which may be an hc.Parameter.
        stream: With the same seed, each hc.random that is written gives numbers of its own, in each
            kernel and each pass of a loop. With a stream it gives the numbers of that stream, the
            same wherever that is asked for in a pass.
        dtype: 'float64', of 53 random bits, or 'float32', of 24.

    Raises:
        KernelError: It is called outside of a kernel, or an argument has no meaning.

    Example:
        >>> @hc.kernel
        ... def begin(u):
        ...     u[0, 0] = hc.random(seed=1) < 0.3
    """
    kind = _check_type("hc.random", dtype, _FLOATS)
    words, half = _drawn("hc.random", seed, stream, _UNIFORM)
    return _fraction(words[2 * half : 2 * half + 2], kind)


def random_bits(seed: Any = 0, stream: int | None = None, dtype: Any = "uint32") -> Any:
    """Return a random integer of the cell in this step, any of its type as likely as any other.

    Args:
        seed: See 'random'.
        stream: See 'random', which gives other numbers made of the same bits.
        dtype: A type of integers.

    Raises:
        KernelError: It is called outside of a kernel, or an argument has no meaning.

    Example:
        >>> @hc.kernel
        ... def begin(u):
        ...     u[0, 0] = hc.random_bits(seed=1) % 6
    """
    kind = _check_type("hc.random_bits", dtype, INTEGERS)
    words, half = _drawn("hc.random_bits", seed, stream, _UNIFORM)
    low, high = words[2 * half : 2 * half + 2]
    if np.dtype(kind).itemsize <= _WORD_BYTES:
        return low.astype(kind)
    return (high.astype("uint64") << 32 | low).astype(kind)


def normal(seed: Any = 0, stream: int | None = None, dtype: Any = "float64") -> Any:
    """Return a random number of the cell in this step, normally distributed: mean 0, deviation 1.

    Two of a kernel cost little more than one: Box and Muller, A note on the generation of random
    normal deviates, 1958.

    Args:
        seed: See 'random'.
        stream: See 'random'; its numbers are independent of those.
        dtype: 'float64', or 'float32' for numbers up to 5.7.

    Raises:
        KernelError: It is called outside of a kernel, or an argument has no meaning.

    Example:
        >>> @hc.kernel
        ... def begin(u):
        ...     u[0, 0] = hc.normal(seed=1)
    """
    kind = _check_type("hc.normal", dtype, _FLOATS)
    words, half = _drawn("hc.normal", seed, stream, _NORMAL)
    first, second = _fraction(words[:2], kind), _fraction(words[2:], kind)
    turned = sin if half else cos
    return sqrt(-2.0 * log(1.0 - first)) * turned(2.0 * math.pi * second)


def philox(counter: Sequence[Value], key: Sequence[Value]) -> list[Value]:
    """Return four words of 32 bits that follow from four others and a key of two."""
    for number in range(_ROUNDS):
        first, second = (
            ((word.astype("uint64") * factor) >> 32).astype("uint32")
            for word, factor in zip(counter[::2], _FACTORS, strict=True)
        )
        bumped = [
            word + (number * increment & _WORD)
            for word, increment in zip(key, _INCREMENTS, strict=True)
        ]
        counter = [
            second ^ counter[1] ^ bumped[0],
            counter[2] * _FACTORS[1],
            first ^ counter[3] ^ bumped[1],
            counter[0] * _FACTORS[0],
        ]
    return list(counter)


def scalars_of_draws(
    statements: Iterable[Statement], clock: Any, identity: Sequence[str]
) -> dict[str, Any]:
    """Return the scalars that a kernel needs to draw random numbers, none if it does not.

    Args:
        statements: What it assigns.
        clock: The number of the step, as a parameter.
        identity: Distinguishes its draws from those of other kernels.
    """
    nodes = walk(*(statement.value for statement in statements))
    used = {node.name for node in nodes if isinstance(node, Scalar)}
    values = {STEP: clock, PASS: 0.0, KERNEL: float(crc32(" ".join(identity).encode()))}
    return {name: value for name, value in values.items() if name in used}


def _drawn(what: str, seed: Any, stream: int | None, kind: int) -> tuple[list[Value], int]:
    """Return four random words, and which half of them is that of the draw."""
    kernel = traced()
    if kernel is None:
        raise KernelError(
            f"'{what}' was called outside of a kernel.",
            hint="It is a number of a cell: assign it in a function under @hc.kernel.",
            place=user_place(),
        )
    words = _words_of_seed(what, seed)
    if stream is None:
        number, own = next(kernel.draws[kind]), _low(Value(Scalar(KERNEL)).astype("int64"))
    else:
        number, own = _of_stream(what, stream), _constant(0)
    step, turn = (Value(Scalar(name)).astype("int64") for name in (STEP, PASS))
    key = philox([_low(step), _high(step), _low(turn), own], words)[:2]
    cell = [
        _low(Value(Index(axis, 0))) if axis in kernel.axes else _constant(0)
        for axis in range(len(AXES))
    ]
    return philox([*cell, _constant(number // 2 + (kind << 30))], key), number % 2


def _words_of_seed(what: str, seed: Any) -> list[Value]:
    if isinstance(seed, Operand):
        value = seed.expression()
        if any(isinstance(node, Read | Index) for node in walk(value)):
            raise KernelError(
                f"The seed of '{what}' differs from cell to cell; expected a whole number or a "
                "keyword of the kernel.",
                place=user_place(),
            )
        whole = Value(value).astype("int64")
        return [_low(whole), _high(whole)]
    number = whole_number(f"The seed of '{what}'", seed, _seeds, KernelError)
    return [_constant(number & _WORD), _constant(number >> 32)]


def _of_stream(what: str, stream: Any) -> int:
    if isinstance(stream, Operand):
        raise KernelError(
            f"The stream of '{what}' is known only at run time; expected a whole number.",
            hint="A seed may be a keyword that is read at run time.",
            place=user_place(),
        )
    return whole_number(f"The stream of '{what}'", stream, _streams, KernelError)


def _check_type(what: str, dtype: Any, allowed: Sequence[str]) -> str:
    try:
        name: str = np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    if name not in allowed:
        raise KernelError(
            f"'{what}' was asked for numbers of {described(dtype)}; expected one of "
            f"{', '.join(allowed)}.",
            hint=nearest(name, allowed),
            place=user_place(),
        )
    return name


def _fraction(words: Sequence[Value], dtype: str) -> Any:
    """Return random bits as a number in [0, 1): as many as its type holds."""
    if dtype == "float32":
        return (words[0] >> 8).astype("int32").astype(dtype) * 2.0**-24
    # Processors turn integers with a sign into floats fastest; these have less than 32 bits.
    upper, lower = (
        (w >> n).astype("int32").astype(dtype) for w, n in zip(words, (5, 6), strict=True)
    )
    return (upper * 2.0**26 + lower) * 2.0**-53


def _constant(number: int) -> Any:
    return Value(Cast("uint32", Const(number)))


def _low(value: Value) -> Any:
    return value.astype("uint32")


def _high(value: Value) -> Any:
    return (value >> 32).astype("uint32")
