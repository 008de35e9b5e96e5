#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/wide.hpp"

namespace halocline {

/// The exact sum of any number of doubles, rounded once at the end.
///
/// Every finite double is an integer multiple of 2^-1074. The sum of such integers is kept in
/// overlapping pieces ("chunks") of weight 2^(32 i), whose spare high bits delay carries. Adding
/// integers is associative, so neither the order nor a split among threads and ranks changes the
/// result. Source: the idea of Neal 2015, "Fast exact summation using small and large
/// superaccumulators".
class Superaccumulator {
public:
    /// 2098 bits of doubles need 66 chunks; one more holds what 2^63 values can carry.
    static constexpr std::size_t chunks = 67;
    /// Chunks, then how many NaN, +infinity and -infinity were added.
    static constexpr std::size_t words = chunks + 3;

    /// Adds one value.
    void add(double value);
    /// Adds all values.
    void add(std::span<const double> values);
    /// Adds all values, which have been folded with `high` and `low` of some accumulator.
    void add(std::span<const double> values, const Folded& folded, double high);
    /// What values are best folded with at the moment: `high`, and `low` from that; see `fold`.
    [[nodiscard]] double high() const;
    [[nodiscard]] static double low_of(double high);
    /// Adds the words of a sum whose last carry may be long ago.
    void add_words(std::span<const std::int64_t, words> other);
    /// Adds another sum.
    void add(const Superaccumulator& other);

    /// The state as integers that may be added to those of other ranks (up to 2^30 of them).
    [[nodiscard]] std::span<std::int64_t, words> normalized();
    /// The sum, rounded to nearest, ties to even; NaN and infinities as IEEE addition has them.
    [[nodiscard]] double round();

private:
    void add_folded(std::span<const double> values);
    /// Adds a number of units of 2^exponent.
    void add_units(std::int64_t count, int exponent);
    void carry();

    std::array<std::int64_t, words> words_{};
    int pending_ = 0;  // additions since the last carry
    int window_ = 0;   // where values are first summed in vectors: below 2^window
};

}  // namespace halocline
