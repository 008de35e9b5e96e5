"""What generated C++ functions share for numbers of 16 bits."""

from __future__ import annotations

# Stands before all functions: GCC does not inline functions with other options.
SCHEDULING = """\
#if defined(__GNUC__) && !defined(__clang__)
// Converts numbers just before they are used: registers do not hold all of a cell.
#pragma GCC optimize("schedule-insns", "sched-pressure")
#endif
"""

# Numbers of 16 bits: what they are, and what turns them into others and back.
HALF = """\
// A number of 16 bits (IEEE 754 binary16), for storage only; no structure: those stop vectors.
typedef uint16_t Half;

template <class To, class From>
inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

"""

CONVERSIONS = """\
// The same number as a float. NaN keeps its bits and becomes quiet, as F16C instructions have it.
// Without branches, so that compilers make vectors of it.
inline float widened(Half half) {
    const uint32_t size = half & 0x7FFFu;
    const uint32_t moved = (size << 13) + 0x38000000u;
    const uint32_t quiet = size > 0x7C00u ? 0x00400000u : 0u;
    const uint32_t normal = size >= 0x7C00u ? (moved + 0x38000000u) | quiet : moved;
    const float small = same_bits<float>(moved + 0x00800000u) - 0x1p-14f;
    const uint32_t bits = size < 0x0400u ? same_bits<uint32_t>(small) : normal;
    return same_bits<float>(bits | static_cast<uint32_t>(half & 0x8000u) << 16);
}

// The nearest number of 16 bits, of two equally near the even one.
inline Half narrowed(float wide) {
    const uint32_t bits = same_bits<uint32_t>(wide);
    const uint32_t size = bits & 0x7FFFFFFFu;
    const uint32_t normal = (size - 0x38000000u + 0x0FFFu + ((size >> 13) & 1u)) >> 13;
    const uint32_t small = same_bits<uint32_t>(same_bits<float>(size) + 0.5f) - 0x3F000000u;
    const uint32_t large = size > 0x7F800000u ? 0x7E00u | (size >> 13 & 0x03FFu) : 0x7C00u;
    const uint32_t rounded = size < 0x38800000u ? small : size >= 0x47800000u ? large : normal;
    return static_cast<Half>(rounded | (bits >> 16 & 0x8000u));
}
"""

HALVES = f"namespace {{\n\n{HALF}{CONVERSIONS}\n}}  // namespace\n\n"

VECTORS_OF_HALVES = """\
namespace {

// How many cells are converted at once at most: as many floats as a vector has.
#if defined(__AVX512F__) && !defined(__clang__)
constexpr int64_t most_lanes = 16;
#else
constexpr int64_t most_lanes = 8;
#endif

// Vectors that lie anywhere.
template <int lanes>
struct Vectors {
    typedef short Halves __attribute__((vector_size(2 * lanes), aligned(2), may_alias));
    typedef float Floats __attribute__((vector_size(4 * lanes), aligned(4), may_alias));
};

// Widens sixteen or eight cells, or a single one.
[[gnu::always_inline]] inline void widen_cells(float* to, const Half* from, int64_t cells) {
#if defined(__AVX512F__) && !defined(__clang__)
    if (cells == 16) {
        const auto some = *reinterpret_cast<const Vectors<16>::Halves*>(from);
        *reinterpret_cast<Vectors<16>::Floats*>(to) =
            __builtin_ia32_vcvtph2ps512_mask(some, Vectors<16>::Floats{}, 0xFFFF, 4);
        return;
    }
#endif
#if defined(__F16C__) && !defined(__clang__)
    if (cells == 8) {
        const auto some = *reinterpret_cast<const Vectors<8>::Halves*>(from);
        *reinterpret_cast<Vectors<8>::Floats*>(to) = __builtin_ia32_vcvtph2ps256(some);
        return;
    }
#endif
    for (int64_t i = 0; i < cells; ++i) to[i] = widened(from[i]);
}

// Narrows sixteen or eight cells, or a single one; to the nearest.
[[gnu::always_inline]] inline void narrow_cells(Half* to, const float* from, int64_t cells) {
#if defined(__AVX512F__) && !defined(__clang__)
    if (cells == 16) {
        const auto some = *reinterpret_cast<const Vectors<16>::Floats*>(from);
        *reinterpret_cast<Vectors<16>::Halves*>(to) =
            __builtin_ia32_vcvtps2ph512_mask(some, 0, Vectors<16>::Halves{}, 0xFFFF);
        return;
    }
#endif
#if defined(__F16C__) && !defined(__clang__)
    if (cells == 8) {
        const auto some = *reinterpret_cast<const Vectors<8>::Floats*>(from);
        *reinterpret_cast<Vectors<8>::Halves*>(to) = __builtin_ia32_vcvtps2ph256(some, 0);
        return;
    }
#endif
    for (int64_t i = 0; i < cells; ++i) to[i] = narrowed(from[i]);
}

}  // namespace

"""
