"""The tables of docs/cases.md say what the declarations say; '--update-golden' rewrites them."""

from __future__ import annotations

from pathlib import Path

from halocline.apps.cases import known_cases
from halocline.apps.field_file import FIELD_FILE
from halocline.apps.ocean.cases.ocean_case import OceanCase
from halocline.apps.run_options import RUN
from halocline.lbm import FlowCase
from halocline.options import options_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "cases.md"
BEGIN, END = "<!-- options: begin -->\n", "<!-- options: end -->"


def table(options, usual) -> list[str]:
    lines = ["| name | values | default | meaning |", "|---|---|---|---|"]
    for name, option in options.items():
        default = usual.get(name, option.default)
        shown = "" if default in (None, "") else str(default)
        expected = option.expected.removeprefix("one of: ")
        lines.append(f"| `{name}` | {expected} | {shown} | {option.about} |".replace("  ", " "))
    return lines


def tables() -> str:
    bases = {"All flows": FlowCase, "All oceans": OceanCase}
    found = []
    for title, base in bases.items():
        found += [f"### {title}", "", *table(options_of(base), {}), ""]
    found.pop()
    for name, entry in known_cases().items():
        kind = entry.load()
        options, usual = options_of(kind), dict(kind.usual)
        shared = next((options_of(base) for base in bases.values() if issubclass(kind, base)), {})
        own = {n: o for n, o in options.items() if shared.get(n) != o}
        found += ["", f"### `{name}`", ""]
        if usual:
            listed = ", ".join(f"`{n}` {value}" for n, value in usual.items())
            found += [f"{listed} if nothing is given.", ""]
        found += table(own, usual)
    found += ["", "### The run", "", *table(RUN, {})]
    return "\n".join(
        [*found, "", "### What `write` can say of a file", "", *table(FIELD_FILE, {}), ""]
    )


def test_the_documented_options_are_those_declared(request):
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    found, _, after = rest.partition(END)
    if request.config.getoption("--update-golden", default=False):
        found = tables()
        DOCUMENT.write_text(before + BEGIN + found + END + after, encoding="utf-8")
    assert found == tables()
