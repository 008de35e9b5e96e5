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

EIGHTS = """\
namespace {

// Widens eight cells, or a single one.
[[gnu::always_inline]] inline void widen_cells(float* to, const Half* from, int64_t cells) {
#if defined(__F16C__) && !defined(__clang__)
    typedef short Halves __attribute__((vector_size(16)));
    typedef short Loose __attribute__((vector_size(16), aligned(2), may_alias));
    typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
    if (cells == 8) {
        const Halves eight = *reinterpret_cast<const Loose*>(from);
        *reinterpret_cast<Floats*>(to) = __builtin_ia32_vcvtph2ps256(eight);
        return;
    }
#endif
    for (int64_t i = 0; i < cells; ++i) to[i] = widened(from[i]);
}

// Narrows eight cells, or a single one.
[[gnu::always_inline]] inline void narrow_cells(Half* to, const float* from, int64_t cells) {
#if defined(__F16C__) && !defined(__clang__)
    typedef short Loose __attribute__((vector_size(16), aligned(2), may_alias));
    typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
    if (cells == 8) {
        const Floats eight = *reinterpret_cast<const Floats*>(from);
        *reinterpret_cast<Loose*>(to) = __builtin_ia32_vcvtps2ph256(eight, 0);  // to the nearest
        return;
    }
#endif
    for (int64_t i = 0; i < cells; ++i) to[i] = narrowed(from[i]);
}

}  // namespace

"""
