"""Print how a kernel passes values to a reduction without storing them, some cells at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.codegen.text import indented

if TYPE_CHECKING:
    from collections.abc import Callable

    from halocline.codegen.nest import Nest, Row

# Cells that are passed at once, at least: a call takes as long as adding up some ten values.
_AT_ONCE = 512


class ReductionTexts:
    """The texts for the fields whose values are reduced.

    Args:
        nest: What the kernel does.
        out: The names of the rows that it assigns.
        new: Gives names that nothing else has there.

    Attributes:
        strip: The cells of a row that are computed before their values are added up, at most: so
            few that a processor still waits for memory meanwhile.
    """

    strip = 64

    def __init__(self, nest: Nest, out: dict[Row, str], new: Callable[[str], str]) -> None:
        reduced = [field.name for field in nest.fields if field.is_reduced]
        self.rows = [key for key in out if key[0] in reduced]
        # In the order of the call.
        self.rows.sort(key=lambda key: reduced.index(key[0]))
        self._values = {key: new(f"{out[key]}_values") for key in self.rows}
        self._folds = {key: new(f"{out[key]}_fold") for key in self.rows}
        self._held, self._sinks = map(new, ("held", "sinks"))

    def begin(self) -> list[str]:
        """Print what stands before the rows."""
        if not self.rows:
            return []
        at = f"part.thread * {len(self.rows)}"
        size = _AT_ONCE + self.strip
        return [
            f"halocline_sink* const {self._sinks} = call.sinks + {at};",
            *(f"alignas(64) double {name}[{size}];" for name in self._values.values()),
            *(
                f"Fold {name} = begun({self._sinks}[{number}]);"
                for number, name in enumerate(self._folds.values())
            ),
            f"int64_t {self._held} = 0;",
        ]

    def row(self, key: Row) -> str:
        """Print the address of the cell x = 0 of a row whose values are reduced."""
        return f"{self._values[key]} + {self._held} - lower"

    def after_strip(self) -> list[str]:
        """Print the lines after the cells of a strip."""
        if not self.rows:
            return []
        folds = [
            f"fold_values({fold}, {self._values[key]} + {self._held}, upper - lower);"
            for key, fold in self._folds.items()
        ]
        passing = [f"if ({self._held} >= {_AT_ONCE}) {{", *indented(self._pass_on()), "}"]
        return [*folds, f"{self._held} += upper - lower;", *passing]

    def end(self) -> list[str]:
        """Print what stands after the rows."""
        return self._pass_on() if self.rows else []

    def _pass_on(self) -> list[str]:
        calls = [
            f"{fold} = pass_values({self._sinks}[{number}], {self._values[key]}, "
            f"{self._held}, {fold});"
            for number, (key, fold) in enumerate(self._folds.items())
        ]
        return [*calls, f"{self._held} = 0;"]
