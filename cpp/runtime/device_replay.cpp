#include "runtime/device_replay.hpp"

#include <algorithm>
#include <string>

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

    [[nodiscard]] bool all(const Program& program) const {
        return std::ranges::all_of(
            program, [&](const auto& operation) { return std::visit(*this, operation.kind); });
    }

    bool operator()(const program::Run& run) const {
        const auto changes = [&](int scalar) { return state.changes(scalar); };
        return run.points == nullptr && run.filling == nullptr &&
               std::ranges::none_of(run.scalars, changes) &&
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
    bool operator()(const program::Until& /*until*/) const { return false; }
    bool operator()(const program::Compute& /*compute*/) const { return false; }
    bool operator()(const program::Reduce& /*reduce*/) const { return false; }
    bool operator()(const program::Call& /*call*/) const { return false; }
    bool operator()(const program::Poison& /*poison*/) const { return true; }
    bool operator()(const program::Check& /*check*/) const { return false; }
    bool operator()(const program::Wavefront& /*wavefront*/) const { return false; }
    bool operator()(const program::StepEnd& /*end*/) const { return false; }

    [[nodiscard]] bool is_local(std::size_t exchange) const {
        return !parts.exchanges[exchange].has_messages();
    }
};

}  // namespace

std::int64_t Replays::advance(const TimeLoop& loop, const Round& round, std::int64_t most) {
    if (most < length) return 0;
    Steps steps;
    for (std::int64_t i = 0; i < length; ++i) {
        steps.push_back(&round.program(i));
        if (!Launches{loop.state.step + i, loop.state, loop.parts}.all(*steps.back())) return 0;
    }
    replay(loop, steps);
    return length;
}

void Replays::replay(const TimeLoop& loop, const Steps& steps) {
    State& state = loop.state;
    const auto execute = [&] {
        for (Program* program : steps) loop.execute(*program);
    };
    forget_what_changed(steps, state);
    const auto [found, is_new] = known_.try_emplace({steps, state.held});
    Known& known = found->second;
    if (is_new) {
        // Brings everything to the device that a recording must find there.
        mirror_.begin_notes();
        execute();
        known.uses = mirror_.take_notes();
        return;
    }
    for (const Mirror::Use& use : known.uses) mirror_.to_device(use.storage, use.will_write);
    const Timers::Ticks begin = Timers::now();
    if (!known.recording) {
        mirror_.device().begin_recording();
        execute();
        known.recording = mirror_.device().end_recording();
        known.held = state.held;
    }
    state.held = known.held;
    mirror_.device().replay(known.recording);
    const std::size_t timer = loop.timers.add("replay", std::to_string(length) + " steps");
    loop.timers.record(timer, begin, Timers::now());
}

void Replays::forget_what_changed(const Steps& steps, const State& state) {
    // The number of the step, the time and series change, but nothing that is recorded reads them.
    std::vector<double> scalars = state.scalars;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        if (state.changes(static_cast<int>(i))) scalars[i] = 0;
    }
    const bool is_masked = std::ranges::any_of(
        steps, [](const Program* program) { return std::ranges::any_of(*program, has_masks); });
    const std::int64_t version = is_masked ? state.mask_version : 0;
    if (scalars == scalars_ && version == mask_version_) return;
    clear();
    scalars_ = std::move(scalars);
    mask_version_ = version;
}

}  // namespace halocline
