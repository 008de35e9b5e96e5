"""Random numbers of steps: each call of a kernel and each pass of a loop draws its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from msgspec.structs import replace

from halocline.language.expressions.parameters import Parameter, formula
from halocline.language.expressions.random_numbers import KERNEL, PASS
from halocline.language.steps.tree import Assign, Every, Repeat, Until, mapped, walk

if TYPE_CHECKING:
    from collections.abc import Iterable


def with_distinct_draws(steps: Iterable[Any]) -> tuple[Any, ...]:
    """Return steps in which no two calls draw the same numbers, but from streams.

    Loops with such calls count their passes. Steps whose draws are distinct stay as they are.
    """
    seen: Counter[float] = Counter()
    return mapped(_counted(steps), lambda step: (_distinct(step, seen),))


def _counted(steps: Iterable[Any]) -> tuple[Any, ...]:
    """Return steps in which each outermost loop that draws begins to count, for all within it."""
    result: list[Any] = []
    for step in steps:
        if isinstance(step, Every):
            result.append(replace(step, body=_counted(step.body)))
        elif isinstance(step, Repeat | Until) and _is_uncounted(step):
            count = Parameter(0.0, "pass")
            result += [Assign(count, formula(0.0)), *_counting((step,), count)]
        else:
            result.append(step)
    return tuple(result)


def _counting(steps: Iterable[Any], count: Parameter) -> tuple[Any, ...]:
    """Return steps whose draws read the count, which loops raise after each pass."""
    result: list[Any] = []
    for step in steps:
        if isinstance(step, Repeat | Until | Every):
            body = _counting(step.body, count)
            if isinstance(step, Repeat | Until) and any(map(_draws, walk(body))):
                body = (*body, Assign(count, count + 1.0))
            result.append(replace(step, body=body))
        else:
            result.append(_with_scalar(step, PASS, count) if _draws(step) else step)
    return tuple(result)


def _is_uncounted(loop: Any) -> bool:
    return any(_draws(step) and _scalar(step, PASS) == 0.0 for step in walk(loop.body))


def _distinct(step: Any, seen: Counter[float]) -> Any:
    """Return a call that draws what no other has drawn."""
    if KERNEL not in _scalars(step):
        return step
    kernel = _scalar(step, KERNEL)
    seen[kernel] += 1
    if seen[kernel] == 1:
        return step
    return _with_scalar(step, KERNEL, float(crc32(f"{kernel} {seen[kernel]}".encode())))


def _draws(step: Any) -> bool:
    return PASS in _scalars(step)


def _scalars(step: Any) -> tuple[str, ...]:
    """Return the names of a call's scalars; other steps have none."""
    kernel = getattr(step, "kernel", None)
    return kernel.scalars if kernel else ()


def _scalar(step: Any, name: str) -> Any:
    return step.scalars[_scalars(step).index(name)]


def _with_scalar(step: Any, name: str, value: float | Parameter) -> Any:
    pairs = zip(_scalars(step), step.scalars, strict=True)
    return replace(step, scalars=tuple(value if own == name else scalar for own, scalar in pairs))
