/* Logarithms: x = 2^k m with m from sqrt(1/2) to sqrt(2). */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// x = 2^k (1 + f), of a positive, finite and normal number.
struct Parts {
    double k, f;
};

ELEMENTARY Parts parts_of_normal(double x) {
    // The exponent grows where the fraction reaches sqrt(2).
    const uint64_t k = (bits(x) + static_cast<uint64_t>(0x00095F619980C433u)) >> 52;
    const double m = from_bits(bits(x) - (k << 52) + static_cast<uint64_t>(0x3FF0000000000000u));
    return {as_double(k) - 1023.0, m - 1.0};
}

ELEMENTARY Parts parts_of(double x) {
    const bool is_normal = x >= 0x1p-1022;
    const Parts parts = parts_of_normal(is_normal ? x : x * 0x1p54);
    return {is_normal ? parts.k : parts.k - 54.0, parts.f};
}

// A logarithm, or what it is of zero, numbers below it, infinity and what is not a number.
template <class T>
ELEMENTARY T of_positive(T x, T logarithm) {
    const T infinite = static_cast<T>(infinity());
    const T special = x == 0 ? -infinite : x < 0 ? static_cast<T>(not_a_number()) : x;
    return x > 0 && x < infinite ? logarithm : special;
}

// ln(1 + f) = 2 artanh(s), s = f / (2 + f).
ELEMENTARY double log(double x) {
    const Parts p = parts_of(x);
    const double s = p.f / (2.0 + p.f);
    const double z = s * s;
    const double r =
        z * polynomial(z, 0x1.5555555555592p-1, 0x1.999999997fdacp-2, 0x1.24924941f27d2p-2,
                       0x1.c71c5207c5af2p-3, 0x1.74663f535c9adp-3, 0x1.39a1add0eee83p-3,
                       0x1.2f05f8eca2321p-3);
    const double half = 0.5 * p.f * p.f;
    const double low = fused(p.k, 0x1.ef35793c76730p-45, s * (half + r));
    const double result = p.k * 0x1.62e42fefa3800p-1 - ((half - low) - p.f);
    return of_positive(x, result);
}

// ln(1 + f) to about 65 bits.
ELEMENTARY Two<double> log_near_one(Two<double> f) {
    const Two<double> below = sum_of_ordered(2.0, f.high);
    const Two<double> s = quotient_of(f, {below.high, below.low + f.low});
    const Two<double> z = product_of(s, s);
    const double q =
        polynomial(z.high, 0x1.999999999999ap-3, 0x1.2492492492484p-3, 0x1.c71c71c71fd2fp-4,
                   0x1.745d1742e7faep-4, 0x1.3b13b2a0877a4p-4, 0x1.1110a9e069813p-4,
                   0x1.e20696518ad97p-5, 0x1.ab3ad45fc9c85p-5, 0x1.c102ff60476eap-5);
    const Two<double> third = product_of(z, {0x1.5555555555555p-2, 0x1.5555555555555p-56});
    const Two<double> sum = sum_of_ordered(third.high, z.high * z.high * q);
    const Two<double> more = product_of(s, {sum.high, sum.low + third.low});
    const Two<double> all = sum_of_ordered(s.high, more.high);
    return {2.0 * all.high, 2.0 * (all.low + (more.low + s.low))};
}

// k ln(2) + ln(1 + f).
ELEMENTARY Two<double> long_log(double k, Two<double> f) {
    const Two<double> l = log_near_one(f);
    const Two<double> sum = sum_of_ordered(k * 0x1.62e42fefa3800p-1, l.high);
    return sum_of_ordered(sum.high, sum.low + fused(k, 0x1.ef35793c76730p-45, l.low));
}

ELEMENTARY double log2(double x) {
    const Parts p = parts_of(x);
    const Two<double> l =
        product_of(log_near_one({p.f, 0.0}), {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
    const Two<double> sum = sum_of_ordered(p.k, l.high);
    return of_positive(x, sum.high + (sum.low + l.low));
}

ELEMENTARY double log10(double x) {
    const Parts p = parts_of(x);
    const Two<double> l = long_log(p.k, {p.f, 0.0});
    return of_positive(x,
                       rounded_sum(product_of(l, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57})));
}

ELEMENTARY double log1p(double x) {
    const Two<double> y = sum_of(1.0, x);
    const Parts p = parts_of_normal(y.high);
    const bool is_near = p.k == 0.0;
    const double scale = two_to(-(p.k < 60.0 ? p.k : 60.0));
    const double rest = p.k < 60.0 ? y.low * scale : 0.0;
    const Two<double> f = {is_near ? x : p.f, is_near ? 0.0 : rest};
    const double result = rounded_sum(long_log(p.k, f));
    return size(x) < 0x1p-54                ? x
           : y.high > 0.0 && x < infinity() ? result
                                            : of_positive(y.high, y.high);
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

ELEMENTARY float log(float x) {
    // In float: k ln(2) + f - (f^2 / 2 - f^3 P(f)).
    const bool is_normal = x >= 0x1p-126f;
    const float y = is_normal ? x : x * 0x1p23f;
    const uint32_t biased = (bits(y) + 0x004AFB0Du) >> 23;
    const float m = from_bits(bits(y) - (biased << 23) + 0x3F800000u);
    const float k = from_bits(biased | 0x4B000000u) - (is_normal ? 8388735.0f : 8388758.0f);
    const float f = m - 1.0f;
    const float square = f * f;
    const float rest = fused(square * f, log_series(f), k * 0x1.7f7d1cp-20f);
    const float near = f - fused(0.5f, square, -rest);
    return of_positive(x, fused(k, 0x1.62e4p-1f, near));
}

ELEMENTARY float log2(float x) {
    const Parts p = parts_of_normal(x);
    const double result = fused(short_log_near_one(p.f), 0x1.71547652b82fep+0, p.k);
    return of_positive(x, static_cast<float>(result));
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
