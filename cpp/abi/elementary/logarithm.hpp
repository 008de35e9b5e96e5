/* Logarithms: x = 2^k m with m from sqrt(1/2) to sqrt(2). */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// x = 2^k (1 + f), of a positive, finite and normal number.
struct Parts {
    double k, f;
};

// Of a number with these bits, as many powers of two larger as 'bias' says, which ends in zeros.
ELEMENTARY Parts parts_of_bits(uint64_t y, uint64_t bias) {
    const uint64_t exponents = static_cast<uint64_t>(0x7FF0000000000000u);
    const uint64_t one = static_cast<uint64_t>(0x3FF0000000000000u);
    // The exponent grows where the fraction reaches sqrt(2).
    const uint64_t from_root = y + static_cast<uint64_t>(0x00095F619980C433u);
    const double m = from_bits(y - (from_root & exponents) + one);
    return {as_double((from_root + bias) >> 52) - 2047.0, m - 1.0};
}

ELEMENTARY Parts parts_of_normal(double x) {
    return parts_of_bits(bits(x), uint64_t(1024) << 52);
}

// Subnormal numbers are whole ones times 2^-1074.
ELEMENTARY Parts parts_of(double x) {
    const bool is_subnormal = x < 0x1p-1022;
    const uint64_t y = is_subnormal ? bits(as_double(bits(x))) : bits(x);
    return parts_of_bits(
        y, is_subnormal ? (uint64_t(4096) + 1024 - 1074) << 52 : uint64_t(1024) << 52);
}

// A logarithm, or what it is of zero, numbers below it, infinity and what is not a number.
template <class T>
ELEMENTARY T of_positive(T x, T logarithm) {
    const T infinite = static_cast<T>(infinity());
    const T special = x == 0 ? -infinite : (x + size(x)) * infinite;
    return bits(x) - 1 < bits(infinite) - 1 ? logarithm : special;
}

// 2 (f - ln(1 + f)) = f^2 - s (f^2 + z P(z)), from ln(1 + f) = 2 artanh(s), s = f / (2 + f): after
// fdlibm's e_log.c. The two terms.
struct Bend {
    double square, less;
};

ELEMENTARY Bend log_bend(double f) {
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double p = polynomial(z, 0x1.5555555555592p+0, 0x1.999999997fdacp-1, 0x1.24924941f27d2p-1,
                                0x1.c71c5207c5af2p-2, 0x1.74663f535c9adp-2, 0x1.39a1add0eee83p-2,
                                0x1.2f05f8eca2321p-2);
    const double square = f * f;
    return {square, s * fused(z, p, square)};
}

ELEMENTARY double log(double x) {
    const Parts p = parts_of(x);
    const Bend b = log_bend(p.f);
    const double near = p.f - fused(0.5, b.square - b.less, p.k * -0x1.ef35793c76730p-45);
    return of_positive(x, fused(p.k, 0x1.62e42fefa3800p-1, near));
}

// ln(1 + f) / ln(base) + low, of 1 / ln(base) in two parts: only its product with f is longer.
ELEMENTARY double log_near_one(double f, Two<double> scale, double low) {
    const Two<double> most = product_of(f, scale.high);
    const double rest = fused(f, scale.low, most.low) + low;
    const Bend b = log_bend(f);
    const double half = 0.5 * scale.high;
    return most.high - fused(b.square, half, -fused(b.less, half, rest));
}

ELEMENTARY double log2(double x) {
    const Parts p = parts_of(x);
    const double near = log_near_one(p.f, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, 0.0);
    return of_positive(x, p.k + near);
}

ELEMENTARY double log10(double x) {
    const Parts p = parts_of(x);
    const double low = p.k * 0x1.fef311f12b358p-46;
    const double near = log_near_one(p.f, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}, low);
    return of_positive(x, fused(p.k, 0x1.34413509f7800p-2, near));
}

ELEMENTARY double log1p(double x) {
    const Two<double> y = sum_of(1.0, x);
    const Parts p = parts_of_normal(y.high);
    const double low = fused(p.k, 0x1.ef35793c76730p-45, y.low / y.high);
    const Bend b = log_bend(p.f);
    const double near = p.f - fused(0.5, b.square - b.less, -low);
    const double result = fused(p.k, 0x1.62e42fefa3800p-1, near);
    return copysign(of_positive(y.high, result), x);
}

// For results that are rounded to float: x = 2^k (1 + f), of a positive number that fits in one.
template <class T>
ELEMENTARY T log_series(T f) {
    return polynomial(f, 0x1.555554af22501p-2, -0x1.ffffd3aa34a88p-3, 0x1.999a13224a531p-3,
                      -0x1.5563b1e817870p-3, 0x1.248f2726398eep-3, -0x1.fce7305d66111p-4,
                      0x1.c40b142933097p-4, -0x1.bb2bef57022f1p-4, 0x1.b37cd1bb0df42p-4,
                      -0x1.e99e568969566p-5);
}

ELEMENTARY double short_log_near_one(double f) {
    const double square = f * f;
    return fused(square * f, log_series(f), fused(-0.5, square, f));
}

ELEMENTARY double short_log(double x) {
    const Parts p = parts_of_normal(x);
    return fused(p.k, 0x1.62e42fefa39efp-1, short_log_near_one(p.f));
}

// In float: x = 2^k (1 + f).
struct ShortParts {
    float k, f;
};

ELEMENTARY ShortParts short_parts_of(float x) {
    const float scale = x < 0x1p-126f ? 0x1p23f : 1.0f;
    const uint32_t y = bits(x * scale);
    const uint32_t from_root = y + 0x004AFB0Du;
    const float m = from_bits(y - (from_root & 0x7F800000u) + 0x3F800000u);
    const uint32_t biased = (from_root - bits(scale) + 0x7F800000u) >> 23;
    return {from_bits(biased | 0x4B000000u) - (0x1p23f + 255.0f), m - 1.0f};
}

ELEMENTARY float log(float x) {
    const ShortParts p = short_parts_of(x);
    const float square = p.f * p.f;
    const float rest = fused(square * p.f, log_series(p.f), p.k * 0x1.7f7d1cp-20f);
    const float near = p.f - fused(0.5f, square, -rest);
    return of_positive(x, fused(p.k, 0x1.62e4p-1f, near));
}

ELEMENTARY float log2(float x) {
    const ShortParts p = short_parts_of(x);
    const float square = p.f * p.f;
    const Two<float> most = product_of(p.f, 0x1.715476p+0f);
    const float rest = fused(p.f, 0x1.4ae0c0p-26f, most.low);
    const float more = fused(square * p.f * log_series(p.f), 0x1.715476p+0f, rest);
    return of_positive(x, p.k + (most.high - fused(square, 0x1.715476p-1f, -more)));
}

ELEMENTARY float log10(float x) {
    return of_positive(x, static_cast<float>(short_log(x) * 0x1.bcb7b1526e50ep-2));
}

ELEMENTARY float log1p(float x) {
    const double y = 1.0 + static_cast<double>(x);
    const Parts p = parts_of_normal(y);
    const double f = p.k == 0.0 ? static_cast<double>(x) : p.f;
    const float result =
        static_cast<float>(fused(p.k, 0x1.62e42fefa39efp-1, short_log_near_one(f)));
    const float whole = static_cast<float>(y);
    return size(x) < 0x1p-25f                              ? x
           : y > 0.0 && x < static_cast<float>(infinity()) ? result
                                                           : of_positive(whole, whole);
}

}  // namespace elementary
