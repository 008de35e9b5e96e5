// V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction",
// Intel, 2009. Polynomials are over GF(2); the lowest bit is the highest power.

#include "core/crc32.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace halocline {

#if defined(__x86_64__)
namespace {

constexpr std::size_t lane_bytes = sizeof(__m128i);
constexpr std::size_t lanes = 4;
constexpr std::size_t step = lanes * lane_bytes;

/// A power of x, modulo the polynomial of CRC-32. A product is one bit short, so it is shifted.
constexpr long long power(int exponent) {
    std::uint32_t p = 0x80000000U;
    for (int i = 0; i < exponent; ++i) p = (p >> 1U) ^ ((p & 1U) != 0 ? 0xEDB88320U : 0U);
    return static_cast<long long>(std::uint64_t{p} << 1U);
}

__m128i load(const char* place) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(place));
}

/// A lane moved by some bytes, added to what is there.
template <std::size_t Bytes>
__attribute__((target("pclmul"))) __m128i moved(__m128i lane, __m128i there) {
    constexpr int bits = 8 * Bytes;
    constexpr long long of_first = power(bits + 32);
    constexpr long long of_second = power(bits - 32);
    const __m128i factors = _mm_set_epi64x(of_second, of_first);
    const __m128i first = _mm_clmulepi64_si128(lane, factors, 0x00);
    const __m128i second = _mm_clmulepi64_si128(lane, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), there);
}

__attribute__((target("pclmul"))) std::string folded(std::span<const char> bytes) {
    std::array<__m128i, lanes> sums;
    for (std::size_t i = 0; i < lanes; ++i) sums[i] = load(bytes.data() + i * lane_bytes);
    // CRC-32 begins with a remainder of ones.
    sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(-1));
    bytes = bytes.subspan(step);
    for (; bytes.size() >= step; bytes = bytes.subspan(step)) {
        for (std::size_t i = 0; i < lanes; ++i) {
            sums[i] = moved<step>(sums[i], load(bytes.data() + i * lane_bytes));
        }
    }
    for (std::size_t i = 1; i < lanes; ++i) sums[i] = moved<lane_bytes>(sums[i - 1], sums[i]);
    std::string found(lane_bytes, '\0');
    std::memcpy(found.data(), &sums[lanes - 1], lane_bytes);
    return found.append(bytes.data(), bytes.size());
}

}  // namespace
#endif

std::optional<std::string> folded_for_crc32([[maybe_unused]] std::span<const char> bytes) {
#if defined(__x86_64__)
    if (bytes.size() >= step && __builtin_cpu_supports("pclmul") != 0) return folded(bytes);
#endif
    return std::nullopt;
}

}  // namespace halocline
