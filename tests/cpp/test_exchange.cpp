#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "runtime/runtime.hpp"

namespace halocline {
namespace {

constexpr std::int64_t nx = 8;
constexpr std::int64_t ny = 3;
constexpr std::int64_t nz = 2;
constexpr int slot = 0;

/// Two blocks side by side along a periodic x axis: both neighbours of a block are the other one.
class TwoPeriodicBlocks : public testing::TestWithParam<bool> {
protected:
    TwoPeriodicBlocks() : runtime_(1) {
        const int space = runtime_.add_space();
        for (const Box& block : blocks) runtime_.add_block(space, block);
        runtime_.add_field({"f", ElementType::float64, 1, {{2, 0, 0}, {1, 0, 0}}});
        for (int block = 0; block < 2; ++block) {
            for (std::int64_t x = 0; x < nx / 2; ++x) {
                for (std::int64_t y = 0; y < ny; ++y) {
                    for (std::int64_t z = 0; z < nz; ++z) {
                        at(block, x, y, z) = value(x + block * nx / 2, y, z);
                    }
                }
            }
        }
    }

    double& at(int block, std::int64_t x, std::int64_t y, std::int64_t z) {
        const halocline_field& view = runtime_.view(slot, block);
        return static_cast<double*>(view.data)[x + y * view.y + z * view.z];
    }

    static double value(std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<double>((x + nx) % nx + 10 * y + 100 * z);
    }

    /// Columns of all y and z: `width` from global x = `lower` of a block, and the other end.
    static plan::Part part(int block, std::int64_t lower, int other, std::int64_t other_lower,
                           std::int64_t width) {
        return {slot, slot, 0, block, {lower, 0, 0}, other, {other_lower, 0, 0}, {width, ny, nz}};
    }

    static plan::Copy copy(int source, std::int64_t from, int target, std::int64_t to,
                           std::int64_t width) {
        return {slot, slot, 0, source, {from, 0, 0}, target, {to, 0, 0}, {width, ny, nz}};
    }

    /// The halo of both blocks, as copies or as messages to this rank itself.
    static plan::Exchange exchange(bool with_messages) {
        if (!with_messages) {
            return {"f",
                    {},
                    {},
                    {copy(1, 6, 0, -2, 2), copy(0, 2, 1, 2, 2), copy(1, 4, 0, 4, 1),
                     copy(0, 0, 1, 8, 1)}};
        }
        constexpr auto kind = plan::TransportKind::two_sided;
        return {"f",
                {{0, 5, kind, {part(1, 6, 0, -2, 2), part(0, 2, 1, 2, 2)}},
                 {0, 6, kind, {part(1, 4, 0, 4, 1), part(0, 0, 1, 8, 1)}}},
                {{0, 6, kind, {part(0, 4, 1, 4, 1), part(1, 8, 0, 0, 1)}},
                 {0, 5, kind, {part(0, -2, 1, 6, 2), part(1, 2, 0, 2, 2)}}},
                {}};
    }

