#include "transport/backoff.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <limits>

#include "transport/link.hpp"

namespace halocline {
namespace {

constexpr int spins = 300;
constexpr int pauses_between_looks_at_the_clock = 256;
constexpr std::int64_t check_every_ns = 1000000000;
/// Sleeping shorter than this is not worth it: waking up takes some 50 microseconds.
constexpr std::int64_t shortest_sleep_ns = 200000;
constexpr std::int64_t wake_early_ns = 100000;
/// Messages to others may need this rank to make them progress.
constexpr std::int64_t longest_sleep_ns = 1000000;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void sleep_ns(std::int64_t ns) {
    const timespec time{0, ns};
    static_cast<void>(nanosleep(&time, nullptr));
}

}  // namespace

void Backoff::pause(std::int64_t due_ns) {
    ++pauses_;
    if (due_ns > 0 && due_ns < std::numeric_limits<std::int64_t>::max()) {
        const std::int64_t left = due_ns - now_ns();
        if (left > shortest_sleep_ns)
            return sleep_ns(std::min(left - wake_early_ns, longest_sleep_ns));
    }
    if (pauses_ < spins)
        relax();
    else
        static_cast<void>(sched_yield());
}

bool Backoff::is_long() {
    if (pauses_ % pauses_between_looks_at_the_clock != 0) return false;
    const std::int64_t now = now_ns();
    if (next_check_ns_ == 0) next_check_ns_ = now + check_every_ns;
    if (now < next_check_ns_) return false;
    next_check_ns_ = now + check_every_ns;
    return true;
}

}  // namespace halocline
