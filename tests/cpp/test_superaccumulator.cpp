#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "runtime/superaccumulator.hpp"

namespace halocline {
namespace {

double exact_sum(std::span<const double> values) {
    Superaccumulator sum;
    sum.add(values);
    return sum.round();
}

/// The same through single additions, which use no shortcut for runs of values.
double one_by_one(const std::vector<double>& values) {
    Superaccumulator sum;
    for (const double value : values) sum.add(value);
    return sum.round();
}

std::vector<double> random_values(std::size_t count, int exponents, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-exponents, exponents);
    std::vector<double> values(count);
    for (double& value : values) value = std::ldexp(mantissa(random), exponent(random));
    return values;
}

TEST(Superaccumulator, keeps_what_cancellation_would_lose) {
    EXPECT_EQ(exact_sum(std::vector{1e300, 1.0, -1e300}), 1.0);
    EXPECT_EQ(exact_sum(std::vector{1.0, 1e100, 1.0, -1e100}), 2.0);
    EXPECT_EQ(exact_sum(std::vector{1e308, 1e308, -1e308, -1e308, 5e-324}), 5e-324);
}

TEST(Superaccumulator, sums_denormals_exactly) {
    constexpr double smallest = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(exact_sum(std::vector<double>(1000, smallest)), 1000 * smallest);
    EXPECT_EQ(exact_sum(std::vector{0x1p-1022, -smallest}), 0x1p-1022 - smallest);
}

TEST(Superaccumulator, rounds_to_nearest_and_ties_to_even) {
    EXPECT_EQ(exact_sum(std::vector{1.0, 0x1p-53}), 1.0);
    EXPECT_EQ(exact_sum(std::vector{1.0, 0x1p-53, 0x1p-1074}), 1.0 + 0x1p-52);
    EXPECT_EQ(exact_sum(std::vector{1.0 + 0x1p-52, 0x1p-53}), 1.0 + 0x1p-51);
    EXPECT_EQ(exact_sum(std::vector{-1.0, -0x1p-53, -0x1p-1074}), -1.0 - 0x1p-52);
    EXPECT_EQ(exact_sum(std::vector{2.0 - 0x1p-52, 0x1p-53}), 2.0);
}

TEST(Superaccumulator, overflows_only_if_the_sum_does) {
    constexpr double largest = std::numeric_limits<double>::max();
    EXPECT_EQ(exact_sum(std::vector{largest, largest, -largest}), largest);
    EXPECT_EQ(exact_sum(std::vector{largest, largest}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(exact_sum(std::vector{-largest, -largest}), -std::numeric_limits<double>::infinity());
}

TEST(Superaccumulator, treats_infinities_and_nan_as_addition_does) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(exact_sum(std::vector{1.0, infinity}), infinity);
    EXPECT_EQ(exact_sum(std::vector{1.0, -infinity}), -infinity);
    EXPECT_TRUE(std::isnan(exact_sum(std::vector{infinity, -infinity})));
    EXPECT_TRUE(std::isnan(exact_sum(std::vector{1.0, std::nan(""), 2.0})));
}

TEST(Superaccumulator, of_nothing_or_of_zeros_is_zero) {
    EXPECT_EQ(exact_sum({}), 0.0);
    EXPECT_EQ(exact_sum(std::vector{-0.0, 0.0}), 0.0);
}

TEST(Superaccumulator, agrees_with_128_bit_integers) {
    // Multiples of 2^-30 below 2^33: 63 bits, so sums of thousands fit 128-bit integers.
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        __extension__ __int128 total = 0;
        std::vector<double> values;
        for (int i = 0; i < 3000; ++i) {
            const int shift = static_cast<int>(random() % 11);
            const auto integer = static_cast<std::int64_t>(random() >> 11) * (i % 2 == 0 ? 1 : -1);
            values.push_back(std::ldexp(static_cast<double>(integer), shift - 30));
            total += static_cast<decltype(total)>(integer) << shift;
        }
        // The conversion of __int128 to double rounds to nearest, ties to even.
        EXPECT_EQ(exact_sum(values), std::ldexp(static_cast<double>(total), -30));
        EXPECT_EQ(one_by_one(values), std::ldexp(static_cast<double>(total), -30));
    }
}

TEST(Superaccumulator, has_the_same_bits_in_any_order_and_split) {
    for (const int exponents : {3, 40, 90, 300, 900}) {
        std::vector<double> values = random_values(20000, exponents, 3);
        const double expected = one_by_one(values);
        std::mt19937_64 random(5);
        for (int trial = 0; trial < 5; ++trial) {
            std::ranges::shuffle(values, random);
            ASSERT_EQ(std::bit_cast<std::uint64_t>(exact_sum(values)),
                      std::bit_cast<std::uint64_t>(expected));
            const std::span<const double> all(values);
            const std::size_t middle = random() % values.size();
            Superaccumulator left;
            Superaccumulator right;
            left.add(all.first(middle));
            right.add(all.subspan(middle));
            left.add(right);
            ASSERT_EQ(left.round(), expected);
        }
    }
}

/// Alternating signs, then one: sums of both kinds, as large and as small as folds can be.
std::vector<double> with_signs(std::size_t count, double value, bool alternate) {
    std::vector<double> values(count, value);
    if (alternate) {
        for (std::size_t i = 0; i < count; i += 2) values[i] = -value;
    }
    return values;
}

TEST(Superaccumulator, folds_the_largest_values_of_a_magnitude_exactly) {
    // All bits set, so that every part taken off is as large as it can be.
    for (const double value : {2.0 - 0x1p-52, 1.0 + 0x1p-52, 1.0, 0x1.fffffffffp-800,
                               0x1.fffffp-801, 0x1p1000, 0x1.8p1000, 0x1p-1074}) {
        for (const std::size_t count : {1, 7, 255, 1023, 1024, 1025, 2049}) {
            for (const bool alternate : {false, true}) {
                std::vector<double> values = with_signs(count, value, alternate);
                values.back() = value * 0x1p-60;
                values.front() = 0;
                ASSERT_EQ(exact_sum(values), one_by_one(values)) << value << " " << count;
            }
        }
    }
}

TEST(Superaccumulator, finds_what_is_no_number_at_any_place) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 1100; i += 13) {
        std::vector<double> values(1100, 1.5);
        values[i] = -infinity;
        EXPECT_EQ(exact_sum(values), -infinity);
        values[i] = std::copysign(std::nan(""), -1.0);
        EXPECT_TRUE(std::isnan(exact_sum(values)));
        values[i] = 0x1p1020;
        EXPECT_EQ(exact_sum(values), 0x1p1020);
    }
}

TEST(Superaccumulator, merges_as_integers_the_way_ranks_do) {
    const std::vector<double> values = random_values(5000, 200, 9);
    Superaccumulator total;
    std::vector<Superaccumulator> ranks(7);
    for (std::size_t i = 0; i < values.size(); ++i) ranks[i % 7].add(values[i]);
    const auto words = total.normalized();
    for (Superaccumulator& rank : ranks) {
        const auto other = rank.normalized();
        for (std::size_t i = 0; i < words.size(); ++i) words[i] += other[i];
    }
    EXPECT_EQ(total.round(), exact_sum(values));
}

TEST(Superaccumulator, does_not_overflow_in_a_million_equal_values) {
    const double value = 2.0 - 0x1p-52;
    EXPECT_EQ(one_by_one(std::vector<double>(1 << 20, value)), value * (1 << 20));
    EXPECT_EQ(one_by_one(std::vector<double>(1 << 20, -value)), -value * (1 << 20));
}

}  // namespace
}  // namespace halocline
