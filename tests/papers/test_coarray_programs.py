"""Coarray programs of the papers: what is missing is said, what is wrong refused."""

import shutil

import pytest
from launch import needs_mpi
from msgspec.structs import replace

from halocline.errors import CaseError, CompileError, MpiError
from halocline_reproduction import coarray_programs
from halocline_reproduction.coarray_lattice import decompositions
from halocline_reproduction.coarray_programs import beside_reference, workshop
from halocline_reproduction.coarray_thesis import fit
from halocline_reproduction.experiment import settings_for
from halocline_reproduction.experiments import EXPERIMENTS, find_experiment
from halocline_reproduction.published import published, stated

COARRAYS = [name for name in EXPERIMENTS if name.startswith("003") or name.endswith("coarrays")]
TRANSFER = ["from", "with", "operation", "synchronisation"]
# What the first rows of the tables of each experiment tell.
COLUMNS = {
    "003-latency": [[*TRANSFER, "arrangement", "message [B]", "time [us]"]],
    "003-bandwidth": [
        [*TRANSFER, "arrangement", "message [B]", "MB/s"],
        [*TRANSFER, "arrangement", "stride [words]", "values", "MB/s"],
    ],
    "003-synchronisation": [["from", "with", "kind", "time [us]", "within 95 % [us]"]],
    "003-halo": [[*TRANSFER, "cells a side", "time [us]", "MB/s"]],
    "003-burgers": [
        ["from", "with", "images", "note", "points", "steps", "step [us]", "largest error"]
    ],
    "003-transpose": [
        ["from", "with", "kind", "moved", "sent [B]", "transpose [us]", "MB/s"],
    ],
    "000-lattice-coarrays": [
        ["from", "cut", "blocks", "images", "note", "style", "MLUPS", "exchange [%]"],
        [
            *("cut", "blocks", "note", "buffered / MPI", "unbuffered / MPI", "Halocline / MPI"),
            "coarrays within 3 %",
        ],
    ],
}


def needs_gfortran():
    if shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
    needs_mpi()


@pytest.fixture
def shop():
    needs_gfortran()
    with workshop() as shop:
        yield shop


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow if n == "000-lattice-coarrays" else ())
        for n in COLUMNS
    ],
)
def test_tables_have_their_columns(name):
    needs_gfortran()
    tables = find_experiment(name).run(settings_for(2, is_quick=True)).tables
    for table, columns in zip(tables, COLUMNS[name]):
        assert list(table.rows[0]) == columns
        assert all(row.keys() <= set(columns) for row in table.rows)


@pytest.mark.parametrize("name", COARRAYS)
def test_missing_compiler_is_said_before_anything_runs(name, monkeypatch):
    monkeypatch.setenv("FC", "no-such-fortran")
    with pytest.raises(CompileError) as error:
        find_experiment(name).run(settings_for(2, is_quick=True))
    assert str(error.value) == (
        "The Fortran compiler 'no-such-fortran' was not found, and this experiment compiles "
        "coarray programs. Install gfortran 11 or newer, or name it by the environment variable FC."
    )


