"""Steps whose kernels draw random numbers, told apart: each call and pass draws its own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

from halocline.language.random_numbers import KERNEL, PASS
from halocline.language.tree import Every, Repeat, Until, mapped, walk

if TYPE_CHECKING:
    from collections.abc import Iterable


def told_apart(steps: Iterable[Any]) -> tuple[Any, ...]:
    """Return steps in which no two calls draw the same numbers, but from streams.

    A loop with such calls is written out, since each pass needs its number. Steps that have been
    told apart stay as they are.
    """
    seen: Counter[tuple[float, float]] = Counter()
    return mapped(_written_out(steps), lambda step: (_distinct(step, seen),))


def _written_out(steps: Iterable[Any]) -> tuple[Any, ...]:
    result: list[Any] = []
    for step in steps:
        if isinstance(step, Every | Until):
            result.append(replace(step, body=_written_out(step.body)))
        elif isinstance(step, Repeat) and any(map(_draws, walk(step.body))):
            body = _written_out(step.body)
            passes = 1 + max(int(_told(inner, PASS)) for inner in walk(body) if _draws(inner))
            for number in range(step.count):
                result += mapped(body, partial(_in_pass, number=number * passes))
        else:
            result.append(step)
    return tuple(result)


def _in_pass(step: Any, number: int) -> tuple[Any]:
    return (_telling(step, PASS, _told(step, PASS) + number) if _draws(step) and number else step,)


def _distinct(step: Any, seen: Counter[tuple[float, float]]) -> Any:
    """Return a call that draws what no other has drawn."""
    if KERNEL not in _scalars(step):
        return step
    key = _told(step, KERNEL), _told(step, PASS)
    seen[key] += 1
    if seen[key] == 1:
        return step
    return _telling(step, KERNEL, float(crc32(f"{key[0]} {seen[key]}".encode())))


def _draws(step: Any) -> bool:
    return PASS in _scalars(step)


def _scalars(step: Any) -> tuple[str, ...]:
    """Return the names of a call's scalars; other steps have none."""
    kernel = getattr(step, "kernel", None)
    return kernel.scalars if kernel else ()


def _told(step: Any, name: str) -> float:
    return float(step.scalars[_scalars(step).index(name)])


def _telling(step: Any, name: str, value: float) -> Any:
    pairs = zip(_scalars(step), step.scalars, strict=True)
    return replace(step, scalars=tuple(value if own == name else known for own, known in pairs))
