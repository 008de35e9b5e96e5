#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>

#include "abi/kernel_abi.h"
#include "runtime/timers.hpp"

namespace halocline {

/// Whether something is done; a trial tells which is faster.
enum class Choice { never, always, trial };

/// Cache lines between the cells computed and those prefetched, of which a trial finds the best:
/// enough for the time that memory takes, few enough for a near cache to keep them of many rows.
/// Lines of 19 rows fill 32 KiB where 16 of each are ahead: an AMD EPYC is fastest with 5 to 8.
inline constexpr std::array<std::int32_t, 2> lines_ahead{16, 6};

/// How a kernel moves what it reads and writes, and who does it; what it computes is the same.
struct Variant {
    bool is_non_temporal = false;
    std::int32_t lines_ahead = 0;  ///< that it fetches; 0: none
    bool is_shared = true;         ///< by threads
    friend bool operator==(const Variant&, const Variant&) = default;
};

/// Finds the fastest variant of a kernel in its first calls, where the plan says that this is to be
/// tried. Some processors find many short rows too late by themselves, others lose by prefetches.
/// The best distance differs. What share of a large cache is ours is unknown, and so is whether
/// threads sleep between two kernels and wake slowly.
class Autotuner {
public:
    /// What has been decided already is not tried.
    Autotuner(Choice is_non_temporal, Choice prefetches, bool may_be_alone) {
        for (const bool stores : {true, false}) {
            if (!allows(is_non_temporal, stores)) continue;
            if (allows(prefetches, false)) variants_[count_++] = {stores, 0, true};
            if (!allows(prefetches, true)) continue;
            for (const std::int32_t lines : lines_ahead)
                variants_[count_++] = {stores, lines, true};
        }
        if (may_be_alone) variants_[count_++] = {false, 0, false};
        left_ = count_;
    }

    /// The variant of the next call.
    [[nodiscard]] Variant variant() const { return variants_[variant_]; }

    /// Notes what a call over so many cells took.
    void took(Timers::Ticks ticks, std::int64_t cells) {
        if (is_over()) return;
        ++calls_, ++all_calls_;
        shortest_ = calls_ == 1 ? ticks : std::min(shortest_, ticks);
        const bool is_long = shortest_ > long_call;
        // The first calls of a variant find in caches what another variant has left there. A call
        // that another program interrupts takes long, too; the shortest tells.
        if (is_long || calls_ > calls_before) {
            const double time = static_cast<double>(ticks) / static_cast<double>(cells);
            times_[variant_] = std::min(times_[variant_], time);
        }
        if (!is_long && calls_ < calls_each) return;
        calls_ = 0;
        if (variant_ = next(variant_ + 1); variant_ == count_) end_round();
    }

    /// How many calls have been trials.
    [[nodiscard]] std::int64_t calls() const { return all_calls_; }

    /// Whether it has been found.
    [[nodiscard]] bool is_over() const { return left_ == 1; }

private:
    static constexpr std::size_t most_variants = 2 * (1 + lines_ahead.size()) + 1;
    // A variant that has lost so many rounds more to another than it won is out. What other
    // programs leave of a memory changes by as much as variants differ, but less within a round.
    static constexpr int enough = 4, most_rounds = 16;
    static constexpr int calls_each = 5, calls_before = 2;
    // Some 4 ms: more than caches hold has been moved then, and one call tells enough.
    static constexpr Timers::Ticks long_call = 10'000'000;
    static constexpr double unknown = std::numeric_limits<double>::max();

    static bool allows(Choice choice, bool is_done) {
        return choice != (is_done ? Choice::never : Choice::always);
    }
    /// The first variant from a number on that is not out.
    [[nodiscard]] std::size_t next(std::size_t variant) const {
        while (variant < count_ && is_out_[variant]) ++variant;
        return variant;
    }

    /// Compares the times of a round, in which each variant that is left had its turn.
    void end_round() {
        for (std::size_t i = 0; i < count_; ++i) {
            for (std::size_t j = 0; j < count_; ++j)
                lost_[i][j] += times_[i] > times_[j] ? 1 : times_[i] < times_[j] ? -1 : 0;
        }
        ++round_;
        const std::size_t best = least_beaten();
        for (std::size_t i = 0; i < count_; ++i) {
            const bool is_beaten = std::ranges::max(lost_[i]) >= enough || round_ == most_rounds;
            if (is_out_[i] || i == best || !is_beaten) continue;
            is_out_[i] = true;
            --left_;
        }
        times_.fill(unknown);
        variant_ = next(0);
    }

    /// The variant that has lost the fewest rounds, on balance, to any other.
    [[nodiscard]] std::size_t least_beaten() const {
        std::array<int, most_variants> worst{};
        for (std::size_t i = 0; i < count_; ++i)
            worst[i] = is_out_[i] ? std::numeric_limits<int>::max() : std::ranges::max(lost_[i]);
        return static_cast<std::size_t>(std::min_element(worst.begin(), worst.begin() + count_) -
                                        worst.begin());
    }

    std::array<Variant, most_variants> variants_{};
    std::size_t count_ = 0, left_ = 0, variant_ = 0;
    std::array<bool, most_variants> is_out_{};
    int calls_ = 0, round_ = 0;
    std::int64_t all_calls_ = 0;
    Timers::Ticks shortest_ = 0;                     // of the calls in this turn
    std::array<double, most_variants> times_ = [] {  // ticks for a cell, in this round
        std::array<double, most_variants> none;
        none.fill(unknown);
        return none;
    }();
    std::array<std::array<int, most_variants>, most_variants> lost_{};  // rounds more than won
};

/// The autotuners of kernels. Runs of a kernel over about as many cells, in whatever program, share
/// one.
class Autotuners {
public:
    /// The autotuner of a kernel's runs over so many cells.
    Autotuner& of(halocline_kernel function, std::int64_t cells, Choice is_non_temporal,
                  Choice prefetches, bool may_be_alone) {
        const Key key{reinterpret_cast<std::uintptr_t>(function),
                      std::bit_width(static_cast<std::uint64_t>(cells)), is_non_temporal,
                      prefetches, may_be_alone};
        return autotuners_.try_emplace(key, is_non_temporal, prefetches, may_be_alone)
            .first->second;
    }

    /// How many calls have been trials.
    [[nodiscard]] std::int64_t calls() const {
        std::int64_t sum = 0;
        for (const auto& [key, autotuner] : autotuners_) sum += autotuner.calls();
        return sum;
    }

    void clear() { autotuners_.clear(); }

private:
    using Key = std::tuple<std::uintptr_t, int, Choice, Choice, bool>;
    std::map<Key, Autotuner> autotuners_;
};

}  // namespace halocline
