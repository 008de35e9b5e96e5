"""The recipe of a container: its files and its script install a package that runs on two ranks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "containers"
CHECKOUT = "/opt/checkout"


def section(name: str) -> list[str]:
    """Return the lines of a section of the recipe."""
    text = (FOLDER / "halocline.def").read_text(encoding="utf-8")
    found = re.search(rf"^%{name}\n((?:    .*\n)+)", text, re.MULTILINE)
    assert found
    return [line.strip() for line in found[1].splitlines()]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Return a folder with the files that the recipe copies, as it names them."""
    folder = tmp_path_factory.mktemp("checkout")
    for line in section("files"):
        source, target = line.split()
        place = folder / Path(target).relative_to(CHECKOUT)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / source, place)
    return folder


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess:
    """Run a command with this Python as 'python3', and none of the settings of these tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HALOCLINE_")}
    path = f"{Path(sys.executable).resolve().parent}:{kept['PATH']}"
    variables = {**kept, "PATH": path, "HALOCLINE_CACHE": str(folder / "cache")}
    return subprocess.run(
        command,
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )


def test_the_recipe_copies_what_exists_and_runs_the_script():
    assert all((ROOT / line.split()[0]).exists() for line in section("files"))
    assert f"sh {CHECKOUT}/install.sh {CHECKOUT} /opt/halocline" in section("post")
    assert "export PATH=/opt/halocline/bin:$PATH" in section("environment")


@pytest.mark.slow
def test_the_script_installs_a_package_that_runs_on_two_ranks(copied, tmp_path):
    installed = tmp_path / "halocline"
    done = run("sh", copied / "install.sh", copied, installed, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    programs = installed / "bin"
    done = run(programs / "halocline", "new", "heat", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    words = [programs / "mpiexec", "-n", "2", programs / "python", "heat.py"]
    done = run(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("warmest 0.7648 degC")
