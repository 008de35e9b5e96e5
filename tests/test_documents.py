"""What the documents show is true: their programs run, and the reference tells of all names.

The Python blocks of a document, one after the other, are one program. A block that cannot run
stands below a comment '<!-- not run: why -->'; what a block needs and a reader knows stands in a
comment '<!-- python … -->' and is run as well. With '<!-- continues PAGE -->' a page begins with
the program of that page. Scripts for a shell are checked, not run.
"""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from launch import UNDRAWN, mpirun, python

import halocline as hc
import halocline.lbm as lbm
import halocline.ocean as ocean

ROOT = Path(__file__).parents[1]
README_WORDS = 700
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(
    r"(?P<reason><!-- not run: .+? -->\n+)?```python\n(?P<shown>.*?)^```"
    r"|<!-- python\n(?P<hidden>.*?)^-->",
    re.DOTALL | re.MULTILINE,
)
WITH_PROGRAMS = {
    str(path.relative_to(ROOT)): path
    for path in DOCUMENTS
    if "```python" in path.read_text("utf-8")
}
CONTINUES = re.compile(r"<!-- continues (\S+) -->")
PLAN = re.compile(r"prints what rank 0 does.*?```text\n(?P<plan>.*?)^```", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"```bash\n(.*?)^```", re.DOTALL | re.MULTILINE)
WITH_SCRIPTS = [path for path in DOCUMENTS if "```bash" in path.read_text("utf-8")]
# What computes for so long that optimised kernels pay.
LONG = {"README.md": {"HALOCLINE_OPTIMISATION": "full"}}
# A notebook is one process; others run the models of pages that run on ranks.
ALONE = ("notebooks", "from_fluidx3d", "from_oceananigans", "from_xarray")
ON_RANKS = [n for n in WITH_PROGRAMS if "guide/" in n and not any(name in n for name in ALONE)]
ON_RANKS.append("docs/tutorial/ranks.md")
WITH_EXAMPLES = [
    str(path.relative_to(ROOT / "src").with_suffix("")).replace("/", ".")
    for path in sorted((ROOT / "src" / "halocline").glob("**/*.py"))
    if ">>> " in path.read_text("utf-8")
]


def program(text):
    """Return the blocks of a document that run, each in its lines, so that messages name these."""
    result = ["\n"] * text.count("\n")
    for found in BLOCK.finditer(text):
        if found["reason"]:
            continue
        kind = "hidden" if found["hidden"] else "shown"
        first = text.count("\n", 0, found.start(kind))
        for number, line in enumerate(found[kind].splitlines(keepends=True)):
            result[first + number] = line
    return "".join(result)


def written(name, directory):
    """Return the program of a document as a file."""
    path = WITH_PROGRAMS[name]
    text = path.read_text("utf-8")
    before = CONTINUES.search(text)
    begin = program((path.parent / before[1]).read_text("utf-8")) if before else ""
    script = directory / "program.py"
    script.write_text(begin + program(text), encoding="utf-8")
    return script


@pytest.mark.parametrize("name", WITH_PROGRAMS)
def test_the_programs_of_a_document_run(name, tmp_path):
    done = python(written(name, tmp_path), cwd=tmp_path, env=LONG.get(name))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ON_RANKS)
def test_the_programs_of_the_guide_run_on_ranks(name, tmp_path):
    done = mpirun(2, written(name, tmp_path), cwd=tmp_path, env=UNDRAWN)
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_the_plan_of_its_program(tmp_path):
    shown = PLAN.search((ROOT / "README.md").read_text("utf-8"))["plan"]
    script = written("README.md", tmp_path)
    done = python("-m", "halocline.cli", "show", "plan", str(script), "--ranks", "8")
    assert done.stdout == shown


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= README_WORDS


def test_the_program_of_the_tutorial_continues_from_its_checkpoint(tmp_path):
    script = written("docs/tutorial/output_and_restart.md", tmp_path)
    shown = [python(script, cwd=tmp_path).stdout for _ in range(2)]
    assert "t =   199 s" in shown[0]
    assert "t =   399 s" in shown[1]
    assert {path.name for path in tmp_path.glob("dye-*")} == {"dye-0.nc", "dye-200.nc"}


@pytest.mark.parametrize("path", WITH_SCRIPTS, ids=lambda path: path.name)
def test_scripts_in_documents_are_bash(path):
    for script in SHELL.findall(path.read_text("utf-8")):
        check = ["bash", "-n"]
        done = subprocess.run(check, input=script, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_docstrings_are_right(module):
    names = {"hc": hc, "lbm": lbm, "ocean": ocean, "np": np}
    found = doctest.testmod(importlib.import_module(module), extraglobs=names)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_reference_tells_of_every_name():
    text = "".join(path.read_text("utf-8") for path in (ROOT / "docs/reference").glob("*.md"))
    modules = [importlib.import_module(name) for name in re.findall(r"automodule:: (\S+)", text)]
    told = set(
        re.findall(r"(?:autoclass|autofunction|autoexception|data):: (?:halocline\.)?(\w+)", text)
    )
    told |= {name for module in modules for name in vars(module)}
    public = {name for name in dir(hc) if not name.startswith("_")}
    packages = {name for name in public if type(getattr(hc, name)).__name__ == "module"}
    assert public - packages <= told


def test_links_between_documents_lead_somewhere():
    for path in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text("utf-8")):
            if "://" not in link:
                assert (path.parent / link).exists(), f"{path}: {link}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_names_of_the_language_exist(path):
    named = set(re.findall(r"\bhc\.([a-zA-Z]\w*)", path.read_text("utf-8")))
    assert not {name for name in named if not hasattr(hc, name)}
