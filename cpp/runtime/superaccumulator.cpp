#include "runtime/superaccumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace halocline {
namespace {

constexpr int chunk_bits = 32;
constexpr std::int64_t chunk_mask = (std::int64_t{1} << chunk_bits) - 1;
constexpr int mantissa_bits = 52;  // stored ones; the leading one is implied
constexpr std::uint64_t exponent_mask = 0x7FF;
constexpr int smallest_exponent = -1074;  // of the unit of chunk 0

/// A value adds less than 2^52 to a chunk, so 2^11 - 1 of them fit beside a carried chunk.
constexpr int adds_per_carry = 2000;

enum Special : std::size_t { nan = Superaccumulator::chunks, plus_infinity, minus_infinity };

/// Values below 2^window are first summed as integers in vectors: 52 bits in units of
/// 2^(window - 51), then 52 bits of what is left; see `fold`. What is left then is at most
/// 2^(window - 104).
constexpr std::size_t fold_values = 2048;
constexpr int fold_bits = 52;
/// Of 1.5 * 2^(window + 1), to which values are added.
constexpr double first_high = 3.0;
/// A window is taken so much larger than the values at hand: most of those to come fit too.
constexpr int window_headroom = 6;
/// No constant of a fold may overflow or lose bits to underflow.
constexpr int largest_window = 1000;
constexpr int smallest_window = -800;

using Chunks = std::array<std::int64_t, Superaccumulator::chunks>;

/// Bit `position` of a number whose chunks are carried and not negative.
std::int64_t bit(const Chunks& chunks, int position) {
    const int last = static_cast<int>(chunks.size()) - 1;
    const int index = std::min(position / chunk_bits, last);
    return (chunks[static_cast<std::size_t>(index)] >> (position - index * chunk_bits)) & 1;
}

/// The exponent of a power of two above what has these bits.
int exponent_above(std::uint64_t magnitude) {
    constexpr int bias = 1022;
    return static_cast<int>(magnitude >> mantissa_bits) - bias;
}

/// Moves everything above 32 bits to the next chunk; only the last may stay negative.
void carry_chunks(std::int64_t* chunks) {
    for (std::size_t i = 0; i + 1 < Superaccumulator::chunks; ++i) {
        // Right shift of a negative number rounds down, so the rest is not negative.
        chunks[i + 1] += chunks[i] >> chunk_bits;
        chunks[i] &= chunk_mask;
    }
}

double round_chunks(const Chunks& chunks) {
    int top = static_cast<int>(chunks.size()) - 1;
    while (top >= 0 && chunks[static_cast<std::size_t>(top)] == 0) --top;
    if (top < 0) return 0.0;
    const auto highest = static_cast<std::uint64_t>(chunks[static_cast<std::size_t>(top)]);
    const int leading = top * chunk_bits + static_cast<int>(std::bit_width(highest)) - 1;
    const int lowest = std::max(0, leading - mantissa_bits);  // of the bits that are kept
    std::int64_t mantissa = 0;
    for (int position = leading; position >= lowest; --position) {
        mantissa = 2 * mantissa + bit(chunks, position);
    }
    if (lowest > 0 && bit(chunks, lowest - 1) == 1) {
        bool is_tie = true;
        for (int position = lowest - 2; position >= 0 && is_tie; --position) {
            is_tie = bit(chunks, position) == 0;
        }
        if (!is_tie || mantissa % 2 == 1) ++mantissa;
    }
    return std::ldexp(static_cast<double>(mantissa), lowest + smallest_exponent);
}

}  // namespace

void Superaccumulator::add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t exponent = (bits >> mantissa_bits) & exponent_mask;
    auto mantissa = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << mantissa_bits) - 1));
    const std::int64_t sign = std::bit_cast<std::int64_t>(bits) >> 63;  // 0 or -1
    if (exponent == exponent_mask) [[unlikely]] {
        ++words_[mantissa != 0 ? nan : sign == 0 ? plus_infinity : minus_infinity];
        return;
    }
    if (exponent != 0) mantissa |= std::int64_t{1} << mantissa_bits;
    const std::uint64_t position = exponent - (exponent != 0 ? 1 : 0);
    const auto chunk = static_cast<std::size_t>(position / chunk_bits);
    const int shift = static_cast<int>(position % chunk_bits);
    const std::int64_t low = (mantissa << shift) & chunk_mask;
    const std::int64_t high = mantissa >> (chunk_bits - shift);
    // (v ^ sign) - sign is v or -v without a branch.
    words_[chunk] += (low ^ sign) - sign;
    words_[chunk + 1] += (high ^ sign) - sign;
    if (++pending_ >= adds_per_carry) carry();
}

