"""What a user is told of a mistake."""

from __future__ import annotations

import re

import pytest

import halocline as hc
from halocline.errors import HaloclineError, KernelError


def told(kind: type[HaloclineError], action) -> str:
    """Return the message of an error, without the place where it happened."""
    with pytest.raises(kind) as caught:
        action()
    return message_of(caught.value)


def message_of(error: HaloclineError) -> str:
    """Return the message of an error without the place."""
    return re.sub(r"^\S+\.py:\d+: ", "", str(error))


def traced(function, *fields, **scalars) -> str:
    """Return what is said when a kernel is called with fields."""
    return told(KernelError, lambda: hc.kernel(function)(*fields, **scalars))
