"""Images of which one ends, in one way each.

halocline caf run -n N python ending_images.py WAY
"""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np

from halocline import coarray as ca

ME = ca.this_image()
LAST = ca.num_images()


def complain() -> None:
    raise ValueError("the coffee is cold")


ENDS = {
    "exception": complain,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "fail": ca.fail_image,
    "stop": sys.exit,
}
a, event, lock = ca.allocate(3), ca.Event(), ca.Lock()
# In the order in which they are tried: an event is told of a failure that is news.
OPERATIONS = {
    "event": event.wait,
    "sync_all": ca.sync_all,
    "sync_images": lambda: ca.sync_images(LAST),
    "sum": lambda: ca.co_sum(1.0),
    "put": lambda: a[LAST].__setitem__(0, 1.0),
    "post": event[LAST].post,
    "allocate": lambda: ca.allocate(2),
    "lock": lock[1].acquire,
}


def told(operation) -> str:
    """Return what an operation comes to."""
    started = time.perf_counter()
    try:
        operation()
    except ca.CoarrayError as error:
        return type(error).__name__
    finally:
        assert time.perf_counter() - started < 1
    return "done"


def go_on() -> None:
    """Work without the failed image, in a team of the others."""
    with ca.form_team(1):
        assert ca.num_images() == LAST - 1
        with ca.allocate(4) as b:
            b[ca.num_images()][0] = 1.0
            ca.sync_all()
            assert ca.co_sum(np.ones(2)).tolist() == [LAST - 1.0] * 2


if __name__ == "__main__":
    way = sys.argv[1]
    if ME == LAST:
        lock[1].acquire()
    ca.sync_all()
    if ME == LAST:
        ENDS[way]()
    for name, operation in OPERATIONS.items():
        print(f"{name} {told(operation)}\n", end="")
        if name == "lock" and way != "stop":
            lock[1].release()
    if way == "stop":
        print(f"team {told(lambda: ca.form_team(1))}\n", end="")
    else:
        assert ca.failed_images() == [LAST]
        go_on()
    print("went on\n", end="")
    # So that nobody misses it.
    told(lambda: ca.sync_images([image for image in range(1, LAST) if image != ME]))
