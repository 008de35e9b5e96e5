#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "runtime/device_run.hpp"
#include "runtime/program.hpp"
#include "runtime/spans.hpp"
#include "runtime/timers.hpp"

namespace halocline {
namespace {

/// Executes one operation; overloads for all kinds.
struct Executor {
    State& state;
    Parts& parts;
    Timers& timers;

    /// Does some work, and returns how long it took.
    template <typename Work>
    Timers::Ticks timed(std::size_t timer, const Work& work) const {
        const Timers::Ticks begin = Timers::now();
        work();
        const Timers::Ticks end = Timers::now();
        timers.record(timer, begin, end);
        return end - begin;
    }

    void operator()(program::Run& run) const {
        const Timers::Ticks ticks = timed(run.timer, [&] {
            for (std::size_t i = 0; i < run.scalars.size(); ++i) {
                run.scalar_arguments[i] = state.scalars[static_cast<std::size_t>(run.scalars[i])];
            }
            if (run.mask >= 0 && run.listed_version != state.mask_version) list_cells(run);
            if (state.mirror()) return run_on_device(state, run);
            const std::int32_t fetch = run.fetching.fetches() ? 1 : 0;
            for (program::Run::Piece& piece : run.pieces) {
                if (piece.is_other_block) {
                    for (std::size_t i = 0; i < run.fields.size(); ++i) {
                        run.field_arguments[i] = state.view(run.fields[i], piece.block);
                    }
                }
                piece.call.fetch = fetch;
                run.function(&piece.call);
            }
        });
        run.fetching.took(ticks);
    }

    /// Looks up in which cells of a mask a kernel runs.
    void list_cells(program::Run& run) const {
        state.to_host(run.mask, false);
        for (program::Run::Piece& piece : run.pieces) {
            const Box box{{piece.call.lower[0], piece.call.lower[1], piece.call.lower[2]},
                          {piece.call.upper[0], piece.call.upper[1], piece.call.upper[2]}};
            const ElementType type = state.field(run.mask).type;
            piece.spans = spans_of(state.view(run.mask, piece.block), type, box);
            piece.call.spans = piece.spans.data();
            piece.call.span_count = static_cast<std::int64_t>(piece.spans.size());
            piece.device_spans = nullptr;
        }
        run.listed_version = state.mask_version;
    }

    void operator()(const program::Start& start) const {
        timed(start.timer, [&] { parts.exchanges[start.exchange].start(state); });
    }
    void operator()(const program::Wait& wait) const {
        timed(wait.timer, [&] { parts.exchanges[wait.exchange].wait(state); });
    }
    void operator()(program::WaitAny& wait) const {
        Exchange& exchange = parts.exchanges[wait.exchange];
        for (program::WaitAny::Piece& piece : wait.pieces) piece.is_done = false;
        const Timers::Ticks begin = Timers::now();
        Timers::Ticks working = run_ready(wait, exchange);
        while (exchange.deliver_more(state)) working += run_ready(wait, exchange);
        exchange.finish();
        timers.record(wait.timer, begin + working, Timers::now());
    }
    /// Runs the pieces whose messages have been delivered; returns the time it took.
    Timers::Ticks run_ready(program::WaitAny& wait, const Exchange& exchange) const {
        const Timers::Ticks begin = Timers::now();
        for (program::WaitAny::Piece& piece : wait.pieces) {
            const auto is_there = [&](std::size_t i) { return exchange.is_delivered(i); };
            if (piece.is_done || !std::ranges::all_of(piece.messages, is_there)) continue;
            (*this)(piece.run);
            piece.is_done = true;
        }
        return Timers::now() - begin;
    }
    void operator()(const program::Poll& poll) const {
        timed(poll.timer, [&] { parts.exchanges[poll.exchange].poll(); });
    }

    void operator()(const program::Swap& swap) const {
        std::swap(state.held[swap.slot_a], state.held[swap.slot_b]);
    }

    void operator()(program::Loop& loop) const {
        for (std::int64_t i = 0; i < loop.count; ++i) execute(loop.body, state, parts, timers);
    }
    void operator()(program::Every& every) const {
        if ((state.step + 1) % every.interval == 0) execute(every.body, state, parts, timers);
    }

    void operator()(program::Reduce& reduce) const {
        timed(reduce.timer, [&] { state.scalars[reduce.scalar] = reduce.reducer.evaluate(state); });
    }

    void operator()(const program::Call& call) const {
        timed(call.timer, [&] { parts.callbacks[call.callback](); });
        ++state.mask_version;
    }

    void operator()(program::Poison& operation) const {
        timed(operation.timer, [&] {
            if (state.mirror()) return poison_on_device(state, operation);
            const ElementType type = state.field(operation.slot).type;
            for (const LocalBox& box : operation.boxes) {
                for (const int component : operation.components) {
                    poison(state.view(operation.slot, box.block), type, component, box.box);
                }
            }
        });
    }

    void operator()(const program::Check& check) const {
        timed(check.timer, [&] {
            const std::optional<NanCell> found = find_nan(state, check.slot, check.boxes);
            if (!found) return;
            throw NotFinite(state.field(check.slot).name, state.step, found->component,
                            found->cell);
        });
    }
};

}  // namespace

void execute(std::vector<program::Operation>& operations, State& state, Parts& parts,
             Timers& timers) {
    const Executor executor{state, parts, timers};
    for (program::Operation& operation : operations) std::visit(executor, operation.kind);
}

}  // namespace halocline
