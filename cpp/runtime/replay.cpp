#include "runtime/replay.hpp"

#include <algorithm>

#include "runtime/runtime.hpp"
#include "runtime/timers.hpp"

namespace halocline {
namespace {

bool has_masks(const program::Operation& operation) {
    const auto* run = std::get_if<program::Run>(&operation.kind);
    const auto* loop = std::get_if<program::Loop>(&operation.kind);
    return (run != nullptr && run->mask >= 0) ||
           (loop != nullptr && std::ranges::any_of(loop->body, has_masks));
}

/// Whether an operation only launches, with arguments that stay the same.
struct Launches {
    std::int64_t step;
    const State& state;
    const Parts& parts;

    [[nodiscard]] bool all(const std::vector<program::Operation>& operations) const {
        return std::ranges::all_of(
            operations, [&](const auto& operation) { return std::visit(*this, operation.kind); });
    }

    bool operator()(const program::Run& run) const {
        const auto changes = [](int scalar) {
            return scalar == step_scalar || scalar == time_scalar;
        };
        return std::ranges::none_of(run.scalars, changes) &&
               (run.mask < 0 || run.listed_version == state.mask_version);
    }
    bool operator()(const program::Start& start) const { return is_local(start.exchange); }
    bool operator()(const program::Wait& wait) const { return is_local(wait.exchange); }
    bool operator()(const program::WaitAny& wait) const {
        return is_local(wait.exchange) && wait.pieces.empty();
    }
    bool operator()(const program::Poll& poll) const { return is_local(poll.exchange); }
    bool operator()(const program::Swap& /*swap*/) const { return true; }
    bool operator()(const program::Loop& loop) const { return all(loop.body); }
    bool operator()(const program::Every& every) const { return (step + 1) % every.interval != 0; }
    bool operator()(const program::Reduce& /*reduce*/) const { return false; }
    bool operator()(const program::Call& /*call*/) const { return false; }
    bool operator()(const program::Poison& /*poison*/) const { return true; }
    bool operator()(const program::Check& /*check*/) const { return false; }

    [[nodiscard]] bool is_local(std::size_t exchange) const {
        return !parts.exchanges[exchange].has_messages();
    }
};

}  // namespace

bool Replays::can_replay(const Steps& steps, std::int64_t step, const State& state,
                         const Parts& parts) {
    return std::ranges::all_of(steps, [&](const auto* operations) {
        return Launches{step++, state, parts}.all(*operations);
    });
}

void Replays::advance(const Steps& steps, State& state, Parts& parts) {
    forget_what_changed(steps, state);
    const auto [found, is_new] = known_.try_emplace({steps, state.held});
    Known& known = found->second;
    Mirror& mirror = *state.mirror();
    if (is_new) {
        // Brings everything to the device that a recording must find there.
        mirror.begin_notes();
        run(steps, state, parts);
        known.uses = mirror.take_notes();
        return;
    }
    for (const Mirror::Use& use : known.uses) mirror.to_device(use.storage, use.will_write);
    const Timers::Ticks begin = Timers::now();
    if (!known.recording) {
        mirror.device().begin_recording();
        run(steps, state, parts);
        known.recording = mirror.device().end_recording();
        known.held = state.held;
    }
    state.held = known.held;
    mirror.device().replay(known.recording);
    timers_.record(timers_.add("replay", std::to_string(length) + " steps"), begin, Timers::now());
}

void Replays::run(const Steps& steps, State& state, Parts& parts) const {
    for (std::vector<program::Operation>* operations : steps) {
        execute(*operations, state, parts, timers_);
    }
}

void Replays::forget_what_changed(const Steps& steps, const State& state) {
    // The number of the step and the time change, but nothing that is recorded reads them.
    std::vector<double> scalars(state.scalars.begin() + time_scalar + 1, state.scalars.end());
    const bool is_masked = std::ranges::any_of(
        steps, [](const auto* operations) { return std::ranges::any_of(*operations, has_masks); });
    const std::int64_t version = is_masked ? state.mask_version : 0;
    if (scalars == scalars_ && version == mask_version_) return;
    clear();
    scalars_ = std::move(scalars);
    mask_version_ = version;
}

}  // namespace halocline
