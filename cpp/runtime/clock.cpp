#include "runtime/clock.hpp"

namespace halocline {

void Clock::set() {
    state_.scalars[step_scalar] = static_cast<double>(state_.step);
    const double time = dt_scalar_ ? elapsed_ : static_cast<double>(state_.step) * dt_;
    state_.scalars[time_scalar] = time;
    for (const SeriesScalar& one : state_.series) {
        const auto slot = static_cast<std::size_t>(one.scalar);
        state_.scalars[slot] = place_of(one.series, time).value(0);
    }
}

void Clock::end_step() {
    if (dt_scalar_) elapsed_ += state_.number(*dt_scalar_);
    ++state_.step;
    set();
}

void Clock::set_dt(double dt) {
    dt_ = dt;
    set();
}

void Clock::set_dt_scalar(std::size_t scalar) {
    dt_scalar_ = scalar;
    set();
}

void Clock::set_elapsed(double time) {
    elapsed_ = time;
    set();
}

}  // namespace halocline
