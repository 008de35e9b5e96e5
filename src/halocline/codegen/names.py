"""Names in generated text: each means one thing in a kernel, and nothing yet in the language."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from halocline.codegen.lower import place
from halocline.codegen.nest import Let, ScalarValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.codegen.nest import Nest, Row


def words(*lines: str) -> frozenset[str]:
    """Return the words of some lines."""
    return frozenset(word for line in lines for word in line.split())


# Words that no field or scalar may be called in C++ and in what builds upon it.
CPP_WORDS = words(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t",
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast",
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast else",
    "enum explicit export extern false float for friend goto if inline int linux long mutable",
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public",
    "register reinterpret_cast requires return short signed sizeof static static_assert",
    "static_cast struct switch template this thread_local throw true try typedef typeid",
    "typename typeof union unix unsigned using virtual void volatile wchar_t while xor xor_eq",
)


def entry_names(nests: Sequence[Nest]) -> tuple[str, ...]:
    """Return the names of the functions of nests, in order."""
    return tuple(
        f"halocline_{re.sub('[^A-Za-z0-9_]', '_', nest.name)}_{number}"
        for number, nest in enumerate(nests)
    )


class Names:
    """The names in the function of one nest.

    Args:
        nest: The nest.
        reserved: Words that mean something already.
        spell: Gives a name the letters that the language knows.

    Attributes:
        fields: Of the fields' descriptions.
        scalars: Of the scalars, once for each type they are used in.
        rows: Of the rows that are read.
        out: Of the rows that are written.
    """

    def __init__(
        self, nest: Nest, reserved: Iterable[str], spell: Callable[[str], str] = str
    ) -> None:
        self._nest = nest
        self._used = set(reserved)
        self._spell = spell
        self.fields = {field.name: self.new(f"{field.name}_field") for field in nest.fields}
        self.scalars = {
            value: self.new(value.name if value.type == "float64" else f"{value.name}_{value.type}")
            for value in nest.values
            if isinstance(value, ScalarValue)
        }
        self.rows = self._name_rows()
        self.out = self._name_out()

    def new(self, wanted: str) -> str:
        """Return a name like the wanted one that nothing else has."""
        name = self._spell(wanted)
        while name in self._used:
            name += "_"
        self._used.add(name)
        return name

    def values(self) -> dict[int, str]:
        """Return new names for the values that have one, by their position in the nest."""
        return {
            part.value: self.new(part.name) for part in self._nest.body if isinstance(part, Let)
        }

    def _name_rows(self) -> dict[Row, str]:
        rows: dict[Row, str] = {}
        for load in self._nest.loads:
            if load.row not in rows:
                rows[load.row] = self.new(f"{_in_words(load.row)}_row")
        return rows

    def _name_out(self) -> dict[Row, str]:
        rows = dict.fromkeys(store.row for store in self._nest.stores)
        counts = Counter(row[:2] for row in rows)
        return {
            row: self.new(_in_words(row) if counts[row[:2]] > 1 else f"{row[0]}_{row[1]}")
            for row in rows
        }


def _in_words(row: Row) -> str:
    field, component, across = row
    places = [place(axis, step) for axis, step in zip("yz", across, strict=False)]
    return "_".join([f"{field}_{component}", *places])
