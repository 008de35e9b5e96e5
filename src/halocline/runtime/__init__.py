"""Fields, ranks and the C++ time loop, seen from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline import native

if not TYPE_CHECKING:
    _core = native.RUNTIME
