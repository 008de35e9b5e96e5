#include "pgas/diagnosis.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "pgas/error.hpp"

namespace halocline::pgas {
namespace {

/// Reports of several images stay apart. Whoever has died with a report keeps the others for a
/// second only.
class ReporterLock {
public:
    ReporterLock(std::atomic<std::uint32_t>& reporter, int me) : reporter_(reporter) {
        constexpr int most_tries = 100;
        constexpr int pause_us = 10'000;
        const auto mine = static_cast<std::uint32_t>(me + 1);
        for (int i = 0; i < most_tries; ++i) {
            std::uint32_t nobody = 0;
            if (reporter_.compare_exchange_strong(nobody, mine)) return;
            static_cast<void>(usleep(pause_us));
        }
    }
    ReporterLock(const ReporterLock&) = delete;
    ReporterLock& operator=(const ReporterLock&) = delete;
    ~ReporterLock() { reporter_ = 0; }

private:
    std::atomic<std::uint32_t>& reporter_;
};

}  // namespace

double seconds_of(const char* name, const char* text) {
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    constexpr double most = 1e9;
    if (end != text && *end == '\0' && seconds > 0 && seconds < most) return seconds;
    throw JobError(std::string(name) + " is '" + text + "': expected a number of seconds above 0.");
}

Diagnosis Diagnosis::by_environment() {
    Diagnosis diagnosis;
    const char* said = std::getenv(diagnosis_variable);
    if (said != nullptr) diagnosis.after_s_ = seconds_of(diagnosis_variable, said);
    return diagnosis;
}

void Diagnosis::begin_wait() {
    if (after_s_ <= 0) return;
    began_ = Clock::now();
    is_reported_ = false;
}

void Diagnosis::look(Control& control, int me, int other) {
    if (after_s_ <= 0 || is_reported_) return;
    if (std::chrono::duration<double>(Clock::now() - began_).count() < after_s_) return;
    is_reported_ = true;
    const std::string whom = other < 0 ? "another image" : "image " + std::to_string(other + 1);
    const ReporterLock lock(control.reporter, me);
    static_cast<void>(std::fprintf(stderr, "Image %d has waited for %s for %g s%s\n", me + 1,
                                   whom.c_str(), after_s_, backtrace_ == nullptr ? "." : ":"));
    if (backtrace_ != nullptr) backtrace_();
}

}  // namespace halocline::pgas
