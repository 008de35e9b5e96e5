"""Print how a kernel hands on what it computes and does not store, some cells at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.text import indented

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.codegen.nest import Nest, Row

# Cells that are handed on at once, at least: so few that the processor still fetches what comes
# next while they are added up, and not so few that calling takes long.
_AT_ONCE = 256


class TakenTexts:
    """The texts for the fields whose values are taken.

    Args:
        nest: What the kernel does.
        out: The names of the rows that it assigns.
        new: Gives names that nothing else has there.

    Attributes:
        strip: The cells of a row that are computed before values are handed on, at most.
    """

    strip = _AT_ONCE

    def __init__(self, nest: Nest, out: dict[Row, str], new: Callable[[str], str]) -> None:
        taken = [field.name for field in nest.fields if field.is_taken]
        self.rows = [key for key in out if key[0] in taken]
        # In the order of the call.
        self.rows.sort(key=lambda key: taken.index(key[0]))
        self._out = out
        self._values = {key: new(f"{out[key]}_values") for key in self.rows}
        self._held, self._takers, self._hand_on = map(new, ("held", "takers", "hand_on"))

    def begin(self) -> list[str]:
        """Print what stands before the rows."""
        if not self.rows:
            return []
        calls = [
            f"{self._takers}[{n}].take({self._takers}[{n}].into, {name}, {self._held});"
            for n, name in enumerate(self._values.values())
        ]
        at = f"part.thread * {len(self.rows)}"
        return [
            f"const halocline_taker* const {self._takers} = call.takers + {at};",
            # Strips are no longer than what is then held at most.
            *(f"alignas(64) double {name}[{2 * _AT_ONCE}];" for name in self._values.values()),
            f"int64_t {self._held} = 0;",
            f"const auto {self._hand_on} = [&](const int64_t least) {{",
            f"    if ({self._held} < least) return;",
            *indented(calls),
            f"    {self._held} = 0;",
            "};",
        ]

    def row(self, key: Row) -> str:
        """Print the address of the cell x = 0 of a row whose values are taken."""
        return f"{self._values[key]} + {self._held} - lower"

    def after_row(self) -> list[str]:
        """Print what is done after the cells of a row, or of a strip of it."""
        if not self.rows:
            return []
        return [f"{self._held} += upper - lower;", f"{self._hand_on}({_AT_ONCE});"]

    def end(self) -> list[str]:
        """Print what stands after the rows."""
        return [f"{self._hand_on}(1);"] if self.rows else []
