"""Move values between boxes of cells, from rank to rank, as a redistribution says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from halocline.geometry import Box
    from halocline.plan.blocks.redistribution import Piece, Redistribution
    from halocline.runtime.job import Job

# The values of a box, with an axis for each of the box; there may be others before, as components.
Values = tuple["Box", "NDArray[Any]"]


def redistribute(
    plan: Redistribution, have: Sequence[Values], wanted: Sequence[Values], dtype: str, job: Job
) -> None:
    """Move values; collective.

    Beside them a rank holds what it sends one other rank, and what it receives of one.

    Args:
        plan: What this rank sends, receives and copies.
        have: Its boxes with values.
        wanted: Its boxes to be filled; what no rank has stays as it is.
        dtype: What values are sent as: the type of all that is to be filled.
        job: The ranks.
    """
    job.collective.meet("redistribute")
    move(plan, have, wanted, dtype, job)


def move(
    plan: Redistribution, have: Sequence[Values], wanted: Sequence[Values], dtype: str, job: Job
) -> None:
    """Move values as 'redistribute' does, after a meeting of all ranks."""
    for piece in plan.copies:
        _part(wanted[piece.target], piece)[...] = _part(have[piece.source], piece)
    try:
        # At each distance a rank sends to one other and receives from one, so that none waits
        # for a rank that waits for it.
        for distance in range(1, job.size):
            _send_and_receive(plan, distance, have, wanted, np.dtype(dtype), job)
    except BaseException as error:
        job.collective.propagate_in_time_loop(error)
        raise


def _send_and_receive(
    plan: Redistribution,
    distance: int,
    have: Sequence[Values],
    wanted: Sequence[Values],
    dtype: np.dtype[Any],
    job: Job,
) -> None:
    target, source = (job.rank + distance) % job.size, (job.rank - distance) % job.size
    places = [_part(wanted[piece.target], piece) for piece in plan.receives.get(source, ())]
    sent = [_part(have[piece.source], piece) for piece in plan.sends.get(target, ())]
    communicator, pending = job.collective.communicator, None
    if places:
        received = np.empty(sum(place.size for place in places), dtype)
        pending = communicator.Irecv(received.view(np.uint8), source=source)
    if sent:
        packed = np.empty(sum(part.size for part in sent), dtype)
        for part, room in zip(sent, _rooms(packed, sent), strict=True):
            room[...] = part
        communicator.Send(packed.view(np.uint8), dest=target)
    if pending is not None:
        pending.Wait()
        for place, found in zip(places, _rooms(received, places), strict=True):
            place[...] = found


def _rooms(message: NDArray[Any], parts: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Yield where parts lie in a message, in their shapes."""
    first = 0
    for part in parts:
        yield message[first : first + part.size].reshape(part.shape)
        first += part.size


def _part(values: Values, piece: Piece) -> NDArray[Any]:
    box, array = values
    return array[(..., *piece.box.slices(box.lower))]
