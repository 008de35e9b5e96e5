#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace halocline {

/// Count and time of the operations with one kind and label.
struct Timer {
    std::string label;
    std::string kind;
    std::int64_t count = 0;
    double seconds = 0;
};

/// Times operations with two cheap reads of a counter each.
class Timers {
public:
    using Ticks = std::uint64_t;

    /// A reading of the counter; only differences mean something.
    [[nodiscard]] static Ticks now() {
#if defined(__x86_64__)
        // Half the cost of steady_clock; its rate is measured against that clock when asked.
        return __rdtsc();
#else
        return static_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
    }

    /// The position of the timer with this kind and label, which is made if missing.
    [[nodiscard]] std::size_t add(const std::string& kind, const std::string& label);

    void record(std::size_t timer, Ticks begin, Ticks end) {
        Entry& entry = entries_[timer];
        ++entry.count;
        entry.ticks += end - begin;
    }

    /// How long a tick is, as far as can be told since the beginning [s].
    [[nodiscard]] double seconds_per_tick() const;
    /// All timers in the order of the program.
    [[nodiscard]] std::vector<Timer> read() const;
    /// Sets counts and times to zero.
    void reset();

private:
    struct Entry {
        std::string label;
        std::string kind;
        std::int64_t count = 0;
        Ticks ticks = 0;
    };

    std::vector<Entry> entries_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    Ticks begin_ticks_ = now();
};

}  // namespace halocline
