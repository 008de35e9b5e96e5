"""The measurements run, verify their results and write what they found."""

import json

from halocline.bench.yardstick import measure_memory
from halocline.cli.bench import run_bench


def test_yardstick_verifies_every_loop():
    result = measure_memory(cells=4096, threads=1, repetitions=1)
    loops = [loop for loop in result.values() if isinstance(loop, dict)]
    assert len(loops) == 6
    assert all(loop["verified"] for loop in loops)


def test_lbm_measurement_gives_the_same_bits_on_threads_and_on_ranks(tmp_path):
    lines: list[str] = []
    run_bench("lbm", lines.append, [16], 1, str(tmp_path / "figures.json"))
    found = json.loads((tmp_path / "figures.json").read_text())
    assert {entry["dtype"] for entry in found} == {"float64", "float32"}
    for dtype in ("float64", "float32"):
        assert len({entry["checksum"] for entry in found if entry["dtype"] == dtype}) == 1
    assert all(
        entry["bytes_a_cell"] == {"float64": 304, "float32": 152}[entry["dtype"]] for entry in found
    )
    assert len(lines) == 1 + len(found)
