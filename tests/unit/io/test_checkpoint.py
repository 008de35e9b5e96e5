"""Checkpoints: the same bits afterwards, never half a file, one message where it does not fit."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from waves import bits, drift, waves

import halocline as hc
from halocline.errors import CaseError, DivergedError, OutputError
from halocline.io.checkpoint import bytes_kept, load, save
from halocline.language.state import fields_to_keep, parameters


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint.npz"


def test_a_run_that_goes_on_has_the_bits_of_one_that_went_through(path):
    through, first, second = waves(), waves(), waves(weight=9.0)
    through.simulation.run(12, progress=False)
    first.simulation.run(5, progress=False)
    save(first.simulation, path)
    second.a.set(7.0)
    load(second.simulation, path)
    assert bits(second) == bits(first)
    second.simulation.run(7, progress=False)
    assert bits(second) == bits(through)


def test_a_run_that_has_diverged_goes_on_from_a_checkpoint(path):
    made = waves()
    made.simulation.run(5, progress=False)
    save(made.simulation, path)
    kept = bits(made)
    made.a.set(np.nan)
    with pytest.raises(DivergedError):
        made.simulation.run(1, progress=False)
    load(made.simulation, path)
    assert bits(made) == kept


def test_what_it_takes_is_known_before(path):
    made = waves((60, 40))
    expected = bytes_kept(made.grid, made.simulation.steps)
    assert expected == 8 * 3 * 60 * 40  # the other half of a pair that is swapped is not kept
    save(made.simulation, path)
    assert expected <= path.stat().st_size <= 1.1 * expected


@hc.kernel
def look(b, c):
    c[0, 0] = 1.5 * b[1, 0]


@hc.kernel
def push(a, b):
    b[1, 0] = a[0, 0] + 0.5
    a[0, 0] = a[0, 0] + 1.0


def pushing(blocks):
    """Return a simulation that assigns beyond a side what its next step reads there."""
    grid = hc.Grid((9, 8))
    a, b, c = (grid.field(name) for name in "abc")
    a.set(lambda x, y: x + 10 * y)
    options = {"strategy": hc.Strategy(poison=True), "check_every": 0, "target": "numpy"}
    return c, hc.Simulation(grid, [look(b, c), push(a, b)], blocks=blocks, **options)


@pytest.mark.parametrize("blocks", [1, 6])
def test_what_kernels_have_assigned_beyond_a_side_goes_on_too(path, blocks):
    through, simulation = pushing(1)
    simulation.run(3, progress=False)
    _, first = pushing(blocks)
    first.run(2, progress=False)
    save(first, path)
    found, second = pushing(7 - blocks)
    load(second, path)
    second.run(1, progress=False)
    assert through.gather()[-1, 3] == 1.5 * (8.5 + 35 + 1 + 0.5)
    assert np.array_equal(found.gather(), through.gather())


def test_saving_changes_nothing(path):
    saved, not_saved = waves(), waves()
    for _ in range(3):
        save(saved.simulation, path)
        saved.simulation.run(2, progress=False)
    not_saved.simulation.run(6, progress=False)
    assert bits(saved) == bits(not_saved)


def test_numpy_opens_it_and_finds_a_component_an_array(path):
    made = waves()
    made.simulation.run(3, progress=False)
    save(made.simulation, path, {"case": "waves"})
    found = np.load(path)
    named = {"checkpoint.json", "a.boxes", "a.0", "a.1", "sum.boxes", "sum.0"}
    assert set(found.files) == named
    assert np.array_equal(found["a.1"], made.a.gather()[1])
    about = json.loads(found["checkpoint.json"])
    assert about["step"] == 3
    assert about["about"] == {"case": "waves"}
    assert about["parameters"] == [["greatest", made.greatest.value.hex()]]


def test_the_half_of_a_pair_that_a_step_overwrites_is_not_kept():
    made = waves()
    kept = fields_to_keep(made.grid, made.simulation.steps)
    assert [field.name for field in kept] == ["a", "sum"]


@pytest.mark.parametrize(
    "what", ["one component", "part of the cells", "cells of a mask", "read later", "now and then"]
)
def test_what_a_step_may_read_is_kept(what):
    grid = hc.Grid((6, 4), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def copy(a, b):
        b[0, 0] = a[0, 0]

    @hc.kernel
    def add(a, b):
        a[0, 0] = a[0, 0] + b[0, 0]

    if what == "one component":
        a, b = grid.field("a2", components=2), grid.field("b2", components=2)

        @hc.kernel
        def half(a, b):
            b[0][0, 0] = a[0][0, 0]

        steps = (half(a, b), hc.swap(a, b))
    elif what == "part of the cells":
        steps = (copy(a, b, on=hc.Box((0, 0), (3, 4))), hc.swap(a, b))
    elif what == "cells of a mask":
        steps = (copy(a, b, on=grid.field("mask")), hc.swap(a, b))
    elif what == "read later":
        steps = (add(a, b), copy(a, b), hc.swap(a, b))
    else:
        steps = (hc.every(2, copy(a, b)), hc.swap(a, b))
    assert b in fields_to_keep(grid, steps)


@hc.kernel
def from_beside(T, w):
    w[0, 0] = T[-1, 0] + w[0, 0]


@hc.kernel
def next_level(level, other):
    other[0] = 0.5 * level[0]


@pytest.mark.parametrize("is_part", [False, True])
def test_what_sides_prescribe_is_kept_though_a_step_overwrites_it_later(path, is_part):
    def made():
        grid = hc.Grid((4, 3))
        T, w = grid.field("T"), grid.field("w")
        level, other = (grid.field(name, axes="y") for name in ("level", "other"))
        level.set(1.0)
        T.boundary("x-", hc.Dirichlet(2.0 if is_part else other))
        if is_part:
            T.boundary("x-", hc.Dirichlet(3.0), where=other)
        steps = [from_beside(T, w), next_level(level, other), hc.swap(level, other)]
        return w, hc.Simulation(grid, steps, target="numpy")

    w, through = made()
    through.run(1, progress=False)
    save(through, path)
    through.run(2, progress=False)
    after, resumed = made()
    load(resumed, path)
    resumed.run(2, progress=False)
    np.testing.assert_array_equal(after.gather(), w.gather())


def test_parameters_of_steps_and_boundaries_are_kept_once():
    grid = hc.Grid((6, 4))
    a, b, c = grid.field("a", components=2), grid.field("b", components=2), grid.field("c")
    weight, level = hc.Parameter(0.5, "weight"), hc.Parameter(1.0, "level")
    a.boundary("x-", hc.Dirichlet(level))
    largest = hc.max(c, name="largest")
    steps = hc.repeat(2, drift(a, b, c, weight=weight), hc.every(3, largest))
    found = parameters(grid, (steps, drift(a, b, c, weight=hc.time)))
    assert [p.name for p in found] == ["weight", "largest", "level"]


def test_a_failure_leaves_the_older_checkpoint_whole_and_nothing_else(path, monkeypatch):
    made = waves()
    save(made.simulation, path)
    before = path.read_bytes()
    made.simulation.run(1, progress=False)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    places = ((os, "fsync"), (np.lib.format, "write_array"), (zipfile.ZipFile, "_write_end_record"))
    for module, name in places:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, full)
            with pytest.raises(OutputError, match=r"checkpoint\.npz': No space left on device"):
                save(made.simulation, path)
        assert path.read_bytes() == before
        assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_crash_while_writing_leaves_the_older_checkpoint_whole(path, monkeypatch):
    made = waves()
    save(made.simulation, path)
    before = path.read_bytes()

    def crash(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", crash)
    with pytest.raises(KeyboardInterrupt):
        save(made.simulation, path)
    assert path.read_bytes() == before


def test_a_missing_checkpoint_is_told(path):
    with pytest.raises(CaseError) as error:
        load(waves().simulation, path)
    assert str(error.value) == (
        f"There is no checkpoint '{path}'. Give the directory of a run that wrote one with "
        "--checkpoint."
    )


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip(content: bytes) -> bytes:
    """Change one bit of the values of a field."""
    at = content.index(b"NUMPY") + 150
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize("damage", [cut, flip, lambda _: b"", lambda _: b"something else"])
def test_a_damaged_checkpoint_is_told(path, damage):
    save(waves().simulation, path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CaseError, match=r"checkpoint\.npz' cannot be read: .* It is damaged"):
        load(waves().simulation, path)


def test_a_checkpoint_without_one_of_its_arrays_is_told(path):
    save(waves().simulation, path)
    with zipfile.ZipFile(path) as old:
        content = {name: old.read(name) for name in old.namelist() if name != "a.1.npy"}
    with zipfile.ZipFile(path, "w") as new:
        for name, data in content.items():
            new.writestr(name, data)
    with pytest.raises(CaseError, match=r"cannot be read: it has no array 'a\.1\.npy'"):
        load(waves().simulation, path)


def saved_by(path, step):
    made = waves()
    made.simulation.run(step, progress=False)
    save(made.simulation, path)


def found_by(path):
    made = waves(weight=9.0)
    load(made.simulation, path)
    values = made.a.gather(), made.sum.gather()
    return [v.tobytes() for v in values if v is not None]


@pytest.mark.parametrize(("writers", "readers"), [(3, 1), (2, 4), (4, 3)])
def test_each_rank_writes_its_part_and_any_number_of_ranks_reads_them(path, writers, readers):
    made = waves()
    made.simulation.run(2, progress=False)
    for step in (1, 2):
        hc.on_virtual_ranks(writers, partial(saved_by, path, step))
    (directory,) = (p for p in path.parent.iterdir() if p.is_dir())
    assert sorted(p.name for p in directory.iterdir()) == [f"{n}.npz" for n in range(1, writers)]
    cells = [np.load(p)["a.0"].size for p in (path, *directory.iterdir())]
    assert sum(cells) == 24
    assert max(cells) < 24
    assert hc.on_virtual_ranks(readers, partial(found_by, path))[0] == list(bits(made)[:2])


def test_a_missing_and_a_strange_part_are_told(path):
    hc.on_virtual_ranks(2, partial(saved_by, path, 1))
    part = path.with_name("checkpoint.npz.a") / "1.npz"
    older = part.read_bytes()
    path.unlink()
    hc.on_virtual_ranks(2, partial(saved_by, path, 2))
    part.write_bytes(older)
    with pytest.raises(CaseError, match=r"a/1\.npz' cannot be read: it is no part of '.*\.npz' as"):
        load(waves().simulation, path)
    part.unlink()
    with pytest.raises(
        CaseError, match=r"lacks its part '.*1\.npz'\. Copy 'checkpoint\.npz\.a' tog"
    ):
        load(waves().simulation, path)


def test_a_rank_that_cannot_write_its_part_is_named_and_the_older_checkpoint_stays(path):
    hc.on_virtual_ranks(3, partial(saved_by, path, 1))
    before = hc.on_virtual_ranks(1, partial(found_by, path))
    blocked = path.with_name("checkpoint.npz.b") / "2.npz"
    blocked.mkdir(parents=True)
    (blocked / "file").touch()
    with pytest.raises(OutputError, match=r"Could not write '.*checkpoint\.npz'") as error:
        hc.on_virtual_ranks(3, partial(saved_by, path, 2))
    assert str(error.value).endswith("An older checkpoint there stays as it is.")
    assert hc.on_virtual_ranks(1, partial(found_by, path)) == before


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_full_disk_leaves_the_older_checkpoint(tmp_path, ranks):
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system needs root")
    path = tmp_path / "checkpoint.npz"
    try:
        hc.on_virtual_ranks(ranks, partial(saved_by, path, 1))
        before = hc.on_virtual_ranks(1, partial(found_by, path))
        with suppress(OSError):
            (tmp_path / "filling").write_bytes(bytes(2**16))
        with pytest.raises(OutputError, match=r"No space left on device\. Free some space or"):
            hc.on_virtual_ranks(ranks, partial(saved_by, path, 2))
        assert hc.on_virtual_ranks(1, partial(found_by, path)) == before
        (tmp_path / "filling").unlink()
        hc.on_virtual_ranks(ranks, partial(saved_by, path, 2))
        assert hc.on_virtual_ranks(1, partial(found_by, path)) != before
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_directory_that_is_away_for_a_while_is_told_and_written_later(tmp_path):
    made, folder, away = waves(), tmp_path / "shared", tmp_path / "away"
    folder.mkdir()
    save(made.simulation, folder / "checkpoint.npz")
    folder.rename(away)
    made.simulation.run(1, progress=False)
    with pytest.raises(OutputError, match=r"Mount the file system of '.*/shared' again, or"):
        save(made.simulation, folder / "checkpoint.npz")
    away.rename(folder)
    assert found_by(folder / "checkpoint.npz")
    save(made.simulation, folder / "checkpoint.npz")
    assert found_by(folder / "checkpoint.npz") == list(bits(made)[:2])


def test_a_checkpoint_of_another_format_is_told(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", '{"format": 99}')
    with pytest.raises(CaseError, match=r"has format 99; expected 6\. Go on with the version"):
        load(waves().simulation, path)


@pytest.mark.parametrize(
    ("options", "about", "message"),
    [
        ({"extent": (4, 6)}, {"n": 1}, r"written with extent = \[6, 4\]; this run has extent = "),
        ({"dtype": "float32"}, {"n": 1}, r"float64, 2 component\(s\), 6x4.*this run has.*float32"),
        ({}, {"n": 2}, r"was written with n = 1; this run has n = 2\. A run goes on only as"),
        ({}, {}, r"was written with n = 1; this run has n = None"),
    ],
)
def test_a_checkpoint_of_another_run_is_told(path, options, about, message):
    save(waves().simulation, path, {"n": 1})
    with pytest.raises(CaseError, match=message):
        load(waves(**options).simulation, path, about)
