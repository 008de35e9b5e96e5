"""The fixed text before generated functions: threads, choices, stores past the cache."""

from __future__ import annotations

PRELUDE = """\
extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
}

namespace {

// Rows [first, last) of a box, counted along y and then z, and in each the cells [lower, upper).
struct Part {
    int64_t first, last, lower, upper;
};

// The address of cell x = 0 in a row of a component.
template <class T>
inline T* row_of(const halocline_field& field, int64_t component, int64_t y, int64_t z) {
    return static_cast<T*>(field.data) + component * field.component + y * field.y + z * field.z;
}

typedef void (*Compute)(const halocline_call&, const Part&);

// Computes the box of a call on its threads: whole rows each, or pieces of rows if there are few.
inline void share(const halocline_call& call, Compute compute) {
    const int64_t height = call.upper[1] - call.lower[1];
    const int64_t depth = call.upper[2] - call.lower[2];
    const Part all{0, height * depth, call.lower[0], call.upper[0]};
    const int64_t width = all.upper - all.lower;
    if (width <= 0 || height <= 0 || depth <= 0) return;
    const int64_t parts = call.threads;
    if (parts <= 1 || width * all.last < 2048) return compute(call, all);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int64_t i = 0; i < parts; ++i) {
        Part part = all;
        if (all.last >= parts) {
            part.first = all.last * i / parts;
            part.last = all.last * (i + 1) / parts;
        } else {
            part.lower = all.lower + width * i / parts;
            part.upper = all.lower + width * (i + 1) / parts;
        }
        compute(call, part);
    }
}

}  // namespace

"""

MATHS = """\
namespace {

// Defined so that zeros of either sign and what is not a number are treated alike everywhere.
template <class T>
inline T minimum(T a, T b) {
    return b < a ? b : a;
}

template <class T>
inline T maximum(T a, T b) {
    return a < b ? b : a;
}

inline int64_t magnitude(int64_t a) {
    return a < 0 ? -a : a;
}

}  // namespace

"""

STREAMING = """\
namespace {

// Whether all rows of a field start on a cache line, as whole lines past the cache need it.
template <class T>
inline bool is_aligned(const halocline_field& field) {
    constexpr int64_t size = sizeof(T);
    const int64_t start = static_cast<int64_t>(reinterpret_cast<uintptr_t>(field.data));
    return ((start | field.component * size | field.y * size | field.z * size) & 63) == 0;
}

typedef long long Line __attribute__((vector_size(64), aligned(1), may_alias));

// Writes 64 bytes past the cache; 'to' is a multiple of 64.
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

// Writes cells, a whole number of lines, past the cache.
template <int64_t cells, class T>
inline void store_past_cache(T* to, const T* from) {
    constexpr int64_t line = 64 / sizeof(T);
    for (int64_t i = 0; i < cells; i += line) store_line(to + i, from + i);
}

// Makes the stores of this thread visible before whatever it does next.
inline void fence() {
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}

template <int64_t cells, class T>
inline void prefetch(const T* from) {
    constexpr int64_t line = 64 / sizeof(T);
    for (int64_t i = 0; i < cells; i += line) __builtin_prefetch(from + i);
}

}  // namespace

"""