    static constexpr Box blocks[2] = {{{0, 0, 0}, {4, ny, nz}}, {{4, 0, 0}, {8, ny, nz}}};
    Runtime runtime_;
};

TEST_P(TwoPeriodicBlocks, get_every_halo_cell_from_its_owner) {
    const int number = runtime_.add_exchange(exchange(GetParam()));
    runtime_.set_program("prologue",
                         {{plan::Start{number}}, {plan::Poll{number}}, {plan::Wait{number}}});
    runtime_.execute("prologue");
    for (int block = 0; block < 2; ++block) {
        for (std::int64_t x = -2; x < 5; ++x) {
            for (std::int64_t y = 0; y < ny; ++y) {
                for (std::int64_t z = 0; z < nz; ++z) {
                    EXPECT_EQ(at(block, x, y, z), value(x + block * nx / 2, y, z))
                        << block << " " << x << " " << y << " " << z;
                }
            }
        }
    }
}

TEST_P(TwoPeriodicBlocks, get_what_another_field_has) {
    const int other = runtime_.add_field({"g", ElementType::float64, 1, {{2, 0, 0}, {1, 0, 0}}});
    plan::Exchange plan = exchange(GetParam());
    for (plan::Copy& copy : plan.copies) copy.target_slot = other;
    for (plan::Message& message : plan.sends) {
        for (plan::Part& part : message.parts) part.other_slot = other;
    }
    for (plan::Message& message : plan.receives) {
        for (plan::Part& part : message.parts) part.slot = other;
    }
    const int number = runtime_.add_exchange(plan);
    runtime_.set_program("prologue", {{plan::Start{number}}, {plan::Wait{number}}});
    runtime_.execute("prologue");
    const halocline_field& view = runtime_.view(other, 0);
    const double* values = static_cast<const double*>(view.data);
    EXPECT_EQ(values[-1], value(-1, 0, 0));
    EXPECT_EQ(values[4 + view.y], value(4, 1, 0));
    EXPECT_EQ(values[0], 0.0);
    EXPECT_TRUE(std::isnan(at(0, -1, 0, 0)));
}

INSTANTIATE_TEST_SUITE_P(CopiesAndMessages, TwoPeriodicBlocks, testing::Bool());

TEST_F(TwoPeriodicBlocks, exchange_the_current_buffer_after_a_swap) {
    const int other = runtime_.add_field({"g", ElementType::float64, 1, {{2, 0, 0}, {1, 0, 0}}});
    const int number = runtime_.add_exchange(exchange(false));
    runtime_.set_program("step",
                         {{plan::Swap{slot, other}}, {plan::Start{number}}, {plan::Wait{number}}});
    runtime_.advance({"step"}, 1);
    EXPECT_EQ(at(0, -1, 0, 0), 0.0);
    runtime_.advance({"step"}, 1);
    EXPECT_EQ(at(0, -1, 0, 0), value(-1, 0, 0));
}

TEST_F(TwoPeriodicBlocks, keep_to_the_field_that_was_started_whatever_is_swapped_meanwhile) {
    const int other = runtime_.add_field({"g", ElementType::float64, 1, {{2, 0, 0}, {1, 0, 0}}});
    plan::Exchange plan = exchange(true);
    const int number = runtime_.add_exchange(plan);
    runtime_.set_program("step",
                         {{plan::Start{number}}, {plan::Swap{slot, other}}, {plan::Wait{number}}});
    runtime_.advance({"step"}, 1);
    const halocline_field& view = runtime_.view(other, 0);
    EXPECT_EQ(static_cast<double*>(view.data)[-1], value(-1, 0, 0));
}

std::vector<std::int64_t> columns_run;
void note_column(const halocline_call* call) {
    columns_run.push_back(call->lower[0]);
}

TEST_F(TwoPeriodicBlocks, run_each_piece_once_after_its_messages) {
    const int number = runtime_.add_exchange(exchange(true));
    const int kernel = runtime_.add_kernel({"note", note_column, {slot}, {}});
    const auto piece = [&](std::int64_t x, std::vector<int> messages) {
        return plan::Piece{std::move(messages),
                           {kernel, "rim", {{0, {{x, 0, 0}, {x + 1, ny, nz}}}}}};
    };
    const plan::WaitAny wait{number, {piece(3, {0, 1}), piece(0, {1}), piece(1, {})}};
    runtime_.set_program("step", {{plan::Start{number}}, {wait}});
    columns_run.clear();
    runtime_.advance({"step"}, 2);
    EXPECT_EQ(columns_run, (std::vector<std::int64_t>{1, 3, 0, 1, 3, 0}));
    EXPECT_EQ(at(0, -1, 0, 0), value(-1, 0, 0));
    for (const Timer& timer : runtime_.timers()) {
        EXPECT_EQ(timer.count, timer.kind == "run" ? 6 : 2) << timer.kind;
    }
}

TEST_F(TwoPeriodicBlocks, refuse_a_piece_that_needs_an_unknown_message) {
    const int number = runtime_.add_exchange(exchange(true));
    const int kernel = runtime_.add_kernel({"note", note_column, {slot}, {}});
    const plan::WaitAny wait{number, {{{2}, {kernel, "rim", {}}}}};
    EXPECT_THROW(runtime_.set_program("step", {{wait}}), std::invalid_argument);
}

TEST_F(TwoPeriodicBlocks, refuse_a_part_outside_of_the_allocated_cells) {
    plan::Exchange bad = exchange(false);
    bad.copies.push_back(copy(0, 0, 1, 9, 1));
    EXPECT_THROW(runtime_.add_exchange(bad), std::invalid_argument);
}

TEST_F(TwoPeriodicBlocks, refuse_an_unknown_rank_and_a_send_without_receive) {
    plan::Exchange bad = exchange(true);
    bad.sends[0].rank = 1;
    EXPECT_THROW(runtime_.add_exchange(bad), std::invalid_argument);
    bad = exchange(true);
    bad.receives[0].tag = 7;
    EXPECT_THROW(runtime_.add_exchange(bad), std::invalid_argument);
}

TEST_F(TwoPeriodicBlocks, refuse_to_wait_for_what_was_not_started) {
    const int number = runtime_.add_exchange(exchange(false));
    runtime_.set_program("step", {{plan::Wait{number}}});
    EXPECT_THROW(runtime_.advance({"step"}, 1), std::logic_error);
}

TEST_F(TwoPeriodicBlocks, may_have_two_exchanges_in_flight) {
    const int first = runtime_.add_exchange(exchange(true));
    const int second = runtime_.add_exchange(exchange(true));
    runtime_.set_program(
        "step",
        {{plan::Start{first}}, {plan::Start{second}}, {plan::Wait{second}}, {plan::Wait{first}}});
    runtime_.advance({"step"}, 2);
    EXPECT_EQ(at(1, 4, 2, 1), value(0, 2, 1));
}

}  // namespace
}  // namespace halocline
