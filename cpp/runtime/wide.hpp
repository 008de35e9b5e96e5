#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace halocline {

/// Loops over doubles in the widest vectors that the processor at hand has. They give the same bits
/// on every processor.

/// The largest of the values' bits without their signs, which are those of the largest magnitude;
/// if there is a NaN, they are more than those of infinity.
[[nodiscard]] std::uint64_t largest_magnitude(std::span<const double> values);

/// What two folds have made of values.
struct Folded {
    std::int64_t high;  ///< sum of the parts of the first, in its unit
    std::int64_t low;   ///< likewise of the second
    bool fits;          ///< whether every value was small enough; if not, nothing else is right
    bool is_all;        ///< whether nothing is left
};

/// Rounds each value to the unit of the last bit of `high`, what is left to that of `low`. Both are
/// 1.5 times powers of two, 2^52 units apart; values below a third of `high` fit, up to 2^11 of
/// them. Adding `high` then changes no more than the last 52 bits of its representation, so their
/// difference is the part in units, and integers that are added are exact in any order.
[[nodiscard]] Folded fold(std::span<const double> values, double high, double low);

/// What is made of the sums of 'fold' over so many values: see there.
[[nodiscard]] Folded folded(std::uint64_t high_sum, std::uint64_t low_sum, std::uint64_t changed,
                            std::uint64_t lost, std::uint64_t count, double high, double low);

/// Puts what two folds leave of values into `rest`, which may be `values`.
void leave(std::span<const double> values, std::span<double> rest, double high, double low);

/// Doubles as integers in the same order: those of NaN lie beyond those of the infinities.
[[nodiscard]] constexpr std::int64_t rank_of(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits ^ ((bits >> 63) & INT64_MAX);
}
[[nodiscard]] constexpr double of_rank(std::int64_t rank) {
    return std::bit_cast<double>(rank ^ ((rank >> 63) & INT64_MAX));
}

/// The ranks of the least and the greatest value; infinities if there are none.
struct Extremes {
    std::int64_t least = rank_of(std::numeric_limits<double>::infinity());
    std::int64_t greatest = rank_of(-std::numeric_limits<double>::infinity());

    void take(std::span<const double> values);
    [[nodiscard]] bool has_nan() const;
};

}  // namespace halocline
