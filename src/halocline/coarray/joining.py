"""How this process becomes an image, and how its end is told to the others."""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from halocline.coarray import _pgas
from halocline.errors import CoarrayError, MpiError
from halocline.launched import launched_rank

if TYPE_CHECKING:
    from types import TracebackType

# By this the launcher 'halocline caf run' says which image a process is.
_PLACE = "HALOCLINE_IMAGE"
# How long an MPI launcher gets to pass on what was printed [s].
_HEARD_S = 0.2


def join() -> None:
    """Make this process an image: of 'halocline caf run', of MPI's ranks, or the only one.

    Raises:
        CoarrayError: The memory that images share cannot be had, or ranks are on several nodes.
        MpiError: An MPI launcher has started this process, but mpi4py cannot be used.
    """
    world = None if _PLACE in os.environ else _world()
    if world is None:
        _pgas.join()
        # Programs that this one starts are no images.
        os.environ.pop(_PLACE, None)
    else:
        _join_ranks(world)
    _tell_end(world)


def _world() -> Any:
    """Return the communicator of all ranks of an MPI launcher; None if there is one rank only."""
    if "mpi4py.MPI" not in sys.modules and launched_rank() is None:
        return None
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise MpiError(
            f"This process was started by an MPI launcher, but mpi4py cannot be used: {error}.",
            hint="Install it (pip install mpi4py mpich), or use 'halocline caf run'.",
        ) from error
    return None if MPI.COMM_WORLD.size == 1 else MPI.COMM_WORLD


def _join_ranks(world: Any) -> None:
    """Make ranks images: the memory of the first one becomes that of all."""
    from mpi4py import MPI

    near = world.Split_type(MPI.COMM_TYPE_SHARED)
    is_one_node = near.size == world.size
    near.Free()
    if not is_one_node:
        raise CoarrayError(
            f"The {world.size} ranks are on several nodes; images on several nodes are not there "
            "yet.",
            hint="Start all ranks on one node.",
        )
    block, failure = None, None
    if world.rank == 0:
        block, failure = _tried(lambda: _pgas.create_block(world.size))
    place = world.bcast((os.getpid(), block.descriptor) if block else None)
    if world.rank > 0 and place:
        block, failure = _tried(lambda: _pgas.open_block(*place))
    # The first rank keeps the memory open until all have it; and a mistake is everyone's.
    told = next((text for text in world.allgather(failure) if text), None)
    if told or block is None:
        raise CoarrayError(told or "The memory of the images was refused.")
    _pgas.join_block(block, world.rank)


def _tried(action: Any) -> tuple[_pgas.Block | None, str | None]:
    try:
        return action(), None
    except CoarrayError as error:
        return None, str(error)


def _tell_end(world: Any) -> None:
    """Let the others know when this image ends; an exception that nobody catches ends all."""
    process, before = os.getpid(), sys.excepthook
    is_ending = False

    def stop() -> None:
        # A copy of this process is no image; and where all end nobody is to miss one.
        if os.getpid() == process and not is_ending:
            _pgas.stop()

    def end_all(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        nonlocal is_ending
        image, images = _place()
        before(kind, error, trace)
        if os.getpid() != process or images == 1:
            return
        is_ending = True
        sys.stdout.flush()
        print(f"error on image {image}: {error}", file=sys.stderr, flush=True)
        _pgas.end_all(1)
        if world is not None:
            time.sleep(_HEARD_S)
            world.Abort(1)

    atexit.register(stop)
    sys.excepthook = end_all


def _place() -> tuple[int, int]:
    """Return which image of the initial team this is, and how many there are."""
    while _pgas.team_number() >= 0:
        _pgas.leave_team()
    return _pgas.this_image(), _pgas.num_images()
