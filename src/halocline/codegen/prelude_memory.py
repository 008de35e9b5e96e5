"""What generated C++ functions share for non-temporal stores and prefetching."""

from __future__ import annotations

STREAMING = """\
namespace {

// Whether all rows of a field start on a cache line, as non-temporal stores of whole lines need it.
template <class T>
inline bool is_aligned(const halocline_field& field) {
    constexpr int64_t size = sizeof(T);
    const int64_t start = static_cast<int64_t>(reinterpret_cast<uintptr_t>(field.data));
    return ((start | field.component * size | field.y * size | field.z * size) & 63) == 0;
}

typedef long long Line __attribute__((vector_size(64), aligned(1), may_alias));

// Writes 64 bytes by non-temporal stores; 'to' is a multiple of 64.
inline void store_line(void* to, const void* from) {
#if defined(__clang__)
    typedef long long Aligned __attribute__((vector_size(64), aligned(64), may_alias));
    __builtin_nontemporal_store(*static_cast<const Line*>(from), static_cast<Aligned*>(to));
#elif defined(__AVX512F__)
    typedef long long Whole __attribute__((vector_size(64), may_alias));
    __builtin_ia32_movntdq512(static_cast<Whole*>(to), *static_cast<const Line*>(from));
#elif defined(__AVX__)
    typedef long long Whole __attribute__((vector_size(32), may_alias));
    typedef long long Loose __attribute__((vector_size(32), aligned(1), may_alias));
    for (int i = 0; i < 2; ++i)
        __builtin_ia32_movntdq256(static_cast<Whole*>(to) + i, static_cast<const Loose*>(from)[i]);
#elif defined(__SSE2__)
    typedef long long Whole __attribute__((vector_size(16), may_alias));
    typedef long long Loose __attribute__((vector_size(16), aligned(1), may_alias));
    for (int i = 0; i < 4; ++i)
        __builtin_ia32_movntdq(static_cast<Whole*>(to) + i, static_cast<const Loose*>(from)[i]);
#else
    __builtin_memcpy(to, from, 64);
#endif
}

// Writes cells, a whole number of lines, by non-temporal stores; or to the cache, and prefetches
// those that are written later.
template <int64_t cells, class T>
inline void store_lines(bool non_temporal, T* to, const T* from, const T* later) {
    constexpr int64_t line = 64 / sizeof(T);
    if (non_temporal) {
        for (int64_t i = 0; i < cells; i += line) store_line(to + i, from + i);
        return;
    }
    for (int64_t i = 0; i < cells; i += line) __builtin_prefetch(later + i, 1);
    __builtin_memcpy(to, from, cells * sizeof(T));
}

// Makes the stores of this thread visible before whatever it does next.
inline void fence() {
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}

}  // namespace

"""

PREFETCHING = """\
namespace {

// Prefetches some cells into the first or the second cache.
template <int64_t cells, int cache, class T>
inline void prefetch(const T* from) {
    constexpr int64_t line = 64 / sizeof(T);
    for (int64_t i = 0; i < cells; i += line) __builtin_prefetch(from + i, 0, 4 - cache);
}

}  // namespace

"""

PREFETCHING_LATER = """\
namespace {

// Into which cache many rows are prefetched: on AMD's processors, which alone have SSE4A, the
// second one is faster, on Intel's the first.
#if defined(__SSE4A__)
constexpr int cache_of_many = 2;
#else
constexpr int cache_of_many = 1;
#endif

// The prefetch distance: whole rows, and cells in a row.
struct Distance {
    int64_t rows, cells;
};

// How far rows with prefetched cells lie from a row: so many rows further, and one more.
struct Offsets {
    int64_t here, after;
};

inline Distance prefetch_distance(const Part& part, int64_t cells) {
    const int64_t width = part.upper > part.lower ? part.upper - part.lower : 1;
    return {cells / width, cells % width};
}

// After the last row of a plane comes the first one of the next plane.
inline Offsets prefetch_offsets(const halocline_call& call, int64_t y, const Distance& distance,
                                int64_t row, int64_t plane) {
    const int64_t height = call.upper[1] - call.lower[1], left = call.upper[1] - y;
    const auto offset = [&](int64_t rows) {
        return rows * row + (rows < left ? 0 : plane - height * row);
    };
    return {offset(distance.rows), offset(distance.rows + 1)};
}

}  // namespace

"""

PREFETCHING_ENDS = """\
namespace {

// Prefetch what 'fill_below' and 'fill_above' need beside the line at x = 0.
template <class T>
inline void prefetch_below(const T* row, int64_t wrap) {
    __builtin_prefetch(row - 1, 1);
    __builtin_prefetch(row + wrap - 1);
}

template <class T>
inline void prefetch_above(const T* row, int64_t wrap) {
    __builtin_prefetch(row + wrap, 1);
}

}  // namespace

"""
