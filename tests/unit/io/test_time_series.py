"""The table of integrals and probes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from unit.io.forests import forest
from waves import waves

import halocline as hc
from halocline.errors import CaseError, OutputError
from halocline.io.time_series import Probe, TimeSeries

HEAD = 5


def table(path: Path, made, *probes: tuple[float, ...], **options) -> TimeSeries:
    points = tuple(map(Probe, probes))
    return TimeSeries(
        path,
        2,
        made.simulation,
        (made.mass,),
        made.quantities[1:],
        points,
        time_unit="s",
        **options,
    )


def write(into: TimeSeries, made, *steps: int) -> None:
    for step in steps:
        made.simulation.run(step - made.simulation.step, progress=False)
        made.simulation.reduce(made.mass.reduction)
        into.write(step, 0.5 * step)


def test_the_head_says_what_the_columns_are(tmp_path: Path):
    path = tmp_path / "series.csv"
    table(path, waves(), (1.0, 2.9))
    assert path.read_text().splitlines() == [
        "# time [s]",
        "# mass [m3]: volume",
        "# g(1 2.9) [1]: twice in the cell at (1.25 2.75)",
        "# sum(1 2.9) [m]: sum in the cell at (1.25 2.75)",
        "step,time,mass,g(1 2.9),sum(1 2.9)",
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_are_read_back_as_the_same_bits(tmp_path: Path, dtype):
    made, path = waves(dtype=dtype), tmp_path / "series.csv"
    into = table(path, made, (2.1, 1.6), (4.0, 3.0))
    write(into, made, 0, 2, 4)
    found = np.loadtxt(path, delimiter=",", skiprows=HEAD + 2)
    assert np.array_equal(found[:, 0], [0, 2, 4])
    assert np.array_equal(found[:, 1], [0.0, 1.0, 2.0])
    assert found[-1, 2] == made.mass.value
    a, total = made.a.gather(), made.sum.gather()
    expected = [2.0 * a[1, 2, 1], total[2, 1], 2.0 * a[1, 5, 3], total[5, 3]]
    assert np.array_equal(found[-1, 3:].astype(dtype), expected)


def test_a_probe_between_two_faces_reads_the_nearest():
    grid = hc.Grid((4, 4), spacing=0.5)
    faces, centers = grid.field("u", location="x_face"), grid.field("p")
    read = [Probe((x, 0.0)).cell(faces)[0] for x in (0.0, 0.2, 0.3, 1.0, 2.0)]
    assert read == [0, 0, 1, 2, 4]
    assert [Probe((x, 0.0)).cell(centers)[0] for x in (0.0, 0.2, 0.6, 1.0, 2.0)] == [0, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ((4.1, 2.0), r"The probe \(4\.1 2\) is not in the grid; expected x from 1 to 4, y from 1"),
        ((float("nan"), 2.0), r"The probe \(nan 2\) is not in the grid"),
        (
            (2.0,),
            r"The probe \(2\) has 1 coordinate\(s\); expected 2, as the grid has\. Write --pr",
        ),
    ],
)
def test_a_probe_that_is_not_in_the_grid_is_refused(tmp_path: Path, point, message):
    with pytest.raises(CaseError, match=message):
        table(tmp_path / "series.csv", waves(), point)


def test_a_table_that_goes_on_drops_later_rows_and_one_that_was_cut_off(tmp_path: Path):
    made, path = waves(), tmp_path / "series.csv"
    write(table(path, made), made, 0, 2, 4, 12)
    whole = path.read_text()
    path.write_text(whole[: whole.index("\n12,") + 2])
    table(path, made, goes_on_from=3)
    rows = path.read_text().splitlines()[HEAD - 2 :]
    assert [row.split(",")[0] for row in rows] == ["0", "2"]


def test_a_table_with_other_columns_is_not_continued(tmp_path: Path):
    made, path = waves(), tmp_path / "series.csv"
    table(path, made)
    with pytest.raises(CaseError, match=r"has other columns than this run would write\. Ask for"):
        table(path, made, (2.0, 2.0), goes_on_from=0)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch):
    made = waves()
    into = table(tmp_path / "series.csv", made)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OutputError, match=r"series\.csv': No space left on device"):
        into.write(0, 0.0)


def test_a_probe_in_a_forest_reads_the_leaf_around_it_as_it_is_then(tmp_path: Path):
    before, after = forest(4.0), forest(1.0)
    path, probes = tmp_path / "s.csv", (Probe((1.6, 2.1)), Probe((4.9, 1.1)))
    rows = []
    for made, goes_on_from in ((before, None), (after, 0)):
        found = TimeSeries(
            path, 1, made.simulation, (), made.quantities, probes, time_unit="s",
            goes_on_from=goes_on_from,
        )  # fmt: skip
        found.write(len(rows), 0.0)
        level = 0 if made is before else 1
        T = made.T.level(level).to_xarray()
        rows.append(2 * float(T.sel(x=1.6, y=2.1, method="nearest")))
    lines = path.read_text().splitlines()
    numbers = np.array([line.split(",") for line in lines if line[0].isdigit()], float)
    assert np.array_equal(numbers[:, 2], rows)
    assert rows[0] != rows[1]
    assert "# T(1.6 2.1) [K]: temperature in the cell of a leaf around it" in lines
