#pragma once

#include <cstddef>
#include <optional>

#include "runtime/state.hpp"

namespace halocline {

/// Keeps the scalars of a state that are the step, the time, or follow from it.
class Clock {
public:
    explicit Clock(State& state) : state_(state) {}

    /// Gives these scalars their values of now.
    void set();
    /// Goes on to the next step.
    void end_step();

    /// The time is the number of the step times this.
    void set_dt(double dt);
    /// At the end of each step, a scalar is added to the time.
    void set_dt_scalar(std::size_t scalar);
    /// The time, where a scalar is added to it.
    void set_elapsed(double time);

private:
    State& state_;
    double dt_ = 0;
    std::optional<std::size_t> dt_scalar_;
    double elapsed_ = 0;  // where that is added to it
};

}  // namespace halocline
