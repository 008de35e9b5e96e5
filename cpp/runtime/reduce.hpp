#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/plan.hpp"
#include "runtime/superaccumulator.hpp"
#include "runtime/wide.hpp"
#include "transport/transport.hpp"

namespace halocline {

/// What has been found of some values: their exact sum, or their extremes.
struct alignas(64) Partial {
    Superaccumulator sum = {};
    Extremes extremes = {};

    /// Takes in what has been found of others.
    void add(const Partial& other);
};

/// Combines what all ranks have found; every rank must call this and gets the same value.
///
/// The result has the same bits for any division into boxes, threads and ranks. A NaN anywhere
/// makes the result NaN; without cells the result is 0 or an infinity.
[[nodiscard]] double combine(plan::Reduction reduction, Partial&& partial, Transport& transport);

/// A value outside of limits, or one that is not a number.
struct Outlier {
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

    /// Where: z, y, x, component; global cells. Nowhere if there is none.
    std::array<std::int64_t, 4> place{nowhere, 0, 0, 0};
    double value = 0;

    [[nodiscard]] bool is_none() const { return place[0] == nowhere; }
    [[nodiscard]] bool operator<(const Outlier& other) const { return place < other.place; }
};

/// The first of those that the ranks have found; every rank must call this and gets the same one.
[[nodiscard]] Outlier first_of(const Outlier& mine, Transport& transport);

}  // namespace halocline
