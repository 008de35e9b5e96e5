"""What hinders a reader: long sentences and lines, and words for which the field has others."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

MOST_WORDS = 30
MOST_CHARACTERS = 200

# Words of our own, as regular expressions, and the field's.
REPLACED = {
    r"\bwhole (grid|space)s?\b|whole_below": "replicated; agglomeration_threshold",
    r"\bthin blocks?\b|guest cells?\b": "ghost patch; coarse-fine ghost cells",
    r"\bcovered cells?\b": "cells under a finer level",
    r"\bborder use\b|border_use": "liveness of ghost patches",
    r"\bdisplaced values?\b": "pushed values",
    r"\bgathering of a": "allgather",
    r"\bfused producers?\b": "inlined boundary kernel",
    r"\bcomponents apart\b": "loop fission",
    r"\bstor(e|es|ed|ing) past the caches?\b": "non-temporal stores",
    r"\bfetch(ed|es|ing) ahead\b": "prefetched",
    r"\bkept bytes\b": "cache-resident bytes",
    r"\blisted cells\b": "compacted mask",
    r"\bclosing cells?\b": "extra face",
    r"\bcut evenly\b": "chains-on-chains partitioning",
    r"\breshar(e|ed|es|ing)\b": "repartitioned",
    r"\blessons?\b|\b(is|are|was|were) taught\b": "calibration; is calibrated",
    r"\b(is|are|was|were|be|been) told\b|\btells of\b": "reported",
    r"\bconfess\w*": "propagate the failure",
    r"\bunder way\b": "in flight",
    r"\byardsticks?\b": "baseline",
    r"\bstand-ins?\b": "proxy kernel",
    r"\bmost=|otherwise=": "max_iterations=, on_failure=",
    r"\brecompute=\"free\"": 'recompute="fewest-bytes"',
    r"\bSLUGGISH\b": "MAX_RELAXATION_TIME",
    r"`(Held|Agreement|Crew|Way|Trial|Taker|Station|Seat|Patience|Moment|Places)`": "see names",
    r"\bis a certain one\b": "selects device 1",
    r"\bnobody knows\b": "unknown",
    r"\b(is|are) wanted\b": "expected",
    r"\bnot looked at\b": "never read",
    r"\bgives? back\b|\bgiven back\b": "return",
    r"(?<!by )\bhands? on\b|\bhanded on\b": "pass",
    r"\bbegins at once\b": "an abrupt start",
    r"\bsaid nothing\b": "produced no output",
    r"\bfor want of\b": "without",
    r"\bnext door\b": "in a neighbour",
}
_REPLACED = [(re.compile(word, re.IGNORECASE), plain) for word, plain in REPLACED.items()]


def markdown(text: str) -> Iterator[str]:
    """Yield the paragraphs and table cells of a document, without programs and comments."""
    text = re.sub(r"^(```+|~~~+).*?^\1", "\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "\n", text, flags=re.DOTALL)
    text = re.sub(r"^(?!\n) {4}.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[?!\[[^]]*\]\([^)]*\)(\]\([^)]*\))?", "", text)  # pictures
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|#+|\|) )", text):
        if paragraph.lstrip().startswith("|"):
            yield from paragraph.split("|")
        else:
            yield paragraph


def docstring(text: str) -> Iterator[str]:
    """Yield the paragraphs of a docstring, without its examples and formulas."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*] )", inspect.cleandoc(text)):
        if ">>>" not in paragraph and not paragraph.startswith(" "):
            yield from re.split(r"\n(?=    \S)", paragraph)


def messages(source: str) -> Iterator[str]:
    """Yield the texts of the errors that a module makes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Error"):
            for given in [*node.args, *(k.value for k in node.keywords)]:
                if text := "".join(_parts(given)):
                    yield text


def _parts(node: ast.expr) -> Iterator[str]:
    """Yield the constant parts of a string; a value in it counts as one word."""
    match node:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(values):
            for value in values:
                yield from _parts(value)
        case ast.FormattedValue():
            yield "…"
        case ast.BinOp(left, _, right):
            yield from _parts(left)
            yield from _parts(right)


def findings(paragraphs: Iterator[str]) -> Iterator[str]:
    """Yield what is wrong with them: sentences of too many words, words that are replaced."""
    for paragraph in paragraphs:
        for sentence in re.split(r"(?<=[.!?:;])\s+", paragraph):
            if (count := len(sentence.split())) > MOST_WORDS:
                yield f"{count} words: {' '.join(sentence.split())[:120]}"
        prose = " ".join(paragraph.split())
        for pattern, plain in _REPLACED:
            if found := pattern.search(prose):
                yield f"'{found[0]}' is '{plain}': {prose[max(found.start() - 40, 0) :][:120]}"


def long_lines(text: str) -> Iterator[str]:
    """Yield the lines that are too long to read in an editor, but for generated tables."""
    generated = False
    for number, line in enumerate(text.splitlines(), 1):
        generated = line.endswith(" begin -->") or (generated and not line.endswith(" end -->"))
        if len(line) > MOST_CHARACTERS and not generated:
            yield f"line {number}: {len(line)} characters"
