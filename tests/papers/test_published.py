"""The transcribed numbers agree with each other as the papers' own sums say."""

import pytest

from halocline_reproduction.published import printed, published, stated

FLAT, DEEP = ("002-A1", "002-A3"), ("002-A2", "002-A4", "002-A5")
# Times are printed to a hundredth of a second.
ROUNDING = 0.011

# Rows of the tables in the text, and of the appendix where they come from.
SAME_ROWS = {
    ("002-5-1", "002-A1"): {
        "Total runtime": "TIMERS SUM",
        "Halo runtime": "sum halo",
        "update_2d_halo": "sum start_halo",
        "wait_halo": "sum wait_halo",
        "Non-halo runtime": "sum rest",
        "Momentum - total": "momentum",
        "Momentum - halo": "momentum-halo",
        "Sealevel": "sealevel",
        "Sealevel - halo": "sealevel-halo",
    },
    ("002-5-2", "002-A2"): {
        "Total runtime": "TIMERS SUM",
        "Halo runtime": "sum halo",
        "Non-halo runtime": "sum rest",
        "update_*d_halo": "sum start_halo",
        "wait_halo": "sum wait_halo",
        "do_temperature - total": "do_temperature",
        "do_temperature - halo": "temperature-halo",
    },
    **{
        (table, appendix): {
            "u_split_adv - total": "test-00",
            "u_split_adv - update-halo": "test-01",
            "u_split_adv - wait-halo": "test-02",
            "u_split_adv - red zones": "test-03",
            "u_split_adv - green zones": "test-04",
            "u_split_adv - Part A": "test-05",
            "u_split_adv - Part B": "test-06",
        }
        for table, appendix in (("002-7-2", "002-A2"), ("002-7-3", "002-A4"), ("002-7-4", "002-A5"))
    },
}


@pytest.mark.parametrize("name", [*FLAT, *DEEP])
def test_halo_and_rest_make_the_total(name):
    total, halo, rest = (printed(name, r) for r in ("TIMERS SUM", "sum halo", "sum rest"))
    for shape, seconds in total.items():
        assert halo[shape] + rest[shape] == pytest.approx(seconds, abs=ROUNDING)


@pytest.mark.parametrize("name", [*FLAT, *DEEP])
def test_start_and_wait_make_the_halo(name):
    halo, start, wait = (printed(name, r) for r in ("sum halo", "sum start_halo", "sum wait_halo"))
    for shape, seconds in halo.items():
        assert start[shape] + wait[shape] == pytest.approx(seconds, abs=ROUNDING)


@pytest.mark.parametrize("name", [*FLAT, *DEEP])
def test_sums_over_processes_are_products(name):
    ranks = printed(name, "subdomains")
    for total, product in (("TIMERS SUM", "sum total x np"), ("sum rest", "sum rest x np")):
        for shape, seconds in printed(name, total).items():
            # Half a hundredth of a second on every rank.
            assert printed(name, product)[shape] == pytest.approx(
                seconds * ranks[shape], abs=0.006 * ranks[shape]
            )


@pytest.mark.parametrize("name", [*FLAT, *DEEP])
def test_subdomains_cover_the_domain(name):
    for shape, ranks in printed(name, "subdomains").items():
        nx, ny = map(int, shape.split("x"))
        assert nx * ny * ranks == 240 * 240


@pytest.mark.parametrize("name", DEEP)
def test_parts_of_the_split_advection_make_its_total(name):
    timers = [printed(name, f"test-0{n}") for n in range(7)]
    for shape in timers[0]:
        total, start, wait, before, after, part_a, part_b = (t[shape] for t in timers)
        assert start + wait + before + after == pytest.approx(total, abs=0.05)
        assert part_a + part_b == pytest.approx(before + after, abs=0.12)


@pytest.mark.parametrize(("text", "appendix"), SAME_ROWS)
def test_tables_in_the_text_repeat_the_appendix(text, appendix):
    for name, timer in SAME_ROWS[text, appendix].items():
        for shape, value in printed(text, name).items():
            assert value == printed(appendix, timer)[shape], (name, shape)
    assert len(published(text)) == len(SAME_ROWS[text, appendix]) + 1


def test_nineteen_exchanges():
    *parts, total = (int(row["count"]) for row in published("002-7-1"))
    assert sum(parts) == total == stated("002", "macro_exchanges")


def test_imbalance_percent_follows_from_imbalance_time():
    for row in published("000-imbalance"):
        ranks, seconds = int(row["images"]), float(row["imbalance_time_s"])
        share = ranks / (ranks - 1) * seconds / (float(row["time_s"]) + seconds)
        percent = float(row["imbalance_percent"])
        assert 100 * share == pytest.approx(percent, abs=0.1), row["function"]


def test_bandwidth_of_the_overlap_table_is_both_directions_of_its_messages():
    both_directions = 2 * stated("000", "overlap_message_bytes")
    for row in published("000-4-2"):
        if (row["communication"], row["computation"]) == ("yes", "no"):
            rate = both_directions / (float(row["runtime_us"]) * 1e-6) / 1e9
            assert rate == pytest.approx(float(row["bandwidth_gb_s"]), rel=0.06)


def test_hidden_share_of_the_worst_case_is_its_rate_over_that_of_computing_alone():
    whole = stated("001", "all_hidden")
    assert whole == stated("001", "blocks") * stated("001", "one_gpu_320")
    share = stated("001", "worst_asynchronous_256") / whole
    assert share == pytest.approx(stated("001", "hidden_share"), abs=0.005)


def test_gain_of_the_worst_case_is_that_over_the_scheme_before():
    gain = stated("001", "worst_asynchronous_256") / stated("001", "worst_packinfo_256") - 1
    assert gain == pytest.approx(stated("001", "gain"), abs=0.02)


def test_stated_sizes_are_those_of_the_grids():
    edge = stated("000", "strong_scaling_cells_a_side")
    assert 2 * 8 * 19 * edge**3 == pytest.approx(stated("000", "strong_scaling_bytes"), rel=0.01)
    assert stated("004", "row_message") == 4 * 1024 * 3
    assert stated("004", "tile_message") == 4 * 256
    assert stated("004", "rows_1024_64") == pytest.approx(64 * 2 * 1024, rel=0.01)


def test_speed_ups_of_the_coursework_order_the_grids():
    gains = [float(row["speedup"]) for row in published("004-fig-2-5")]
    assert gains == sorted(gains)
    assert gains[-1] < stated("004", "speedup_of_larger_grid") < stated("004", "cores")
