#include "runtime/wide.hpp"

#include <algorithm>
#include <bit>

// GCC compiles functions marked so for each of these instruction sets, and the loader takes the
// best that the processor has. That needs the C library's help, and Clang's loses its functions'
// names before version 17. The loader chooses before the thread sanitizer has started.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
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

Folded folded(std::uint64_t high_sum, std::uint64_t low_sum, std::uint64_t changed,
              std::uint64_t lost, std::uint64_t count, double high, double low) {
    constexpr int mantissa_bits = 52;
    // Modulo 2^64, like all sums here; zeros may differ in their signs.
    const std::uint64_t in_high = high_sum - count * std::bit_cast<std::uint64_t>(high);
    const std::uint64_t in_low = low_sum - count * std::bit_cast<std::uint64_t>(low);
    return {static_cast<std::int64_t>(in_high), static_cast<std::int64_t>(in_low),
            changed >> mantissa_bits == 0, (lost & INT64_MAX) == 0};
}

HALOCLINE_WIDE Folded fold(std::span<const double> values, double high, double low) {
    const auto high_bits = std::bit_cast<std::uint64_t>(high);
    std::uint64_t high_sum = 0;
    std::uint64_t low_sum = 0;
    std::uint64_t changed = 0;
    std::uint64_t lost = 0;
#pragma omp simd reduction(+ : high_sum, low_sum) reduction(| : changed, lost)
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double with_high = values[i] + high;
        const double left = values[i] - (with_high - high);
        const double with_low = left + low;
        high_sum += std::bit_cast<std::uint64_t>(with_high);
        low_sum += std::bit_cast<std::uint64_t>(with_low);
        changed |= std::bit_cast<std::uint64_t>(with_high) ^ high_bits;
        lost |= std::bit_cast<std::uint64_t>(left) ^ std::bit_cast<std::uint64_t>(with_low - low);
    }
    return folded(high_sum, low_sum, changed, lost, values.size(), high, low);
}

HALOCLINE_WIDE void leave(std::span<const double> values, std::span<double> rest, double high,
                          double low) {
#pragma omp simd
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double left = values[i] - ((values[i] + high) - high);
        rest[i] = left - ((left + low) - low);
    }
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
