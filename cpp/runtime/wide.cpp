#include "runtime/wide.hpp"

#include <algorithm>
#include <bit>

// GCC compiles functions marked so for each of these instruction sets, and the loader takes the
// best that the processor has. That needs the C library's help, and Clang's loses its functions'
// names before version 17.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define HALOCLINE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HALOCLINE_WIDE
#endif

namespace halocline {
namespace {

std::int64_t without_sign(double value) {
    return std::bit_cast<std::int64_t>(value) & INT64_MAX;
}

}  // namespace

HALOCLINE_WIDE std::uint64_t largest_magnitude(std::span<const double> values) {
    std::int64_t largest = 0;
#pragma omp simd reduction(max : largest)
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, without_sign(values[i]));
    }
    return static_cast<std::uint64_t>(largest);
}

HALOCLINE_WIDE Folded fold(std::span<const double> values, std::span<double> rest, double high,
                           double low) {
    double high_sum = 0;
    double low_sum = 0;
    std::int64_t largest = 0;
#pragma omp simd reduction(+ : high_sum, low_sum) reduction(max : largest)
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double high_part = (values[i] + high) - high;
        const double left = values[i] - high_part;
        const double low_part = (left + low) - low;
        rest[i] = left - low_part;
        high_sum += high_part;
        low_sum += low_part;
        largest = std::max(largest, without_sign(left - low_part));
    }
    return {high_sum, low_sum, static_cast<std::uint64_t>(largest)};
}

HALOCLINE_WIDE void Extremes::take(std::span<const double> values) {
    std::int64_t low = least;
    std::int64_t high = greatest;
#pragma omp simd reduction(min : low) reduction(max : high)
    for (std::size_t i = 0; i < values.size(); ++i) {
        low = std::min(low, rank_of(values[i]));
        high = std::max(high, rank_of(values[i]));
    }
    least = low;
    greatest = high;
}

bool Extremes::has_nan() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return least < rank_of(-infinity) || greatest > rank_of(infinity);
}

}  // namespace halocline
