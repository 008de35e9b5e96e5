// CRC-32 by carry-less products: V. Gopal et al., "Fast CRC Computation for Generic Polynomials
// Using PCLMULQDQ Instruction", Intel, 2009; by tables elsewhere.

#include "core/crc32.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halocline {
namespace {

// Polynomials over GF(2) modulo this one of degree 32. The lowest bit is the highest power.
constexpr std::uint32_t polynomial = 0xEDB88320U;
constexpr std::uint32_t one = 0x80000000U;

constexpr std::uint32_t times_x(std::uint32_t p) {
    return (p >> 1U) ^ ((p & 1U) != 0 ? polynomial : 0U);
}

constexpr std::size_t table_count = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, table_count>;

/// What a byte adds to the remainder, by how many bytes follow it and by its value.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t p = byte;
        for (auto& table : tables) {
            for (int bit = 0; bit < 8; ++bit) p = times_x(p);
            table[byte] = p;
        }
    }
    return tables;
}

constexpr Tables tables = make_tables();

/// The remainder after some more bytes, eight at a time.
std::uint32_t by_tables(std::uint32_t remainder, std::span<const char> bytes) {
    for (; bytes.size() >= table_count; bytes = bytes.subspan(table_count)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), table_count);
        word ^= remainder;
        remainder = 0;
        for (std::size_t i = 0; i < table_count; ++i) {
            remainder ^= tables[table_count - 1 - i][(word >> (8 * i)) & 0xFFU];
        }
    }
    for (const char byte : bytes) {
        const auto index = (remainder ^ static_cast<unsigned char>(byte)) & 0xFFU;
        remainder = (remainder >> 8U) ^ tables[0][index];
    }
    return remainder;
}

#if defined(__x86_64__)

constexpr std::size_t lane_bytes = sizeof(__m128i);
constexpr std::size_t lanes = 4;

/// A power of x. Products of two reflected words are one bit short, so it is shifted by one.
constexpr long long power(int exponent) {
    std::uint32_t p = one;
    for (int i = 0; i < exponent; ++i) p = times_x(p);
    const std::uint64_t shifted = std::uint64_t{p} << 1U;
    return static_cast<long long>(shifted);
}

/// Factors that move a lane by some bytes: of its first 8 bytes, and of the others.
template <std::size_t Bytes>
__m128i factors() {
    constexpr int bits = 8 * Bytes;
    return _mm_set_epi64x(power(bits - 32), power(bits + 32));
}

__m128i load(const char* place) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(place));
}

/// The bytes that have the same remainder as a lane before others.
__attribute__((target("pclmul"))) __m128i added(__m128i lane, __m128i factors, __m128i others) {
    const __m128i first = _mm_clmulepi64_si128(lane, factors, 0x00);
    const __m128i second = _mm_clmulepi64_si128(lane, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), others);
}

/// As by_tables, with four lanes at a time; there are at least as many bytes.
__attribute__((target("pclmul"))) std::uint32_t by_products(std::uint32_t remainder,
                                                            std::span<const char> bytes) {
    constexpr std::size_t step = lanes * lane_bytes;
    std::array<__m128i, lanes> sums;
    for (std::size_t i = 0; i < lanes; ++i) sums[i] = load(bytes.data() + i * lane_bytes);
    sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(static_cast<int>(remainder)));
    bytes = bytes.subspan(step);
    for (; bytes.size() >= step; bytes = bytes.subspan(step)) {
        for (std::size_t i = 0; i < lanes; ++i) {
            sums[i] = added(sums[i], factors<step>(), load(bytes.data() + i * lane_bytes));
        }
    }
    for (std::size_t i = 1; i < lanes; ++i) {
        sums[i] = added(sums[i - 1], factors<lane_bytes>(), sums[i]);
    }
    std::array<char, lane_bytes> last{};
    std::memcpy(last.data(), &sums[lanes - 1], lane_bytes);
    return by_tables(by_tables(0, last), bytes);
}

#endif

std::uint32_t remainder_after(std::uint32_t remainder, std::span<const char> bytes) {
#if defined(__x86_64__)
    static const bool has_products = __builtin_cpu_supports("pclmul") != 0;
    if (has_products && bytes.size() >= lanes * lane_bytes) return by_products(remainder, bytes);
#endif
    return by_tables(remainder, bytes);
}

}  // namespace

std::uint32_t crc32(std::span<const char> bytes) {
    return ~remainder_after(~std::uint32_t{0}, bytes);
}

}  // namespace halocline
