/* Functions of numbers far from zero, which few are: called, not inlined.
 *
 * Loops with branches do not become vectors; loops with calls do if there are vector functions by
 * the names of the x86 vector function ABI, which are made here: they look whether a vector has
 * such a number. Other compilers than GCC see an ordinary function.
 */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

template <class T>
ELEMENTARY bool is_far(T x) {
    return !(size(x) < T(65536));
}

// 'result' if x is near zero, or else that of 'far', which is zero for numbers near zero. Bits, not
// a choice: of that compilers would make a branch, with the call in it.
ELEMENTARY double near_or_far(double x, double result, double far) {
    const uint64_t is_near = 0 - static_cast<uint64_t>(size(x) < 65536.0);
    return from_bits((bits(result) & is_near) | bits(far));
}
ELEMENTARY float near_or_far(float x, float result, float far) {
    const uint32_t is_near = 0 - static_cast<uint32_t>(size(x) < 65536.0f);
    return from_bits((bits(result) & is_near) | bits(far));
}

}  // namespace elementary

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && defined(__x86_64__)
#define ELEMENTARY_HIDDEN __attribute__((weak, visibility("hidden")))
#define ELEMENTARY_COLD __attribute__((noinline, unused)) static

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
typedef double Of2doubles __attribute__((vector_size(16)));
typedef double Of4doubles __attribute__((vector_size(32)));
typedef double Of8doubles __attribute__((vector_size(64)));
typedef float Of4floats __attribute__((vector_size(16)));
typedef float Of8floats __attribute__((vector_size(32)));
typedef float Of16floats __attribute__((vector_size(64)));

namespace elementary {
// Whether a comparison of 16, 32 or 64 bytes is true for any number.
ELEMENTARY bool is_any(Of4floats compared) {
    return __builtin_ia32_movmskps(compared) != 0;
}
__attribute__((target("avx"))) ELEMENTARY bool is_any(Of8floats compared) {
    return __builtin_ia32_movmskps256(compared) != 0;
}
__attribute__((target("avx2"))) ELEMENTARY bool is_any(const Of16floats& compared) {
    typedef long long Words __attribute__((vector_size(32)));
    Words half[2];
    __builtin_memcpy(half, &compared, sizeof half);
    return is_any(reinterpret_cast<Of8floats>(half[0] | half[1]));
}
}  // namespace elementary
#pragma GCC diagnostic pop

// As 'declare simd' would name it: of so many numbers, for some instructions.
#define ELEMENTARY_FAR_VECTOR(name, Vector, lanes, Bytes, isa, instructions)                    \
    __attribute__((noinline, target(instructions))) static Vector name##_of_##isa(Vector x) {   \
        Vector found;                                                                           \
        name##_of_some(&x, &found, lanes);                                                      \
        return found;                                                                           \
    }                                                                                           \
    ELEMENTARY_HIDDEN Vector name##_##isa(Vector x) __asm__("_ZGV" #isa "N" #lanes "v_" #name); \
    __attribute__((target(instructions))) Vector name##_##isa(Vector x) {                       \
        const auto far = reinterpret_cast<Bytes>(!(x < 65536 && x > -65536));                   \
        return __builtin_expect(elementary::is_any(far), 0) ? name##_of_##isa(x) : Vector{};    \
    }

// 'name' is zero for numbers near zero and elsewhere what 'function' is.
#define ELEMENTARY_FAR(name, function, T, lanes, twice, fourfold)                             \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpsabi\"") extern "C" { \
        __attribute__((simd("notinbranch"), const, nothrow, leaf)) T name(T x);               \
        ELEMENTARY_HIDDEN T name##_of_one(T x) __asm__(#name);                                \
        ELEMENTARY_HIDDEN T name##_of_one(T x) {                                              \
            return elementary::is_far(x) ? elementary::function(x) : T(0);                    \
        }                                                                                     \
        ELEMENTARY_HIDDEN void name##_of_some(const void* x, void* found, int count) {        \
            for (int i = 0; i < count; ++i) {                                                 \
                const T one = name##_of_one(static_cast<const T*>(x)[i]);                     \
                __builtin_memcpy(static_cast<T*>(found) + i, &one, sizeof one);               \
            }                                                                                 \
        }                                                                                     \
        ELEMENTARY_FAR_VECTOR(name, Of##lanes##T##s, lanes, Of4floats, b, "sse2")             \
        ELEMENTARY_FAR_VECTOR(name, Of##twice##T##s, twice, Of8floats, c, "avx")              \
        ELEMENTARY_FAR_VECTOR(name, Of##twice##T##s, twice, Of8floats, d, "avx2")             \
        ELEMENTARY_FAR_VECTOR(name, Of##fourfold##T##s, fourfold, Of16floats, e, "avx512f")   \
    }                                                                                         \
    _Pragma("GCC diagnostic pop")
#else
#define ELEMENTARY_FAR(name, function, T, lanes, twice, fourfold)      \
    ELEMENTARY T name(T x) {                                           \
        return elementary::is_far(x) ? elementary::function(x) : T(0); \
    }
#ifdef __CUDACC__
#define ELEMENTARY_COLD __device__ __noinline__ static
#else
#define ELEMENTARY_COLD __attribute__((noinline, unused)) static
#endif
#endif
#define ELEMENTARY_FAR_DOUBLE(name, function) ELEMENTARY_FAR(name, function, double, 2, 4, 8)
#define ELEMENTARY_FAR_FLOAT(name, function) ELEMENTARY_FAR(name, function, float, 4, 8, 16)
