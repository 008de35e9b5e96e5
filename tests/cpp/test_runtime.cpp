#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/threads.hpp"
#include "runtime/runtime.hpp"

namespace halocline {
namespace {

/// Adds scalar 0 of its list to every cell of its first field.
void add_scalar_to_cells(const halocline_call* call) {
    const halocline_field& field = call->fields[0];
    for (std::int64_t z = call->lower[2]; z < call->upper[2]; ++z) {
        for (std::int64_t y = call->lower[1]; y < call->upper[1]; ++y) {
            for (std::int64_t x = call->lower[0]; x < call->upper[0]; ++x) {
                static_cast<double*>(field.data)[x + y * field.y + z * field.z] += call->scalars[0];
            }
        }
    }
}

void do_nothing(const halocline_call* /*call*/) {}

/// What the last call of `remember` was given.
halocline_call remembered;
void remember(const halocline_call* call) {
    remembered = *call;
}

class OneBlock : public testing::Test {
protected:
    OneBlock() : runtime_(2) {
        runtime_.add_block(runtime_.add_space(), block);
        a_ = runtime_.add_field({"a", ElementType::float64, 1, {{1, 1, 0}, {1, 1, 0}}});
        b_ = runtime_.add_field({"b", ElementType::float64, 1, {{1, 1, 0}, {1, 1, 0}}});
        one_ = runtime_.add_scalar(1.0);
        add_ = runtime_.add_kernel({"add", add_scalar_to_cells, {a_}, {one_}});
    }

    [[nodiscard]] plan::Operation run() const { return {plan::Run{add_, "add", {{0, block}}}}; }

    [[nodiscard]] double first(int slot) const {
        return *static_cast<const double*>(runtime_.view(slot, 0).data);
    }

