"""Ramps: what begins slowly makes no waves."""

from __future__ import annotations

from typing import Any

from halocline.errors import KernelError
from halocline.language.expressions.functions import clip
from halocline.language.numbers import Range, finite_number


def ramp(time: Any, duration: float) -> Any:
    """Return a factor that rises from 0 at time 0 to 1, and stays there.

    It is s³ (10 - 15 s + 6 s²), s = time / duration: neither its slope nor its curvature jumps.
    Waves whose period is much shorter than the duration are hardly excited.

    Args:
        time: 'hc.time', the t that a function of place and time is given, or numbers.
        duration: How long it rises [time unit].

    Raises:
        KernelError: The duration is not a number above 0.

    Example:
        >>> print(hc.ramp(50.0, 100.0))
        0.5
    """
    finite_number("'duration' of 'hc.ramp'", duration, Range(above=0.0), KernelError)
    s = clip(time * (1.0 / duration), 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))
