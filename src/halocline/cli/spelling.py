"""Output on terminals and in files that cannot have all characters: these are spelled otherwise."""

from __future__ import annotations

import codecs
import io
import sys

_SPELLED = {
    **{"→": "->", "←": "<-", "\N{MULTIPLICATION SIGN}": "x", "·": "*", "…": "...", "—": "-"},
    **{"\N{EN DASH}": "-", "\N{MINUS SIGN}": "-"},
    **{"²": "^2", "³": "^3", "⁻": "^-", "µ": "u", "μ": "u", "°": "deg", "≤": "<=", "≥": ">="},
    **{"│": "|", "─": "-", "┌": "+", "┐": "+", "└": "+", "┘": "+", "╭": "+", "╮": "+"},
    **{"╰": "+", "╯": "+", "ä": "ae", "ö": "oe", "ü": "ue", "é": "e", "█": "#", "•": "*"},
}
_NAME = "halocline.spelled"


def spell_what_cannot_be_encoded() -> None:
    """Let this process print any text, whatever the encoding of its output."""
    codecs.register_error(_NAME, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unknown = error.object[error.start : error.end]
    return "".join(_SPELLED.get(character, "?") for character in unknown), error.end
