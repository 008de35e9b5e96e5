#pragma once

#include <chrono>

#include "pgas/control.hpp"

namespace halocline::pgas {

/// The environment variable that says after how many seconds of waiting an image reports it.
inline constexpr const char* diagnosis_variable = "HALOCLINE_DIAGNOSE";

/// Seconds as a user writes them. Throws JobError, which names what has said it, for others.
[[nodiscard]] double seconds_of(const char* name, const char* text);

/// Reports waits that are longer than the user has said: where images wait for each other without
/// end it shows which, and in which lines.
class Diagnosis {
public:
    /// As the environment says; without it nothing is reported.
    [[nodiscard]] static Diagnosis by_environment();

    /// What prints the lines in which this process is; null: nothing does.
    void set_backtrace(void (*backtrace)()) { backtrace_ = backtrace; }
    /// From now on nothing is reported.
    void end() { after_s_ = 0; }

    void begin_wait();
    /// Reports a wait that is too long, once: of an image for another one, from 0, or (negative)
    /// for any other.
    void look(Control& control, int me, int other);

private:
    using Clock = std::chrono::steady_clock;

    double after_s_ = 0;
    Clock::time_point began_;
    bool is_reported_ = false;
    void (*backtrace_)() = nullptr;
};

}  // namespace halocline::pgas
