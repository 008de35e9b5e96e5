"""Text files with numbers in each line, with comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halocline.errors import CaseError
from halocline.frozen import Frozen

if TYPE_CHECKING:
    from pathlib import Path


class Line(Frozen):
    """The numbers of a line.

    Attributes:
        path: Of its file.
        number: Of the line, counted from 1.
        numbers: What it has before anything that is none.
        rest: The words after these.
    """

    path: Path
    number: int
    numbers: tuple[float, ...]
    rest: tuple[str, ...] = ()

    def check(self, count: int, names: str) -> None:
        """Refuse a line with fewer numbers.

        Raises:
            CaseError: It has fewer.
        """
        if len(self.numbers) < count:
            raise self.refusal(f"{len(self.numbers)} numbers; expected {count}: {names}")

    def whole(self, count: int) -> tuple[int, ...]:
        """Return its first numbers, which must be whole.

        Raises:
            CaseError: There are fewer, or some are not whole.
        """
        numbers = self.numbers[:count]
        if len(numbers) < count or not all(value.is_integer() for value in numbers):
            raise self.refusal(f"other things; expected it to begin with {count} whole numbers")
        return tuple(int(value) for value in numbers)

    def refusal(self, has: str) -> CaseError:
        """Return the error of a line that has something it should not."""
        return CaseError(f"This line has {has}.", place=f"{self.path}:{self.number}")


def text_of(path: Path) -> str:
    """Return what a text file has: UTF-8, or else Latin 1, without the mark of the byte order.

    Spaces that do not break are those that do.

    Raises:
        CaseError: It cannot be read, or is no text.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CaseError(f"The file '{path}' could not be read as text: {error}.") from error
    if b"\0" in content:
        raise CaseError(f"The file '{path}' could not be read as text: it has bytes of 0.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\xa0", " ")


def lines_of(path: Path) -> list[Line]:
    """Return the lines of a file that are neither empty nor begin with '!' or '#'.

    Raises:
        CaseError: It cannot be read, or is no text.
    """
    lines = []
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(("!", "#")):
            numbers = tuple(_leading(line))
            lines.append(Line(path, number, numbers, tuple(_words(line)[len(numbers) :])))
    return lines


def _leading(line: str) -> list[float]:
    """Return the numbers with which a line begins."""
    numbers = []
    for word in _words(line):
        try:
            numbers.append(float(word))
        except ValueError:
            break
    return numbers


def _words(line: str) -> list[str]:
    return line.replace(",", " ").split()
