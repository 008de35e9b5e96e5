#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/timers.hpp"

namespace halocline {

/// Whether a kernel fetches rows ahead.
enum class Fetch { never, always, trial };

/// Finds in the first calls of a kernel whether it is faster if it fetches rows ahead. Some
/// processors find many short rows too late by themselves, others lose a quarter of their speed by
/// being told. What is computed is the same.
class FetchTrial {
public:
    /// What has been decided already is not tried.
    explicit FetchTrial(Fetch fetch) : calls_(fetch == Fetch::trial ? 0 : last) {
        if (fetch == Fetch::always) least_[1] = 0;
    }

    /// Whether the next call is to fetch.
    [[nodiscard]] bool fetches() const {
        return calls_ == last ? least_[1] < least_[0] : calls_ % 2 == 1;
    }

    /// Notes what the call took.
    void took(Timers::Ticks ticks) {
        if (calls_ == last) return;
        Timers::Ticks& least = least_[fetches() ? 1 : 0];
        if (calls_ >= first) least = std::min(least, ticks);
        ++calls_;
    }

private:
    static constexpr int first = 2;          // calls before find nothing in caches
    static constexpr int last = first + 16;  // in turns, eight of each way

    int calls_;
    std::array<Timers::Ticks, 2> least_{std::numeric_limits<Timers::Ticks>::max(),
                                        std::numeric_limits<Timers::Ticks>::max()};
};

}  // namespace halocline
