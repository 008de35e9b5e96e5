"""Case files, geometry, checkpoints, series and plans that are not as they were written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import check_one, check_reader, many

import halocline as hc
from halocline.apps.cases import make_case, read_case
from halocline.cli import main, run
from halocline.errors import HaloclineError
from halocline.io.checkpoint import load, save
from halocline.io.field_series import FieldSeries
from halocline.io.quantity import Quantity
from halocline.lbm import read_geometry
from halocline.plan.plan_file import read_plans
from halocline.tune.machine_file import load_machine

CASE = """
[case]
name = "lid-cavity"
cells = 16
reynolds = 100.0
dimensions = 2

[run]
ranks = 1
threads = 1
every = 10
probe = ["0.5,0.5"]
"""


def test_a_changed_case_file_is_a_case_or_refused(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE, encoding="utf-8")
    check_reader([path], lambda: read_case(str(path), {}))


def pixels():
    solid = np.zeros((8, 6), bool)
    solid[2:5, 2:4] = True
    return solid


def test_a_changed_image_is_a_geometry_or_refused(tmp_path):
    from PIL import Image

    path = tmp_path / "mask.png"
    Image.fromarray(np.where(pixels(), 0, 255).astype(np.uint8)).save(path)
    check_reader([path], lambda: read_geometry(str(path), None))


def test_a_changed_array_is_a_geometry_or_refused(tmp_path):
    path = tmp_path / "mask.npy"
    np.save(path, pixels())
    check_reader([path], lambda: read_geometry(str(path), None))


@pytest.mark.parametrize("kind", ["stl", "stl_ascii"])
def test_a_changed_surface_is_a_geometry_or_refused(kind, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "box.stl"
    mesh = trimesh.creation.box((3.0, 3.0, 3.0))
    mesh.apply_translation((4.2, 4.3, 4.1))
    mesh.export(path, file_type=kind)
    check_reader([path], lambda: read_geometry(str(path), (8, 8, 8)))


@hc.kernel
def decay(T, T_new, *, by):
    T_new[0, 0] = by * T[0, 0]


def simulation(**options) -> hc.Simulation:
    grid = hc.Grid((6, 5), periodic=(True, False))
    T, T_new = grid.field("T"), grid.field("T_new", dtype="float32")
    T.set(1.0)
    by = hc.Parameter(0.5, "by")
    steps = [decay(T, T_new, by=by)]
    return hc.Simulation(grid, steps, threads=1, target="numpy", **options)


def test_a_changed_checkpoint_is_loaded_or_refused(tmp_path):
    path = tmp_path / "checkpoint.npz"
    stepping = simulation()
    stepping.run(2, progress=False)
    save(stepping, path)
    check_reader([path], lambda: load(simulation(), path))


@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_a_changed_series_is_continued_or_refused(ending, tmp_path):
    path = tmp_path / f"series.{ending}"
    stepping = simulation()
    stepping.run(0, progress=False)

    def series(**options) -> FieldSeries:
        quantity = Quantity("T", stepping.grid.fields["T"], unit="K")
        return FieldSeries(path, 1, stepping, stepping.grid, [quantity], **options)

    def go_on() -> None:
        series(goes_on_from=2).write(3, 3.0)

    begun = series()
    for step in range(3):
        begun.write(step, float(step))
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    check_reader(files, go_on)


def test_a_changed_plan_is_executed_or_refused(tmp_path):
    path = tmp_path / "heat.plan"
    simulation().write_plan(path)
    check_reader([path], lambda: simulation(plan=path).plan)


NUMBERS = ("PMI_RANK", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "MPI_LOCALNRANKS", "OMP_NUM_THREADS")
OTHERS = ("HALOCLINE_OPTIMISATION", "HALOCLINE_CXX", "HALOCLINE_SHARED_CACHE", "HALOCLINE_MPIEXEC")


def test_any_environment_is_understood_or_refused():
    from halocline.jit.cache import shared_folders
    from halocline.jit.toolchain import find_toolchain
    from halocline.launched import launched_ranks, ranks_on_node
    from halocline.runtime.launcher import check_not_alone, find_launcher
    from halocline.runtime.openmp import threads_of_rank

    texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
    values = st.one_of(texts, st.sampled_from(["0", "-1", "9" * 5000, "²", "٣", "1e3", ":", '"']))

    @many()
    @given(st.dictionaries(st.sampled_from((*NUMBERS, *OTHERS)), values))
    def check(environment: dict[str, str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            for read in (
                launched_ranks,
                ranks_on_node,
                check_not_alone,
                find_launcher,
                find_toolchain,
                shared_folders,
                lambda: threads_of_rank(None, 1),
            ):
                check_one(read)

    check()


def test_any_command_line_is_understood_or_refused(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "run_case", lambda *_: None)
    usual = ["run", "show", "plan", "lid-cavity", "--cells", "16", "--ranks", "1", "--every", "3"]
    words = st.one_of(
        st.sampled_from([*usual, "--restart", "--set", "--help", "--", "-", "", "-1", "nan", "²"]),
        st.sampled_from(["9" * 5000, "1e400", "--threads", "--strategy", "--write", "a.nc every="]),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6),
    )

    @many(5)
    @given(st.lists(words, max_size=4))
    def check(more: list[str]) -> None:
        def parse() -> None:
            arguments = ["run", "lid-cavity", *more]
            try:
                main.build(arguments)(arguments)
            except SystemExit as end:
                assert end.code in (0, 2)  # noqa: PT017 (what typer ends with)

        check_one(parse)

    check()


def test_any_parameters_make_a_case_or_are_refused():
    values = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 40),
        st.floats(allow_nan=True),
        st.text(max_size=3),
        st.lists(st.integers(-1, 3), max_size=3),
        st.sampled_from([10**400, -(10**30)]),
    )
    names = st.sampled_from(["cells", "reynolds", "dimensions", "lattice", "collision", "dtype"])

    @many()
    @given(st.dictionaries(names, values, max_size=3))
    def check(parameters: dict[str, object]) -> None:
        check_one(lambda: make_case("lid-cavity", parameters))

    check()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"version": ' + "9" * 5000 + "}"])
def test_deep_nesting_and_long_numbers_are_refused(text, tmp_path):
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    for read in (load_machine, read_plans, lambda path: read_case(f"{path}", {})):
        with pytest.raises(HaloclineError):
            read(path)
    (tmp_path / "case.toml").write_text(f"a = {text}", encoding="utf-8")
    with pytest.raises(HaloclineError, match="is not valid TOML"):
        read_case(str(tmp_path / "case.toml"), {})
