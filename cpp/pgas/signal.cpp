#include "pgas/signal.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace halocline::pgas {
namespace {

// Whoever is killed wakes nobody: sleepers look around that often.
constexpr long longest_sleep_ns = 100'000'000;

// A look takes some 10 ns; a futex that wakes another process some 10 us.
constexpr int spins_alone = 5000;
constexpr int yields_alone = 200;
constexpr int yields_together = 2000;

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
    return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void Signal::sleep_while(std::uint32_t number) {
    sleepers.fetch_add(1);
    if (value.load() == number) {
        const timespec longest{0, longest_sleep_ns};
        static_cast<void>(futex(value, FUTEX_WAIT, number, &longest));
    }
    sleepers.fetch_sub(1);
}

void Signal::wake() {
    static_cast<void>(futex(value, FUTEX_WAKE, INT_MAX, nullptr));
}

SpinPolicy SpinPolicy::of(int processes, int processors) {
    const bool are_alone = processes <= processors;
    return are_alone ? SpinPolicy{spins_alone, yields_alone}
                     : SpinPolicy{least_spins, yields_together};
}

void yield_processor() {
    static_cast<void>(sched_yield());
}

}  // namespace halocline::pgas
