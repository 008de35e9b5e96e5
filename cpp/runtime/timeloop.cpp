#include "runtime/timeloop.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "runtime/active_runs.hpp"

namespace halocline {
namespace {

/// Does one operation; overloads for all kinds.
struct Step {
    const TimeLoop& loop;
    State& state = loop.state;
    Executor& executor = loop.executor;

    /// Does some work, and returns how long it took.
    template <typename Work>
    Timers::Ticks timed(std::size_t timer, const Work& work) const {
        const Timers::Ticks begin = Timers::now();
        work();
        const Timers::Ticks end = Timers::now();
        loop.timers.record(timer, begin, end);
        return end - begin;
    }
    [[nodiscard]] Exchange& exchange(std::size_t number) const {
        return loop.parts.exchanges[number];
    }

    [[nodiscard]] Progress progress() const {
        return [&parts = loop.parts] {
            for (const std::size_t number : parts.under_way) parts.exchanges[number].poll();
        };
    }

    /// Gives a kernel the numbers, the active runs and the rows for what is recorded of now.
    void prepare(program::Run& run) const {
        if (run.points != nullptr)
            run.moment = begin(*run.points, state.step, state.scalars[time_scalar]);
        for (std::size_t i = 0; i < run.scalars.size(); ++i) {
            run.scalar_arguments[i] = state.number(static_cast<std::size_t>(run.scalars[i]));
        }
        if (run.mask >= 0 && run.listed_version != state.mask_version) list_cells(run);
    }

    void operator()(program::Run& run) const {
        const Timers::Ticks ticks = timed(run.timer, [&] {
            prepare(run);
            executor.run(run);
        });
        if (run.autotuner->is_over() && run.is_shared && run.autotuner->variant().is_shared)
            state.thread_count.took(ticks, run.least);
        run.autotuner->took(ticks, std::max<std::int64_t>(1, run.cells));
    }

    /// Looks up in which cells of a mask a kernel runs.
    void list_cells(program::Run& run) const {
        executor.to_host(state.holds(run.mask), false);
        for (program::Run::Piece& piece : run.pieces) {
            const Box box = cells_of(piece.call);
            const ElementType type = state.field(run.mask).type;
            const Tile tile{piece.call.tile[0], piece.call.tile[1]};
            piece.active_runs =
                active_runs_of(mask_on(run.mask, piece.block, box), type, box, tile);
            piece.call.active_runs = piece.active_runs.data();
            piece.call.active_run_count = static_cast<std::int64_t>(piece.active_runs.size());
            piece.kept.reset();
        }
        run.kept.reset();
        run.listed_version = state.mask_version;
    }

    /// A mask as seen from the cells of a box: the same all along axes that it lacks.
    [[nodiscard]] halocline_field mask_on(int slot, int block, const Box& box) const {
        halocline_field view = state.view(slot, block);
        const auto& storages = state.storages[state.holds(slot)];
        const Box& stored = storages[static_cast<std::size_t>(block)].layout().allocated;
        std::int64_t* const strides[] = {&view.x, &view.y, &view.z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // Of what has the axis, all cells that are looked at are stored.
            const bool is_stored =
                stored.lower[axis] <= box.lower[axis] && box.upper[axis] <= stored.upper[axis];
            if (!is_stored) *strides[axis] = 0;
        }
        return view;
    }