void Superaccumulator::add(std::span<const double> values) {
    while (!values.empty()) {
        const std::size_t count = std::min(values.size(), fold_values);
        add_folded(values.first(count));
        values = values.subspan(count);
    }
}

void Superaccumulator::add(std::span<const double> values, const Folded& folded, double high) {
    if (!folded.fits || !folded.is_all) return add(values);
    add_units(folded.high, std::ilogb(high) - fold_bits);
    add_units(folded.low, std::ilogb(high) - 2 * fold_bits);
}

double Superaccumulator::high() const {
    return std::ldexp(first_high, window_);
}

double Superaccumulator::low_of(double high) {
    return std::ldexp(high, -fold_bits);
}

void Superaccumulator::add_folded(std::span<const double> values) {
    std::array<double, fold_values> rest;
    const std::span<double> left(rest.data(), values.size());
    int window = window_;
    for (bool is_first = true; window >= smallest_window && window <= largest_window;
         is_first = false) {
        const double high = std::ldexp(first_high, window);
        const double low = low_of(high);
        const Folded folded = fold(values, high, low);
        if (folded.fits) {
            add_units(folded.high, window + 1 - fold_bits);
            add_units(folded.low, window + 1 - 2 * fold_bits);
            if (folded.is_all) return;
        }
        if (is_first) {
            window = exponent_above(largest_magnitude(values)) + window_headroom;
            window_ = std::clamp(window, smallest_window, largest_window);
        }
        if (folded.fits) {
            leave(values, left, high, low);
            values = left;
            window = exponent_above(largest_magnitude(values));
        }
    }
    for (const double value : values) {
        if (value != 0) add(value);
    }
}

void Superaccumulator::add_units(std::int64_t count, int exponent) {
    const auto position = static_cast<std::size_t>(exponent - smallest_exponent);
    const std::size_t chunk = position / chunk_bits;
    const int shift = static_cast<int>(position % chunk_bits);
    const std::int64_t high = count >> chunk_bits;  // rounds down
    const std::int64_t low = (count & chunk_mask) << shift;
    words_[chunk] += low & chunk_mask;
    words_[chunk + 1] += (low >> chunk_bits) + ((high << shift) & chunk_mask);
    words_[chunk + 2] += high >> (chunk_bits - shift);
    if (++pending_ >= adds_per_carry) carry();
}

void Superaccumulator::add_words(std::span<const std::int64_t, words> other) {
    std::array<std::int64_t, words> carried;
    std::ranges::copy(other, carried.begin());
    carry_chunks(carried.data());
    carry();
    for (std::size_t i = 0; i < words; ++i) words_[i] += carried[i];
    carry();
}

void Superaccumulator::add(const Superaccumulator& other) {
    add_words(other.words_);
}

void Superaccumulator::carry() {
    carry_chunks(words_.data());
    pending_ = 0;
}

std::span<std::int64_t, Superaccumulator::words> Superaccumulator::normalized() {
    carry();
    return words_;
}

double Superaccumulator::round() {
    const bool has_plus = words_[plus_infinity] > 0;
    const bool has_minus = words_[minus_infinity] > 0;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (words_[nan] > 0 || (has_plus && has_minus)) return std::nan("");
    if (has_plus) return infinity;
    if (has_minus) return -infinity;
    carry();
    Chunks sum;
    std::copy_n(words_.begin(), chunks, sum.begin());
    if (sum.back() >= 0) return round_chunks(sum);
    for (std::int64_t& chunk : sum) chunk = -chunk;
    carry_chunks(sum.data());
    return -round_chunks(sum);
}

}  // namespace halocline
