"""What virtual ranks return or raise, each for itself."""

from __future__ import annotations

import halocline as hc
from halocline.runtime.job import join


def on_ranks(size: int, act) -> list:
    """Return what 'act' of a job returns or raises on each rank."""

    def run():
        try:
            return act(join())
        except BaseException as error:
            return error

    return hc.on_virtual_ranks(size, run)
