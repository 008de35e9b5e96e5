"""Paper 001 on devices: printed rates beside predicted ones, and what holds of predictions."""

import pytest
from msgspec.structs import replace

from halocline.tune.machines import find_machine
from halocline_reproduction.device_flow import (
    DeviceFlow,
    alone,
    efficiency,
    exposed,
    predicted,
    rate,
)
from halocline_reproduction.experiment import settings_for
from halocline_reproduction.experiments import find_experiment
from halocline_reproduction.gpu_flows import comparison, paper_flow

ROWS = {name: (printed, model, how) for name, printed, model, how in comparison()}


@pytest.mark.parametrize("name", [name for name, (_, _, how) in ROWS.items() if how])
def test_fitted_rates_are_met(name):
    printed, model, _ = ROWS[name]
    assert model == pytest.approx(printed, rel=0.005)


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("with streams, yz [MLUP/s]", 0.02),
        ("gain of streams, yz [1]", 0.05),
        ("GPUBufferedScheme, xz [MLUP/s]", 0.15),
        ("with streams over computing alone, 320³ [1]", 0.35),
    ],
)
def test_other_rates_are_predicted_within(name, within):
    printed, model, how = ROWS[name]
    assert not how
    assert model == pytest.approx(printed, rel=within)


def test_a_k40m_gives_another_code_about_as_much():
    """FluidX3D's table: 1131 MLUP/s of 153 bytes, which is no number of the machine."""
    assert find_machine("kepler-001").device.bytes_per_s == pytest.approx(1131e6 * 153, rel=0.05)


def test_streams_hide_all_of_computing_and_no_more():
    waiting, hiding = map(paper_flow, ("GPUPackInfo", "with streams"))
    saved = predicted(waiting).least() - predicted(hiding).least()
    assert saved == pytest.approx(predicted(waiting).least("computing"), rel=0.02)
    assert exposed(hiding) == pytest.approx(48, abs=2)


def test_copies_of_boxes_are_dear_across_x_and_packing_is_not():
    def exchange(way, blocks):
        cube, scheme = (64,) * 3, f"{way}, waiting"
        flow = DeviceFlow("kepler-001", scheme, cube, blocks, is_cavity=True, per_node=1)
        return predicted(flow).least("exchange")

    across_x, across_z = (2, 1, 1), (1, 1, 2)
    assert exchange("box-copies", across_x) > 10 * exchange("box-copies", across_z)
    assert exchange("via-host", across_x) < 1.1 * exchange("via-host", across_z)
    assert exchange("via-host", across_z) < exchange("box-copies", across_z)


@pytest.mark.parametrize("edge", [16, 64, 128])
def test_peer_copies_are_ahead_of_messages_and_those_of_staging(edge):
    times = [
        predicted(DeviceFlow("nvlink-8", f"{way}, waiting", (edge,) * 3, (2, 2, 2))).least()
        for way in ("peer", "from-device", "via-host")
    ]
    assert times == sorted(times)


def test_buffered_scheme_does_not_care_which_side_is_cut():
    rates = [rate(paper_flow("GPUBufferedScheme", cut)) for cut in ("yz", "xz")]
    assert rates[1] == pytest.approx(rates[0], rel=0.05)


def test_weak_scaling_is_flat_once_all_neighbours_are_on_other_nodes():
    first = DeviceFlow("h200-cluster", "peer, hiding", (128,) * 3, (4, 4, 4))
    last = replace(first, blocks=(8, 8, 16))
    assert efficiency(last, first) == pytest.approx(efficiency(first, first), rel=0.05)
    assert alone(last) == pytest.approx(16 * alone(first))


@pytest.mark.slow
def test_every_table_and_panel_says_predicted_or_the_machine():
    for name in ("001-devices", "001-device-scaling"):
        findings = find_experiment(name).run(settings_for(2, is_quick=True))
        assert all("predicted" in t.title + " ".join(t.rows[0]) for t in findings.tables)
        series = [one for panel in findings.panels for one in panel.series]
        assert {one.kind for one in series} == {"paper", "model"}
        assert all("predicted" in one.label for one in series if one.kind == "model")
        assert "every rate is predicted" in " ".join(findings.remarks)
