"""Teams: images that work together, counted anew among themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from halocline import _pgas
from halocline.coarray import shared

if TYPE_CHECKING:
    from types import TracebackType


class Team:
    """Images of one number. 'with team:' makes it the current team; all its images do so.

    Inside, images are counted within the team, and what is collective concerns its images only;
    coarrays allocated there end with the block.

    Example:
        >>> with hc.coarray.form_team(1):
        ...     print(hc.coarray.num_images())
        1
    """

    def __init__(self, team: _pgas.Team) -> None:
        self._team = team

    @property
    def number(self) -> int:
        """The number that its images have given."""
        return self._team.number

    def __enter__(self) -> Self:
        _pgas.change_team(self._team)
        shared.begin_team()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shared.end_team()
        if kind is None:
            _pgas.end_team()
        else:
            # Others may not come here.
            _pgas.leave_team()


def form_team(number: int) -> Team:
    """Split the current team: images that give the same number are together. Collective.

    Args:
        number: Of this image's new team, from 1.

    Raises:
        CoarrayError: The number is not positive, or there is no memory for a team.
        StoppedImageError: An image of the current team has ended.

    Example:
        >>> team = hc.coarray.form_team(1)
    """
    return Team(_pgas.form_team(number))


def team_number() -> int:
    """Return the number of the current team; -1 for all images.

    Example:
        >>> hc.coarray.team_number()
        -1
    """
    return _pgas.team_number()
