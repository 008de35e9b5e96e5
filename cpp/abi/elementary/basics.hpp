/* What all elementary functions are made of: bits, polynomials, numbers in two parts. */
#pragma once

// No <cmath>: to read it takes longer than to compile most kernels.
#ifdef __CUDACC_RTC__  // NVRTC has no headers
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define ELEMENTARY_INFINITY __int_as_float(0x7F800000)
#define ELEMENTARY_NAN __int_as_float(0x7FC00000)
#else
#include <stdint.h>
#define ELEMENTARY_INFINITY __builtin_inff()
#define ELEMENTARY_NAN __builtin_nanf("")
#endif

// Loops become vectors only if everything that they call is part of them.
#ifdef __CUDACC__
#define ELEMENTARY __device__ inline
#define ELEMENTARY_BUILTIN(name) ::name
#else
#define ELEMENTARY __attribute__((always_inline)) inline
#define ELEMENTARY_BUILTIN(name) __builtin_##name
#endif

namespace elementary {

ELEMENTARY double fused(double a, double b, double c) {
    return ELEMENTARY_BUILTIN(fma)(a, b, c);
}
ELEMENTARY float fused(float a, float b, float c) {
    return ELEMENTARY_BUILTIN(fmaf)(a, b, c);
}
ELEMENTARY double root(double x) {
    return ELEMENTARY_BUILTIN(sqrt)(x);
}
ELEMENTARY float root(float x) {
    return ELEMENTARY_BUILTIN(sqrtf)(x);
}
ELEMENTARY double size(double x) {
    return ELEMENTARY_BUILTIN(fabs)(x);
}
ELEMENTARY float size(float x) {
    return ELEMENTARY_BUILTIN(fabsf)(x);
}
ELEMENTARY double copysign(double x, double sign) {
    return ELEMENTARY_BUILTIN(copysign)(x, sign);
}
ELEMENTARY float copysign(float x, float sign) {
    return ELEMENTARY_BUILTIN(copysignf)(x, sign);
}

ELEMENTARY uint64_t bits(double x) {
    uint64_t found;
    ELEMENTARY_BUILTIN(memcpy)(&found, &x, sizeof found);
    return found;
}
ELEMENTARY uint32_t bits(float x) {
    uint32_t found;
    ELEMENTARY_BUILTIN(memcpy)(&found, &x, sizeof found);
    return found;
}
ELEMENTARY double from_bits(uint64_t bits) {
    double found;
    ELEMENTARY_BUILTIN(memcpy)(&found, &bits, sizeof found);
    return found;
}
ELEMENTARY float from_bits(uint32_t bits) {
    float found;
    ELEMENTARY_BUILTIN(memcpy)(&found, &bits, sizeof found);
    return found;
}

ELEMENTARY double infinity() {
    return from_bits(static_cast<uint64_t>(0x7FF0000000000000u));
}
ELEMENTARY double not_a_number() {
    return from_bits(static_cast<uint64_t>(0x7FF8000000000000u));
}

// Whether the sign is minus, of zeros too.
ELEMENTARY bool is_signed(double x) {
    return bits(x) >> 63 != 0;
}

// The nearest whole number of what is smaller than 2^51: no other needs an instruction that
// processors may lack.
ELEMENTARY double nearest(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

// 2 to a whole power from -1022 to 1023, or from -126 to 127.
ELEMENTARY double two_to(double n) {
    return from_bits(bits(n + (0x1.8p52 + 1023)) << 52);
}
ELEMENTARY float two_to(float n) {
    return from_bits(bits(n + (0x1.8p23f + 127)) << 23);
}

// A number near 1 times 2^n, of n + 0x1.8p52 or n + 0x1.8p23, rounded once: both factors are within
// range for n up to 2000, or 250.
ELEMENTARY double scaled_by(double x, double shifted) {
    const uint64_t half = (bits(shifted) << 51) & (uint64_t(0xFFF) << 52);
    const uint64_t one = uint64_t(1023) << 52;
    return x * from_bits(half + one) * from_bits((bits(shifted) << 52) - half + one);
}
ELEMENTARY float scaled_by(float x, float shifted) {
    const uint32_t half = (bits(shifted) << 22) & (uint32_t(0x1FF) << 23);
    const uint32_t one = uint32_t(127) << 23;
    return x * from_bits(half + one) * from_bits((bits(shifted) << 23) - half + one);
}

// A whole number of at most 52 bits as a double.
ELEMENTARY double as_double(uint64_t whole) {
    return from_bits(whole | static_cast<uint64_t>(0x4330000000000000u)) - 0x1p52;
}

// a + b x + c x^2 + ..., by Horner's rule in x^2: pairs of terms do not wait for each other.
template <class T>
ELEMENTARY T polynomial_of_pairs(T, T, T a) {
    return a;
}
template <class T>
ELEMENTARY T polynomial_of_pairs(T x, T, T a, T b) {
    return fused(b, x, a);
}
template <class T, class... More>
ELEMENTARY T polynomial_of_pairs(T x, T square, T a, T b, More... more) {
    return fused(polynomial_of_pairs(x, square, more...), square, fused(b, x, a));
}
template <class T, class... Terms>
ELEMENTARY T polynomial(T x, Terms... terms) {
    return polynomial_of_pairs(x, x * x, static_cast<T>(terms)...);
}

// A number in two parts, the second of which is within the rounding error of the first.
template <class T>
struct Two {
    T high, low;
};

// a + b without error, if a is zero or the larger.
template <class T>
ELEMENTARY Two<T> sum_of_ordered(T a, T b) {
    const T sum = a + b;
    return {sum, (a - sum) + b};
}

// a + b without error.
template <class T>
ELEMENTARY Two<T> sum_of(T a, T b) {
    const T sum = a + b;
    const T other = sum - a;
    return {sum, (a - (sum - other)) + (b - other)};
}

// a b without error.
template <class T>
ELEMENTARY Two<T> product_of(T a, T b) {
    const T product = a * b;
    return {product, fused(a, b, -product)};
}

template <class T>
ELEMENTARY Two<T> product_of(Two<T> a, Two<T> b) {
    const Two<T> product = product_of(a.high, b.high);
    return {product.high, product.low + (a.high * b.low + a.low * b.high)};
}

template <class T>
ELEMENTARY Two<T> quotient_of(Two<T> a, Two<T> b) {
    const T inverse = T(1) / b.high;
    const T quotient = a.high * inverse;
    const T rest = fused(-quotient, b.high, a.high) + (a.low - quotient * b.low);
    return {quotient, rest * inverse};
}

template <class T>
ELEMENTARY T rounded_sum(Two<T> a) {
    return a.high + a.low;
}

}  // namespace elementary
