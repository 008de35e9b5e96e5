"""Files that are not as they were written: their readers give values, or one message of ours.

Each reader gets HALOCLINE_MUTATIONS of them: 50 by default, others each time and 10 000 in
'make validate', a fraction of that where each takes long.
"""

from __future__ import annotations

import os
import re
import resource
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from halocline.errors import HaloclineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_USUAL = 50
_EXAMPLES = int(os.environ.get("HALOCLINE_MUTATIONS", _USUAL))
# What a reader may take, besides what the process has [s, bytes].
_TIME_S, _MEMORY = 20, 2 << 30
_NUMBER = re.compile(rb"-?\d+(\.\d*)?(e[+-]?\d+)?")
_WORDS = [
    *(b"nan", b"inf", b"1e400", b"-1", b"0", b"99999999999999999999", b"1e9", b"2.5", b"-0.0"),
    *(b"null", b"true", b"[]", b"{}", b'""', b'"x"', b"''", b"[", b"]", b"{", b"}", b'"', b"'"),
    *(b"\0", b"\n", b"\r", b"\xff", b"\xef\xbb\xbf", b"\xc3\xa9", b" ", b",", b"/", b"&", b"="),
    *(b"!", b"#", b"..", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\xff\xff\xff\xff", bytes(64)),
]

Change = tuple[str, float, float, bytes]


def changes() -> st.SearchStrategy[list[Change]]:
    """Return some changes of bytes: what is done, where, how far, and a word."""
    place = st.floats(0.0, 1.0, exclude_max=True)
    what = st.sampled_from(["flip", "cut", "repeat", "insert", "write over", "number", "end"])
    one = st.tuples(what, place, place, st.sampled_from(_WORDS))
    return st.lists(one, min_size=1, max_size=4)


def changed(content: bytes, some: Sequence[Change]) -> bytes:
    """Return bytes after some changes."""
    for what, where, far, word in some:
        at = int(where * len(content))
        to = at + int(far * min(64, len(content) - at)) + 1
        match what:
            case "flip" if content:
                bit = bytes([content[at] ^ 1 << int(8 * far)])
                content = content[:at] + bit + content[at + 1 :]
            case "cut":
                content = content[:at] + content[to:]
            case "repeat":
                content = content[:to] + content[at:to] * 3 + content[to:]
            case "insert":
                content = content[:at] + word + content[at:]
            case "write over":
                content = content[:at] + word + content[at + len(word) :]
            case "number" if numbers := list(_NUMBER.finditer(content)):
                found = numbers[int(where * len(numbers))]
                content = content[: found.start()] + word + content[found.end() :]
            case "end":
                content = content[:at]
            case _:
                pass
    return content


def many(share: int = 1) -> settings:
    """Return the settings of a test with its share of examples: one of so many."""
    return settings(max_examples=_EXAMPLES // share, derandomize=_EXAMPLES <= _USUAL)


def check_reader(files: Sequence[Path], read: Callable[[], object], share: int = 1) -> None:
    """Change one of some files at a time; 'read' must succeed or raise an error of ours, soon."""
    originals = {path: path.read_bytes() for path in files}

    @many(share)
    @given(st.sampled_from(list(files)), changes())
    def check(path: Path, some: list[Change]) -> None:
        path.write_bytes(changed(originals[path], some))
        try:
            check_one(read)
        finally:
            path.write_bytes(originals[path])

    check_one(read)
    check()


def check_one(read: Callable[[], object]) -> None:
    """Read something; an error must be one of ours that says something."""
    try:
        with _bounded():
            read()
    except HaloclineError as error:
        assert error.message  # noqa: PT017 (any error of ours will do)


@contextmanager
def _bounded() -> Iterator[None]:
    """Bound time and memory of what is done within this."""

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"It takes more than {_TIME_S} s.")

    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (no path of the tests)
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, before[1]))
    signal.alarm(_TIME_S)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, handler)
