#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/executor.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"
#include "runtime/timers.hpp"

namespace halocline {

/// The programs of the steps to come, which take turns.
struct Round {
    std::vector<Program*> programs;
    std::int64_t phase = 0;  ///< which one comes next, modulo their number

    [[nodiscard]] Program& program(std::int64_t step) const {
        return *programs[static_cast<std::size_t>(phase + step) % programs.size()];
    }
};

/// Some steps of a round done at once.
struct TemporalBlock {
    std::int64_t steps = 1;
    std::vector<plan::Pause> pauses;
    Program program;

    /// Whether none of its steps has a pause, if it begins with a step.
    [[nodiscard]] bool may_begin(std::int64_t step) const;
};

/// Goes through programs, times their operations and has them done. Not thread-safe.
struct TimeLoop {
    State& state;
    Parts& parts;
    Timers& timers;
    Executor& executor;
    Clock& clock;

    /// Does operations in order.
    void execute(Program& program) const;
};

}  // namespace halocline
