#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/wide.hpp"

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

TEST(LargestMagnitude, orders_numbers_then_infinity_then_nan) {
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    EXPECT_EQ(largest_magnitude({}), 0u);
    EXPECT_EQ(largest_magnitude(std::vector{0.0, -0.0}), 0u);
    EXPECT_EQ(largest_magnitude(std::vector{1.0, -3.0, 5e-324, 2.0}), bits(3.0));
    EXPECT_EQ(largest_magnitude(std::vector{1e308, -infinity}), bits(infinity));
    EXPECT_GT(largest_magnitude(std::vector{infinity, -nan, 1.0}), bits(infinity));
}

TEST(Fold, adds_units_and_says_what_it_cannot_take) {
    const double high = 0x1.8p+52;
    const double low = 0x1.8p+0;  // units 1 and 2^-52
    std::mt19937_64 random(1);
    for (const std::size_t count : {0, 1, 7, 8, 31, 256, 2048}) {
        std::vector<double> values(count);
        std::int64_t high_sum = 0;
        std::int64_t low_sum = 0;
        for (double& value : values) {
            const auto integer = static_cast<std::int64_t>(random() % 20001) - 10000;
            const auto fraction = static_cast<std::int64_t>(random() % 1000) - 500;
            value = static_cast<double>(integer) + static_cast<double>(fraction) * 0x1p-36;
            high_sum += integer;
            low_sum += fraction << 16;
        }
        const Folded folded = fold(values, high, low);
        EXPECT_EQ(folded.high, high_sum);
        EXPECT_EQ(folded.low, low_sum);
        EXPECT_TRUE(folded.fits);
        EXPECT_TRUE(folded.is_all);
        for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
            if (count == 0) continue;
            std::vector<double> other = values;
            other[place] = 0x1p-36 + 0x1p-53 + 0x1p-60;
            EXPECT_FALSE(fold(other, high, low).is_all);
            std::vector<double> rest(count);
            leave(other, rest, high, low);
            std::vector<double> expected(count, 0.0);
            expected[place] = std::fmod(other[place], 0x1p-52) - 0x1p-52;
            EXPECT_EQ(rest, expected);
            leave(other, other, high, low);
            EXPECT_EQ(other, expected);
            for (const double large : {0x1p+52, -0x1p+53, infinity, -infinity, nan, -nan}) {
                other = values;
                other[place] = large;
                EXPECT_FALSE(fold(other, high, low).fits) << large;
            }
        }
    }
}

TEST(Fold, sums_as_many_of_the_largest_as_it_takes) {
    const double high = 0x1.8p+52;
    for (const double value : {0x1p+51 - 1, -0x1p+51}) {
        const Folded folded = fold(std::vector(2048, value), high, 0x1.8p+0);
        EXPECT_TRUE(folded.fits);
        EXPECT_EQ(folded.high, 2048 * static_cast<std::int64_t>(value));
    }
    // Zeros of either sign are nothing.
    EXPECT_TRUE(fold(std::vector{0.0, -0.0}, high, 0x1.8p+0).is_all);
}

TEST(Extremes, ranks_are_in_the_order_of_their_doubles) {
    const std::vector<double> ascending{-infinity, -1e300, -1.0, -5e-324, -0.0,
                                        0.0,       5e-324, 1.0,  1e300,   infinity};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        const double back = of_rank(rank_of(ascending[i]));
        EXPECT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(ascending[i]));
        if (i > 0) {
            EXPECT_LT(rank_of(ascending[i - 1]), rank_of(ascending[i]));
        }
    }
}

TEST(Extremes, are_those_of_all_values_taken) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> number(-5, 7);
    for (std::size_t count = 1; count < 70; ++count) {
        std::vector<double> values(count);
        for (double& value : values) value = number(random);
        Extremes extremes;
        extremes.take(std::span(values).first(count / 3));
        extremes.take(std::span(values).subspan(count / 3));
        EXPECT_EQ(of_rank(extremes.least), *std::ranges::min_element(values));
        EXPECT_EQ(of_rank(extremes.greatest), *std::ranges::max_element(values));
        EXPECT_FALSE(extremes.has_nan());
    }
}

TEST(Extremes, note_a_nan_of_either_sign_at_any_place) {
    for (const double sign : {1.0, -1.0}) {
        for (std::size_t i = 0; i < 40; ++i) {
            std::vector<double> values(40, infinity);
            values[i] = std::copysign(nan, sign);
            Extremes extremes;
            extremes.take(values);
            EXPECT_TRUE(extremes.has_nan());
        }
    }
}

TEST(Extremes, of_nothing_are_infinities_the_wrong_way_round) {
    Extremes extremes;
    extremes.take({});
    EXPECT_EQ(of_rank(extremes.least), infinity);
    EXPECT_EQ(of_rank(extremes.greatest), -infinity);
    EXPECT_FALSE(extremes.has_nan());
}

}  // namespace
}  // namespace halocline
