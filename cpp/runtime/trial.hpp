#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/timers.hpp"

namespace halocline {

/// Whether something is done; a trial tells which is faster.
enum class Choice { never, always, trial };

/// How a kernel moves what it reads and writes; what it computes is the same.
struct Way {
    bool stores_past_caches = false;
    bool fetches_ahead = false;
    friend bool operator==(const Way&, const Way&) = default;
};

/// Finds in the first calls of a kernel the way in which it is fastest, where the plan says that
/// this is to be tried. Some processors find many short rows too late by themselves, others lose a
/// quarter of their speed by being told; and how much of a large cache is ours nobody knows.
class Trial {
public:
    /// What has been decided already is not tried. Who stores in caches need not fetch ahead.
    Trial(Choice stores_past_caches, Choice fetches_ahead) {
        const bool stores = stores_past_caches != Choice::never;
        if (fetches_ahead != Choice::always) ways_[count_++] = {stores, false};
        if (fetches_ahead != Choice::never) ways_[count_++] = {stores, true};
        if (stores_past_caches == Choice::trial) ways_[count_++] = {false, false};
    }

    /// How the next call is to be done.
    [[nodiscard]] Way way() const {
        if (is_over()) return ways_[best()];
        return ways_[static_cast<std::size_t>(calls_ / calls_each) % count_];
    }

    /// Notes what the call took.
    void took(Timers::Ticks ticks) {
        if (is_over()) return;
        // The first calls of a way find in caches what another way has left there.
        if (calls_ % calls_each >= calls_before) {
            Timers::Ticks& least = least_[static_cast<std::size_t>(calls_ / calls_each) % count_];
            least = std::min(least, ticks);
        }
        ++calls_;
    }

    /// Whether it has been found.
    [[nodiscard]] bool is_over() const {
        return count_ == 1 || calls_ == turns * calls_each * static_cast<std::int64_t>(count_);
    }

private:
    static constexpr std::int64_t calls_each = 5, calls_before = 2, turns = 2;

    [[nodiscard]] std::size_t best() const {
        return static_cast<std::size_t>(std::ranges::min_element(least_) - least_.begin());
    }

    std::array<Way, 3> ways_{};
    std::size_t count_ = 0;
    std::int64_t calls_ = 0;
    std::array<Timers::Ticks, 3> least_{most, most, most};
    static constexpr Timers::Ticks most = std::numeric_limits<Timers::Ticks>::max();
};

}  // namespace halocline