    void operator()(const program::Start& start) const {
        loop.parts.under_way.push_back(start.exchange);
        timed(start.timer, [&] { exchange(start.exchange).start(); });
    }
    void operator()(const program::Wait& wait) const {
        timed(wait.timer, [&] { exchange(wait.exchange).wait(progress()); });
        std::erase(loop.parts.under_way, wait.exchange);
    }
    void operator()(program::WaitAny& wait) const {
        Exchange& awaited = exchange(wait.exchange);
        for (program::WaitAny::Piece& piece : wait.pieces) piece.is_done = false;
        const Timers::Ticks begin = Timers::now();
        Timers::Ticks working = run_ready(wait, awaited);
        while (awaited.deliver_more(progress())) working += run_ready(wait, awaited);
        awaited.finish(progress());
        std::erase(loop.parts.under_way, wait.exchange);
        loop.timers.record(wait.timer, begin + working, Timers::now());
    }
    /// Runs the pieces whose messages have been delivered; returns the time it took.
    Timers::Ticks run_ready(program::WaitAny& wait, const Exchange& awaited) const {
        const Timers::Ticks begin = Timers::now();
        for (program::WaitAny::Piece& piece : wait.pieces) {
            const auto is_there = [&](std::size_t i) { return awaited.is_delivered(i); };
            if (piece.is_done || !std::ranges::all_of(piece.messages, is_there)) continue;
            (*this)(piece.run);
            piece.is_done = true;
        }
        return Timers::now() - begin;
    }
    /// Computes what the runs of each step are given, then has all of them done together.
    void operator()(program::Wavefront& wavefront) const {
        const Timers::Ticks ticks = timed(wavefront.timer, [&] {
            for (program::Operation& part : wavefront.parts) {
                if (auto* const run = std::get_if<program::Run>(&part.kind)) {
                    prepare(*run);
                } else {
                    std::visit(*this, part.kind);
                }
            }
            executor.run(wavefront);
        });
        state.thread_count.took(ticks, wavefront.least);
    }
    void operator()(const program::StepEnd& /*end*/) const { loop.clock.end_step(); }

    void operator()(const program::Poll& poll) const {
        timed(poll.timer, [&] { exchange(poll.exchange).poll(); });
    }

    void operator()(const program::Swap& swap) const {
        std::swap(state.held[swap.slot_a], state.held[swap.slot_b]);
    }

    void operator()(program::Loop& repeated) const {
        for (std::int64_t i = 0; i < repeated.count; ++i) loop.execute(repeated.body);
    }
    void operator()(program::Every& every) const {
        if ((state.step + 1) % every.interval == 0) loop.execute(every.body);
    }

    /// Does passes until one after which the condition holds.
    void operator()(program::Until& until) const {
        double& passes = state.scalars[until.passes];
        std::int64_t done = 0;
        do {
            loop.execute(until.body);
            passes = static_cast<double>(++done);
        } while (state.number(until.condition) == 0 && done < until.most);
        if (!until.must_hold || state.number(until.condition) != 0) return;
        loop.execute(until.before_error);
        throw Unmet(until.number, done, state.step);
    }
    void operator()(const program::Compute& compute) const {
        state.scalars[compute.scalar] = state.number(compute.value);
    }

    void operator()(program::Reduce& reduce) const {
        timed(reduce.timer, [&] {
            state.scalars[reduce.scalar] =
                combine(reduce.reduction, executor.reduce(reduce), *state.transport);
        });
    }

    void operator()(const program::Call& call) const {
        timed(call.timer, [&] { loop.parts.callbacks[call.callback](); });
        ++state.mask_version;
    }

    void operator()(program::Poison& poison) const {
        timed(poison.timer, [&] { executor.poison(poison); });
    }

    void operator()(program::Check& check) const {
        timed(check.timer, [&] {
            const Outlier found = first_of(executor.first_outlier(check), *state.transport);
            if (found.is_none()) return;
            const auto& [z, y, x, component] = found.place;
            throw OutOfLimits(state.field(check.slot).name, state.step, static_cast<int>(component),
                              {x, y, z}, found.value);
        });
    }
};

}  // namespace

bool TemporalBlock::may_begin(std::int64_t step) const {
    return std::ranges::none_of(pauses, [&](const plan::Pause& pause) {
        return (step + pause.offset + 1) % pause.interval == 0;
    });
}

void TimeLoop::execute(Program& program) const {
    const Step step{*this};
    for (program::Operation& operation : program) std::visit(step, operation.kind);
}

}  // namespace halocline