def test_missing_mpi_is_said_before_anything_runs(monkeypatch, tmp_path):
    needs_gfortran()
    (tmp_path / "mpiexec").touch(0o755)
    monkeypatch.setenv("HALOCLINE_MPIEXEC", str(tmp_path / "mpiexec"))
    monkeypatch.setenv("FC", shutil.which("gfortran"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MpiError) as error:
        find_experiment("003-psnap").run(settings_for(2, is_quick=True))
    assert str(error.value) == (
        f"There is no 'mpicc' in '{tmp_path}' or on the path, and this experiment compiles "
        'programs with MPI. Install MPI with its compiler: pip install "halocline[mpi]".'
    )


def test_installation_without_coarrays_is_said(monkeypatch, tmp_path):
    needs_gfortran()
    monkeypatch.setattr(coarray_programs, "caf_program", lambda: tmp_path / "halocline-caf")
    with pytest.raises(CompileError, match="was installed without coarrays"):
        find_experiment("003-psnap").run(settings_for(2, is_quick=True))


def test_program_that_fails_says_why(shop):
    program = shop.coarrays("burgers")
    with pytest.raises(CaseError) as error:
        program.run(2, points=7)
    assert str(error.value).startswith("'burgers points=7 on 2 images' failed: ")
    assert "points must be even and a multiple of the images" in str(error.value)


def test_wrong_argument_of_a_program_with_mpi_is_refused(shop):
    program = shop.messages("burgers_mpi")
    with pytest.raises(CaseError, match="an argument is not known"):
        program.run(2, pints=8)


def test_wrong_residual_is_refused(shop):
    program = shop.messages("himeno_mpi")
    (said,) = program.run(2, size="XS", sweeps=3, known=6.229342509070e-03)
    assert float(said["MFLOPS"]) > 0
    with pytest.raises(CaseError, match="gosa differs from the known value"):
        program.run(2, size="XS", sweeps=3, known=6.4e-03)


def test_same_numbers_with_coarrays_and_with_messages(shop):
    pair = (shop.coarrays("burgers"), shop.messages("burgers_mpi"))
    found = [program.run(2, points=32, end=0.05)[0] for program in pair]
    for column in ("steps", "exchanges"):
        assert found[0][column] == found[1][column]
    errors = [float(said["max_error"]) for said in found]
    assert errors[0] == pytest.approx(errors[1], rel=1e-5)


def test_launcher_of_another_mpi_is_said(shop, tmp_path):
    program = shop.messages("burgers_mpi")
    alone = tmp_path / "mpiexec"
    alone.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    alone.chmod(0o755)
    with pytest.raises(MpiError) as error:
        replace(program, launcher=(str(alone),)).run(2, points=32, end=0.01)
    assert str(error.value) == (
        "2 ranks were started, but each finds itself alone: 'mpiexec' and 'mpicc' belong to "
        "different MPIs. Name the launcher of the one by HALOCLINE_MPIEXEC."
    )


def test_program_that_is_refused_by_the_compiler_says_why(shop, tmp_path):
    (tmp_path / "broken.c").write_text("int main(void) { return x; }\n")
    shop._sources = tmp_path
    with pytest.raises(CompileError, match=r"The program 'broken' was not compiled: (.|\n)*x"):
        shop.messages("broken")


@pytest.mark.parametrize("moved", [1, 2])
def test_fit_finds_latency_and_bandwidth(moved):
    points = [(size, 1.5 + moved * size / 4e3) for size in (8, 512, 32768, 1 << 20)]
    assert fit(points, moved) == pytest.approx((1.5, 4.0))


def test_small_messages_weigh_as_much_as_large_ones():
    points = [(size, 1.5 + size / 4e3) for size in (8, 16, 32, 64)]
    latency, _ = fit([*points, (1 << 20, 1.2 * (1 << 20) / 4e3)], 1)
    assert latency == pytest.approx(1.5, rel=0.05)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8, 24])
def test_decompositions_cut_what_their_names_say(ranks):
    for name, blocks in decompositions(ranks).items():
        assert all(n == 1 for n, axis in zip(blocks, name[1:-1].split(",")) if axis == "1")
        images = blocks[0] * blocks[1] * blocks[2]
        assert images == (1 if name == "(1,1,1)" else max(ranks, images))


def test_table_of_intel_is_in_words_of_eight_bytes():
    for row in published("003-intel"):
        rate = 8 * int(row["blksize_bytes"]) / float(row["latency_sec"]) / 2**20
        # Times are printed with three digits, the smallest with another clock.
        assert rate == pytest.approx(float(row["bwidth_mb_s"]), rel=0.006)


def test_every_operation_of_the_reference_has_a_number_in_order():
    for row in published("003-reference"):
        assert row["library"] in {"OpenCoarrays", "MPI", "limit"}
        assert 0 < float(row["us"]) <= float(row["most_us"] or row["us"])


def test_minutes_and_seconds_of_the_paper_are_seconds():
    for row in published("003-text"):
        if "0:" in row["says"] or "(m:s)" in row["says"]:
            minutes, seconds = row["says"].split()[1].split(":")
            assert stated("003", row["quantity"]) == 60 * int(minutes) + int(seconds)


def test_reference_stands_beside_what_was_measured():
    (row,) = beside_reference({"transpose of 1024x1024 numbers": 1500.0}).rows
    assert row == {
        "operation": "transpose of 1024x1024 numbers",
        "coarrays here [us]": 1500.0,
        "OpenCoarrays [us]": "87000 to 93000",
        "MPI [us]": "2000",
    }
