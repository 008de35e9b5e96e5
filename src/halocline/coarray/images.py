"""Images: who they are, how they wait for each other, what has become of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NoReturn

from halocline import _pgas
from halocline.errors import CoarrayError


def this_image() -> int:
    """Return the number of this image in the current team, from 1.

    Example:
        >>> hc.coarray.this_image()
        1
    """
    return _pgas.this_image()


def num_images() -> int:
    """Return how many images the current team has, failed ones among them.

    Example:
        >>> hc.coarray.num_images()
        1
    """
    return _pgas.num_images()


def sync_all() -> None:
    """Wait until all images of the current team have come here.

    What an image has written to coarrays before is what the others read afterwards.

    Raises:
        FailedImageError: One of them has failed; the others have come here.
        StoppedImageError: One of them has ended.
        CoarrayError: Images have allocated different coarrays.

    Example:
        >>> hc.coarray.sync_all()
    """
    _pgas.sync_all()


def sync_images(images: int | Iterable[int]) -> None:
    """Wait for some images, each of which names this one in a call of its own.

    Args:
        images: One or several numbers of other images.

    Raises:
        FailedImageError: One of them has failed.
        StoppedImageError: One of them has ended.
        CoarrayError: There is no such image, or it is named twice.

    Example:
        >>> hc.coarray.sync_images([])
    """
    named = images if isinstance(images, Iterable) else [images]
    _pgas.sync_images([int(image) for image in named])


def sync_memory() -> None:
    """Let others see what this image has written before what it writes afterwards.

    Example:
        >>> hc.coarray.sync_memory()
    """
    _pgas.sync_memory()


def failed_images() -> list[int]:
    """Return the images of the current team that have failed: killed, crashed, 'fail_image'.

    Example:
        >>> hc.coarray.failed_images()
        []
    """
    return _pgas.images_in(_pgas.State.failed)


def stopped_images() -> list[int]:
    """Return the images of the current team that have come to their end.

    Example:
        >>> hc.coarray.stopped_images()
        []
    """
    return _pgas.images_in(_pgas.State.stopped)


def image_status(image: int) -> str:
    """Return what has become of an image: 'running', 'stopped' or 'failed'.

    Raises:
        CoarrayError: There is no such image.

    Example:
        >>> hc.coarray.image_status(1)
        'running'
    """
    state = _pgas.state_of(image)
    return "running" if state is _pgas.State.absent else str(state.name)


def fail_image() -> NoReturn:
    """Cease to take part as if this image had crashed, to try how the others go on.

    Under 'mpiexec' the launcher ends all ranks then, unless told otherwise.

    Example:
        >>> import subprocess, sys
        >>> program = "from halocline import coarray; coarray.fail_image(); print('alive')"
        >>> subprocess.run([sys.executable, "-c", program], capture_output=True).stdout
        b''
    """
    sys.stdout.flush()
    sys.stderr.flush()
    _pgas.fail_image()


def agree(call: str, mine: str) -> None:
    """Make sure that all images of the current team call the same with the same kind of arguments.

    Args:
        call: What is called.
        mine: What must be the same everywhere.

    Raises:
        CoarrayError: An image calls something else; raised on all of them.
    """
    text = f"{call} of {mine}"
    told = _pgas.everywhere(text)
    if told.count(text) == len(told):
        return
    different = {said: image for image, said in reversed(list(enumerate(told, 1))) if said}
    if len(different) > 1:
        calls = "; ".join(f"image {image}: {said}" for said, image in sorted(different.items()))
        raise CoarrayError(
            f"Images call different things together ({calls}).",
            hint="All images of a team make the same collective calls in the same order.",
        )
