"""Rules that a machine can check: who imports whom, sizes of files, what an import costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import halocline
from halocline.language.expressions import functions

ROOT = Path(__file__).parent.parent
LONGEST = 600
EXTENSIONS = ("_core", "_mpi")

in_the_tree = pytest.mark.skipif(
    not (ROOT / "src/halocline").is_dir(), reason="needs the source tree"
)


def files(folder: str, *endings: str) -> list[Path]:
    return [p for ending in endings for p in sorted((ROOT / folder).rglob(f"*{ending}"))]


def python(code: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ, **environment),
        timeout=60,
    )


@in_the_tree
def test_data_flows_one_way():
    tool = Path(sys.executable).with_name("lint-imports")
    if not tool.exists():
        pytest.skip("import-linter is not installed")
    environment = dict(os.environ, PYTHONPATH=f"{ROOT / 'src'}:{ROOT / 'reproduction/src'}")
    done = subprocess.run(
        [tool, "--config", ROOT / "pyproject.toml", "--no-cache"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout


def including(header: str) -> set[str]:
    pattern = re.compile(rf'^\s*#\s*include\s*[<"]{header}', re.MULTILINE)
    sources = files("cpp", ".cpp", ".hpp", ".h")
    return {
        p.relative_to(ROOT / "cpp").as_posix() for p in sources if pattern.search(p.read_text())
    }


# What each folder of cpp/ may include beside its own headers.
CPP_LAYERS = {
    "abi": set(),
    "pgas": set(),
    "caf": {"pgas"},
    "caf15": {"caf", "pgas"},
    "launcher": {"pgas"},
    "core": {"abi", "pgas"},
    "device": {"abi", "core", "pgas"},
    "mpi": {"pgas"},
    "network": {"mpi", "pgas"},
    "transport": {"abi", "core", "device", "mpi", "pgas"},
    "runtime": {"abi", "core", "device", "pgas", "transport"},
    "bindings": {"abi", "core", "device", "pgas", "runtime", "transport"},
}


@in_the_tree
def test_folders_of_cpp_include_each_other_one_way():
    for folder, may in CPP_LAYERS.items():
        for path in files(f"cpp/{folder}", ".cpp", ".hpp", ".h"):
            used = set(re.findall(r'^\s*#\s*include\s*"([^/"]+)/', path.read_text(), re.MULTILINE))
            # Parts of 'abi/elementary.hpp', by the names that NVRTC knows them by.
            assert used - {"elementary"} <= may | {folder}, path
    assert {path.name for path in (ROOT / "cpp").iterdir()} == set(CPP_LAYERS)


@in_the_tree
def test_only_the_executor_for_devices_and_what_makes_it_knows_devices():
    others = {p for p in including("device/") if p.startswith("runtime/")}
    assert {p for p in others if not p.startswith("runtime/device_")} == {"runtime/runtime.hpp"}


@in_the_tree
def test_only_the_mpi_folder_transport_and_binding_include_mpi():
    known = {"transport/mpi.cpp", "transport/mpi.hpp", "bindings/mpi_module.cpp"}
    others = {p for p in including(r"mpi\.h") if not p.startswith(("mpi/", "network/"))}
    assert others <= known


@in_the_tree
def test_only_the_bindings_include_nanobind():
    assert {p.split("/")[0] for p in including("nanobind/")} == {"bindings"}


@in_the_tree
def test_only_the_bindings_include_python():
    assert {p.split("/")[0] for p in including(r"Python\.h")} <= {"bindings"}


@in_the_tree
def test_no_file_is_longer_than_the_budget():
    python = [*files("src", ".py", ".pyi"), *files("reproduction", ".py")]
    sources = [*python, *files("cpp", ".cpp", ".hpp", ".h")]
    lengths = {p.relative_to(ROOT).as_posix(): len(p.read_text().splitlines()) for p in sources}
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}


def test_every_file_of_tests_has_a_name_of_its_own():
    # pytest imports the files of folders without packages by their names.
    names = Counter(path.name for path in files("tests", ".py") if path.name.startswith("test_"))
    assert [name for name, n in names.items() if n > 1] == []


EVERYTHING = "import halocline; [getattr(halocline, name) for name in halocline.__all__]; "


@pytest.mark.alone
@pytest.mark.parametrize(("code", "most"), [("import halocline; ", 0.4), (EVERYTHING, 4)])
def test_import_takes_little_longer_than_numpys(code, most):
    # NumPy's takes 0.1 s; a busy machine slows many small modules more.
    code = (
        "from time import process_time as now; a = now(); import numpy; b = now(); "
        f"{code}print((now() - b) / (b - a))"
    )
    assert min(float(python(code).stdout) for _ in range(5)) < most


def test_import_loads_none_of_the_heavy_packages():
    code = EVERYTHING + "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = set(python(code).stdout.split())
    heavy = {"mpi4py", "matplotlib", "zarr", "xarray", "rich", "typer", "scipy", "pandas"}
    assert loaded & heavy == set()


def test_a_plan_needs_neither_mpi_nor_compiler(tmp_path):
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\n"
        "import stencils\n"
        "from halocline.plan.pipeline import plan_for\n"
        "problem = stencils.cavity((64, 64, 64), False)\n"
        "print(plan_for(problem.grid, problem.steps, ranks=4096, rank=17))\n"
        "assert 'mpi4py' not in sys.modules and 'halocline.runtime._mpi' not in sys.modules\n"
    )
    done = python(code, PATH=str(tmp_path), HALOCLINE_CXX="/bin/false")
    assert done.stdout.startswith("plan of rank 17 of 4096")


@pytest.mark.parametrize("what", ["plan", "passes", "code", "kernel", "footprint"])
def test_showing_a_case_needs_no_built_extension(what):
    blocked = "".join(f"sys.modules['halocline.runtime.{name}'] = None\n" for name in EXTENSIONS)
    code = f"import sys\n{blocked}sys.argv[1:] = ['show', '{what}', 'lid-cavity']\n"
    done = python(f"{code}from halocline.cli.main import main\nmain()")
    assert "collide_stream" in done.stdout


def test_a_simulation_does_need_it():
    code = "import sys, halocline as hc\nsys.modules['halocline.runtime._core'] = None\n"
    run = "hc.Simulation(hc.Grid((4,)), [print]).run(1)"
    done = subprocess.run(
        [sys.executable, "-c", code + run], capture_output=True, text=True, check=False, timeout=60
    )
    assert "ModuleNotFoundError: import of halocline.runtime._core halted" in done.stderr


@pytest.mark.parametrize("module", ["oracle", "draw"])
def test_what_a_random_program_means_is_found_without_us(module):
    """Neither when they are imported nor later: no function of theirs imports anything."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r}); import property.{module}\n"
        "used = [m for name, m in sys.modules.items() if name.startswith('property.')]\n"
        "print('halocline' in sys.modules, *(m.__file__ for m in used))"
    )
    knows_us, *used = python(code).stdout.split()
    assert knows_us == "False"
    known = {"oracle", "evaluation", "expressions", "philox", "programs", "cells", "legal", "turns"}
    known |= {"given", "sides", "places", "columns", "seen"}
    drawn = {"draw", "draw_fields", "draw_numbers", "draw_values"}
    drawn |= {"draw_sides", "draw_points", "draw_others"}
    assert {Path(path).stem for path in used} <= known | drawn
    for path in used:
        assert not re.search(
            r"^ +(import|from) |import_module|__import__", Path(path).read_text(), re.M
        )


def test_the_public_names_are_few():
    known = vars(functions)  # of values; of them there are as many as NumPy has
    assert len([name for name in halocline.__all__ if name not in known]) < 80


def test_a_step_costs_less_than_two_microseconds_beyond_kernels_and_messages():
    grid = halocline.Grid((4, 4))
    field = grid.field("a")

    @halocline.kernel
    def nothing(a):
        a[0, 0] = 0.0

    simulation = halocline.Simulation(grid, [nothing(field)], threads=1)
    simulation.run(1000, progress=False)
    steps, best = 200_000, float("inf")
    for _ in range(5):
        started = time.process_time()
        simulation.run(steps, progress=False)
        best = min(best, (time.process_time() - started) / steps)
    assert best < 2e-6
