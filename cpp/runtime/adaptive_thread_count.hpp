#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/timers.hpp"

namespace halocline {

/// Decides how many of its threads a process uses, from how long they take.
///
/// Threads that share a loop wait for the last of them. Where another program wants a core, two
/// threads take as long as the slower one, and longer than one thread alone that nobody disturbs.
/// So other numbers are tried: as soon as work takes much longer than before, and now and then,
/// since the other program may have been there first, or may have gone. The faster number stays.
class AdaptiveThreadCount {
public:
    using Ticks = Timers::Ticks;
    /// Work that has never been done by all threads.
    static constexpr Ticks unknown = ~Ticks{0};

    explicit AdaptiveThreadCount(int threads) : all_(threads), threads_(threads) {}

    /// How many threads are to share the next work.
    [[nodiscard]] int threads() const { return threads_; }

    /// Notes how long work took that threads share. `least`: how long the same work took with all
    /// threads, at the least; whoever has the work keeps that.
    void took(Ticks ticks, Ticks& least) {
        if (all_ == 1) return;
        if (threads_ == all_) least = std::min(least, ticks);
        if (least == unknown) return;
        taken_ += ticks;
        expected_ += least;
        if (taken_ < window) return;
        decide(static_cast<double>(expected_) / static_cast<double>(taken_));
        taken_ = expected_ = 0;
    }

private:
    // Some 20 ms: several of the slices into which systems cut the time of a core.
    static constexpr Ticks window = 50'000'000;
    // Windows until another number is tried; twice as many each time that it was in vain. Fewer
    // threads than are useful cost more than more of them.
    static constexpr int soonest = 4, latest_rise = 64, latest_fall = 256;
    // Part of the rate before below which other programs are suspected; how much faster fewer
    // threads must be; and the part of what more threads could give that they must.
    static constexpr double suspicious = 0.7, faster = 1.15, enough = 0.15;

    /// Looks at a window, in which the rate was so many parts of the greatest.
    void decide(double rate) {
        if (is_trying_) {
            is_trying_ = false;
            const bool has_gained = rate > before_ * needed();
            if (!has_gained) threads_ -= step_;
            const int latest = step_ < 0 ? latest_fall : latest_rise;
            pause_ = has_gained ? soonest : std::min(2 * pause_, latest);
            // A larger step than one that was in vain may not be; after the largest, the smallest.
            distance_ = has_gained || 2 * distance_ >= all_ ? 1 : 2 * distance_;
            wait_ = has_gained && step_ < 0 ? 0 : pause_;
            if (has_gained) before_ = rate;
        } else {
            const bool is_slower = rate < suspicious * before_;
            if (is_slower) distance_ = 1;
            if (is_slower || --wait_ <= 0) try_another(rate, is_slower);
        }
    }
    /// How many times as fast the number of threads that is tried must be.
    [[nodiscard]] double needed() const {
        if (step_ < 0) return faster;
        return 1 + enough * step_ / (threads_ - step_);
    }
    void try_another(double rate, bool is_slower) {
        const bool may_fall = threads_ > 1, may_rise = threads_ < all_;
        // What was in vain comes after what was not, and slower work after its cause.
        const bool falls = may_fall && (!may_rise || step_ > 0 || is_slower);
        step_ = falls ? -std::min(distance_, threads_ - 1) : std::min(distance_, all_ - threads_);
        threads_ += step_;
        before_ = rate;
        is_trying_ = true;
    }

    int all_, threads_;
    Ticks taken_ = 0, expected_ = 0;
    int step_ = 1, distance_ = 1, wait_ = soonest, pause_ = soonest;
    double before_ = 0;  // the rate of the last window before a trial, or of the trial if it stayed
    bool is_trying_ = false;
};

}  // namespace halocline