    static constexpr Box block{{10, 20, 0}, {14, 24, 1}};
    Runtime runtime_;
    int a_;
    int b_;
    int one_;
    int add_;
};

TEST_F(OneBlock, loops_run_their_body_as_often_as_said) {
    const plan::Operation inner{plan::Loop{3, {run()}}};
    runtime_.set_program("step", {{plan::Loop{2, {inner, run()}}}, {plan::Loop{0, {run()}}}});
    runtime_.advance({"step"}, 5);
    EXPECT_EQ(first(a_), 5 * 2 * (3 + 1));
}

TEST_F(OneBlock, rounds_run_their_programs_one_after_the_other_from_a_phase_on) {
    std::vector<int> seen;
    std::vector<std::string> names;
    for (int program = 0; program < 3; ++program) {
        const int callback = runtime_.add_callback([&seen, program] { seen.push_back(program); });
        names.push_back("step " + std::to_string(program));
        runtime_.set_program(names.back(), {{plan::Call{callback}}});
    }
    runtime_.advance(names, 4, 2);
    EXPECT_EQ(seen, (std::vector<int>{2, 0, 1, 2}));
    EXPECT_EQ(runtime_.step(), 4);
    EXPECT_THROW(runtime_.advance({}, 1), std::invalid_argument);
    EXPECT_THROW(runtime_.advance(names, 1, -1), std::invalid_argument);
}

TEST_F(OneBlock, every_acts_at_the_end_of_each_interval) {
    std::vector<std::int64_t> steps;
    const int callback = runtime_.add_callback([&] { steps.push_back(runtime_.step()); });
    runtime_.set_program("step", {{plan::Every{3, {{plan::Call{callback}}}}}});
    runtime_.advance({"step"}, 7);
    EXPECT_EQ(steps, (std::vector<std::int64_t>{2, 5}));
    EXPECT_EQ(runtime_.step(), 7);
}

TEST_F(OneBlock, swap_exchanges_contents_and_twice_restores_them) {
    runtime_.set_program("prologue", {run(), {plan::Swap{a_, b_}}});
    runtime_.execute("prologue");
    EXPECT_EQ(first(a_), 0.0);
    EXPECT_EQ(first(b_), 1.0);
    EXPECT_EQ(runtime_.memory(b_, 0).get() != runtime_.memory(a_, 0).get(), true);
    runtime_.execute("prologue");
    EXPECT_EQ(first(a_), 1.0);
    EXPECT_EQ(first(b_), 1.0);
}

TEST_F(OneBlock, kernels_see_block_local_boxes_step_and_time) {
    const int kernel = runtime_.add_kernel({.name = "remember",
                                            .function = remember,
                                            .fields = {b_},
                                            .scalars = {step_scalar, time_scalar},
                                            .stream = Choice::always});
    runtime_.set_program("step", {{plan::Run{kernel, "rim", {{0, {{9, 20, 0}, {14, 21, 1}}}}}}});
    runtime_.set_dt(0.5);
    runtime_.set_step(6);
    runtime_.advance({"step"}, 2);
    EXPECT_EQ(remembered.lower[0], -1);
    EXPECT_EQ(remembered.upper[1], 1);
    EXPECT_EQ(remembered.origin[0], 10);
    EXPECT_EQ(remembered.scalars[0], 7.0);
    EXPECT_EQ(remembered.scalars[1], 3.5);
    EXPECT_EQ(remembered.fields[0].data, runtime_.view(b_, 0).data);
    EXPECT_EQ(remembered.stream, 1);
    EXPECT_EQ(remembered.threads, 1);
}

/// How a kernel was called.
Variant variant_of(const halocline_call& call) {
    return {call.stream == 1, call.fetch, call.threads > 1};
}

/// Takes the least time in one variant.
Variant fastest;
std::chrono::microseconds least_time{100};
void note_way(const halocline_call* call) {
    remembered = *call;
    const auto time = variant_of(*call) == fastest ? least_time : 3 * least_time;
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// The variants of so many calls, one after the other.
std::vector<Variant> variants_of(Runtime& runtime, Kernel kernel, const Box& box, int calls) {
    // With a field that goes all plans are forgotten, and what their kernels have tried.
    runtime.remove_field(runtime.add_field({"gone", ElementType::float64, 1, {}}));
    kernel.function = note_way;
    runtime.set_program("note",
                        {{plan::Run{runtime.add_kernel(std::move(kernel)), "all", {{0, box}}}}});
    std::vector<Variant> found;
    for (int call = 0; call < calls; ++call) {
        runtime.advance({"note"}, 1);
        found.push_back(variant_of(remembered));
    }
    return found;
}

TEST_F(OneBlock, kernels_run_as_the_plan_says_or_in_the_fastest_way_that_it_lets_them_try) {
    struct Case {
        Choice stream, fetch;
        std::vector<Variant> tried;
    };
    const auto [near, far] = std::minmax(lines_ahead[0], lines_ahead[1]);
    const auto variant = [](bool stores, std::int32_t lines) {
        return Variant{stores, lines, false};
    };
    const std::vector<Case> cases{
        {Choice::never, Choice::never, {variant(false, 0)}},
        {Choice::never,
         Choice::trial,
         {variant(false, 0), variant(false, near), variant(false, far)}},
        {Choice::always, Choice::always, {variant(true, near), variant(true, far)}},
        {Choice::trial, Choice::never, {variant(true, 0), variant(false, 0)}},
        {Choice::trial,
         Choice::trial,
         {variant(true, 0), variant(true, near), variant(true, far), variant(false, 0),
          variant(false, near), variant(false, far)}},
    };
    for (const Case& one : cases) {
        for (const Variant& best : one.tried) {
            fastest = best;
            const Kernel kernel{.name = "note",
                                .fields = {b_},
                                .scalars = {one_},
                                .stream = one.stream,
                                .fetch = one.fetch};
            const std::vector<Variant> found = variants_of(runtime_, kernel, block, 150);
            // Four rounds of five calls each where there is a choice.
            for (const Variant& other : one.tried) EXPECT_GE(std::ranges::count(found, other), 20);
            EXPECT_EQ(found.back(), best);
        }
    }
}

TEST_F(OneBlock, kernels_that_take_long_try_each_way_in_fewer_calls) {
    fastest = {false, lines_ahead[0], false};
    least_time = std::chrono::milliseconds(8);
    const Kernel kernel{.name = "note", .fields = {b_}, .scalars = {one_}, .fetch = Choice::trial};
    const std::vector<Variant> found = variants_of(runtime_, kernel, block, 20);
    least_time = std::chrono::microseconds(100);
    EXPECT_GE(std::ranges::count(found, Variant{false, 0, false}), 4);
    EXPECT_LT(std::ranges::count(found, Variant{false, 0, false}), 10);
    EXPECT_EQ(found.back(), fastest);
}

/// The variant that an autotuner finds if its calls take so many ticks a cell in each round.
Variant found_by(Autotuner& autotuner,
                 const std::function<Timers::Ticks(Variant, std::int64_t)>& ticks) {
    const std::int64_t cells = 100'000'000;
    for (std::int64_t round = 0; !autotuner.is_over(); ++round) {
        const Variant first = autotuner.variant();
        do {
            const Variant variant = autotuner.variant();
            autotuner.took(ticks(variant, round) * cells, cells);
        } while (!autotuner.is_over() && autotuner.variant() != first);
    }
    return autotuner.variant();
}

TEST(Autotuners, find_the_variant_that_wins_most_rounds_while_other_programs_use_the_memory) {
    for (const std::int32_t best : {0, lines_ahead[0], lines_ahead[1]}) {
        Autotuner autotuner(Choice::never, Choice::trial, false);
        // The memory slows down, and the worst variant has the quickest call of all.
        const auto ticks = [&](Variant variant, std::int64_t round) -> Timers::Ticks {
            if (round == 0 && variant.lines_ahead != best) return 10;
            return (variant.lines_ahead == best ? 100 : 120) * (round + 1);
        };
        EXPECT_EQ(found_by(autotuner, ticks).lines_ahead, best);
        EXPECT_EQ(autotuner.calls(), 18);  // the best one loses a round and wins five
    }
}

TEST(Autotuners, end_where_variants_are_equal) {
    Autotuner autotuner(Choice::trial, Choice::trial, false);
    found_by(autotuner, [](Variant, std::int64_t) { return 100; });
    EXPECT_EQ(autotuner.calls(), 16 * 6);
}

TEST_F(OneBlock, what_a_kernel_has_tried_serves_all_runs_over_about_as_many_cells) {
    fastest = {false, lines_ahead[0], false};
    const int kernel = runtime_.add_kernel({.name = "note",
                                            .function = note_way,
                                            .fields = {b_},
                                            .scalars = {one_},
                                            .fetch = Choice::trial});
    for (const char* const name : {"one", "other"})
        runtime_.set_program(name, {{plan::Run{kernel, "all", {{0, block}}}}});
    for (int call = 0; call < 250; ++call) runtime_.advance({"one"}, 1);
    const std::int64_t before = runtime_.trial_calls();
    EXPECT_GE(before, 60);
    EXPECT_LT(before, 250);
    runtime_.advance({"other"}, 1);
    EXPECT_EQ(runtime_.trial_calls(), before);
}

TEST_F(OneBlock, kernels_see_the_layers_of_their_inlined_kernels_in_cells_of_the_block) {
    const plan::Layers elsewhere{1, {{{0, 0, 0}, {1, 1, 1}}}};
    const plan::Layers here{0, {{{9, 20, 0}, {10, 24, 1}}, {}}};
    for (const bool is_fed : {false, true}) {
        std::vector<plan::Layers> layers{elsewhere};
        if (is_fed) layers.push_back(here);
        const int kernel = runtime_.add_kernel({"remember", remember, {b_}, {one_}, -1, layers});
        runtime_.set_program("step", {{plan::Run{kernel, "all", {{0, block}}}}});
        runtime_.advance({"step"}, 1);
        ASSERT_EQ(remembered.layers != nullptr, is_fed);
    }
    EXPECT_EQ(remembered.layers[0].lower[0], -1);
    EXPECT_EQ(remembered.layers[0].upper[1], 4);
    EXPECT_LE(remembered.layers[1].upper[0], remembered.layers[1].lower[0]);
}

TEST(Blocks, close_their_rows_only_if_they_go_all_around) {
    Runtime runtime(1);
    const int space = runtime.add_space();
    EXPECT_THROW(runtime.add_block(space, {{}, {4, 1, 1}}, 5), std::invalid_argument);
    runtime.add_block(space, {{}, {4, 1, 1}}, 4);
    const int a = runtime.add_field({"a", ElementType::float64, 1, {}});
    const int kernel = runtime.add_kernel({"remember", remember, {a}, {step_scalar}});
    runtime.set_program("step", {{plan::Run{kernel, "all", {{0, {{}, {4, 1, 1}}}}}}});
    runtime.advance({"step"}, 1);
    EXPECT_EQ(remembered.wrap, 4);
}

TEST(Blocks, are_stored_with_frames_of_their_own_or_not_at_all) {
    Runtime runtime(1);
    const int space = runtime.add_space();
    runtime.add_block(space, {{}, {3, 4, 1}});
    runtime.add_block(space, {{3, 0, 0}, {6, 4, 1}});
    runtime.add_block(space, {{6, 0, 0}, {9, 4, 1}});
    Field field{"a", ElementType::float64, 1};
    field.frames = {Frame{{1, 0, 0}, {2, 0, 0}, 64}, Frame{{}, {}, 8}, std::nullopt};
    const int a = runtime.add_field(field);
    EXPECT_EQ(runtime.bytes_stored(a, 0), 8 * (8 + 4 * 8));
    EXPECT_EQ(runtime.bytes_stored(a, 1), 8 * (4 * 3));
    EXPECT_EQ(runtime.bytes_stored(a, 2), 0);
    const int kernel = runtime.add_kernel({"remember", remember, {a}, {step_scalar}});
    const plan::Run beyond{kernel, "all", {{2, {{6, 0, 0}, {9, 4, 1}}}}};
    EXPECT_THROW(runtime.set_program("step", {{beyond}}), std::invalid_argument);
    field.frames.pop_back();
    EXPECT_THROW(runtime.add_field(field), std::invalid_argument);
}

TEST(Blocks, tell_kernels_where_they_lie_and_when_indices_begin_again) {
    Runtime runtime(1);
    runtime.add_block(runtime.add_space({4, 0, 0}), {{2, 0, 0}, {4, 1, 1}});
    const int a = runtime.add_field({"a", ElementType::float64, 1, {}});
    const int kernel = runtime.add_kernel({"remember", remember, {a}, {step_scalar}});
    runtime.set_program("step", {{plan::Run{kernel, "all", {{0, {{2, 0, 0}, {4, 1, 1}}}}}}});
    runtime.advance({"step"}, 1);
    EXPECT_EQ(remembered.origin[0], 2);
    EXPECT_EQ(remembered.period[0], 4);
    EXPECT_EQ(remembered.period[1], 0);
}

TEST(Threads, share_boxes_of_much_memory_and_of_some_if_that_is_faster) {
    const auto rows_of = [](std::int64_t bytes) { return bytes / (8 * 64); };
    const std::int64_t most = rows_of(shared_bytes);
    Runtime runtime(2);
    runtime.add_block(runtime.add_space(), {{}, {64, most, 1}});
    const int a = runtime.add_field({"a", ElementType::float64, 1, {}});
    const auto last_way = [&](std::int64_t rows) {
        return variants_of(runtime, {.name = "note", .fields = {a}, .scalars = {step_scalar}},
                           {{}, {64, rows, 1}}, 60)
            .back();
    };
    const Variant alone{false, 0, false}, shared{false, 0, true};
    for (const Variant& best : {alone, shared}) {
        fastest = best;
        EXPECT_EQ(last_way(rows_of(alone_bytes) - 1), alone);
        EXPECT_EQ(last_way(rows_of(alone_bytes)), best);
        EXPECT_EQ(last_way(most - 1), best);
        EXPECT_EQ(last_way(most), shared);
    }
}

TEST_F(OneBlock, poison_overwrites_the_named_cells_only) {
    runtime_.set_program("step", {{plan::Poison{a_, {0}, {{0, {{11, 20, 0}, {12, 21, 1}}}}}}});
    runtime_.advance({"step"}, 1);
    EXPECT_EQ(first(a_), 0.0);
    EXPECT_TRUE(std::isnan(static_cast<double*>(runtime_.view(a_, 0).data)[1]));
    EXPECT_EQ(static_cast<double*>(runtime_.view(a_, 0).data)[2], 0.0);
}

TEST_F(OneBlock, timers_count_operations_by_kind_and_label) {
    runtime_.set_program("step", {run(), run()});
    runtime_.advance({"step"}, 10);
    ASSERT_EQ(runtime_.timers().size(), 1U);
    EXPECT_EQ(runtime_.timers()[0].kind, "run");
    EXPECT_EQ(runtime_.timers()[0].label, "add");
    EXPECT_EQ(runtime_.timers()[0].count, 20);
    runtime_.reset_timers();
    EXPECT_EQ(runtime_.timers()[0].count, 0);
}

TEST_F(OneBlock, an_exception_of_a_callback_leaves_advance) {
    const int callback = runtime_.add_callback([] { throw std::out_of_range("mine"); });
    runtime_.set_program("step", {{plan::Call{callback}}});
    EXPECT_THROW(runtime_.advance({"step"}, 3), std::out_of_range);
    EXPECT_EQ(runtime_.step(), 0);
}

TEST_F(OneBlock, a_callback_cannot_advance_its_runtime) {
    const int callback = runtime_.add_callback([&] { runtime_.advance({"step"}, 1); });
    runtime_.set_program("step", {{plan::Call{callback}}});
    EXPECT_THROW(runtime_.advance({"step"}, 1), std::logic_error);
}

TEST_F(OneBlock, a_wrong_program_is_refused_with_the_place) {
    const auto message = [&](plan::Operation operation) -> std::string {
        try {
            runtime_.set_program("step", {run(), {plan::Loop{1, {std::move(operation)}}}});
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    const std::string place = "Program 'step', operation 1 (loop), operation 0 ";
    EXPECT_EQ(message({plan::Run{4, "x", {}}}),
              place + "(run): there is no kernel 4; there are 1.");
    EXPECT_EQ(message({plan::Run{add_, "x", {{0, {{0, 0, 0}, {1, 1, 1}}}}}}),
              place +
                  "(run): box [(0, 0, 0), (1, 1, 1)) of block 0 is outside of the cells "
                  "[(9, 19, 0), (15, 25, 1)) of field 'a'.");
    EXPECT_EQ(message({plan::Start{0}}), place + "(start): there is no exchange 0; there are 0.");
    EXPECT_EQ(message({plan::Every{0, {}}}), place + "(every): interval 0 is less than one step.");
    EXPECT_EQ(message({plan::Swap{0, 9}}),
              place + "(swap): there is no field in slot 9; there are 2.");
    EXPECT_EQ(message({plan::Reduce{plan::Reduction::sum, a_, 1, {}, 0}}),
              place + "(reduce): field 'a' has 1 components, got component 1.");
}

TEST_F(OneBlock, fields_of_different_layout_do_not_swap) {
    const int c = runtime_.add_field({"c", ElementType::float64, 1, {{1, 0, 0}, {1, 1, 0}}});
    EXPECT_THROW(runtime_.set_program("step", {{plan::Swap{a_, c}}}), std::invalid_argument);
}

// Tests are compiled without optimisation. A step that looked at all there is would take longer.
TEST_F(OneBlock, a_step_costs_less_than_ten_microseconds) {
    const int kernel = runtime_.add_kernel({"empty", do_nothing, {a_, b_}, {one_, 0}});
    const plan::Operation empty{plan::Run{kernel, "empty", {{0, block}}}};
    runtime_.set_program("step", {empty, {plan::Swap{a_, b_}}});
    constexpr int batches = 5;
    constexpr int steps = 100000;
    double least = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch < batches; ++batch) {
        const auto begin = std::chrono::steady_clock::now();
        runtime_.advance({"step"}, steps);
        const std::chrono::duration<double, std::nano> elapsed =
            std::chrono::steady_clock::now() - begin;
        least = std::min(least, elapsed.count() / steps);
    }
    std::cout << "empty step and swap: " << least << " ns\n";
    EXPECT_LT(least, 10000.0);
}

}  // namespace
}  // namespace halocline
