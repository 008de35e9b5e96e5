"""Problems of a GETM folder: collected from all of its files, and told together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

from halocline.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


class Problems:
    """What keeps a folder from running.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: list[CaseError] = []

    def attempt(
        self, read: Callable[_Given, _Found], *given: _Given.args, **more: _Given.kwargs
    ) -> _Found | None:
        """Return what a function returns; None if it refuses something, which is noted."""
        try:
            return read(*given, **more)
        except CaseError as error:
            self.found.append(error)
            return None

    def check(self) -> None:
        """Refuse the folder if there are problems.

        Raises:
            CaseError: The only one, or one that names all of them.
        """
        texts = list(dict.fromkeys(map(str, self.found)))
        if len(texts) == 1:
            raise self.found[0]
        if texts:
            lines = "\n- ".join([f"The folder '{self.folder}' has {len(texts)} problems:", *texts])
            raise CaseError(lines)
