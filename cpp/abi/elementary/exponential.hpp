/* Exponential and hyperbolic functions: e^x = 2^n e^r with |r| <= ln(2) / 2. */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// e^x = 2^n (1 + high + low).
template <class T>
struct Exponential {
    T n;
    Two<T> rest;
};

// (e^r - 1 - r) / r^2 where |r| <= ln(2) / 2.
ELEMENTARY double expm1_series(double r) {
    return polynomial(r, 0x1.0000000000000p-1, 0x1.5555555555558p-3, 0x1.555555555553bp-5,
                      0x1.111111110f96cp-7, 0x1.6c16c16c186dfp-10, 0x1.a01a01aeb5e15p-13,
                      0x1.a01a01b610038p-16, 0x1.71ddfb5878f42p-19, 0x1.27e48e831c265p-22,
                      0x1.af59a6eb18cd2p-26, 0x1.2021db1f8a0c2p-29);
}

// e^r - 1 where |r.high| <= ln(2) / 2.
ELEMENTARY Two<double> expm1_near_zero(Two<double> r) {
    const double q = expm1_series(r.high);
    return sum_of_ordered(r.high, fused(r.high * r.high, q, fused(r.low, r.high, r.low)));
}

// Of x = high + low, where |high| is below 1200.
ELEMENTARY Exponential<double> exponential(double high, double low) {
    const double n = nearest(high * 0x1.71547652b82fep+0);
    const double near = fused(-n, 0x1.62e42fefa3800p-1, high);  // exact: ln(2) to 42 bits
    return {n, expm1_near_zero(sum_of_ordered(near, fused(n, -0x1.ef35793c76730p-45, low)))};
}

template <class T>
ELEMENTARY T within(T x, T lower, T upper) {
    const T above = x < lower ? lower : x;
    return x > upper ? upper : above;
}

template <class T>
ELEMENTARY T at_most(T x, T upper) {
    return upper < x ? upper : x;
}

// A number within a limit of zero.
template <class T>
ELEMENTARY T bounded(T x, T limit) {
    return size(x) > limit ? copysign(limit, x) : x;
}

ELEMENTARY double exp(double x) {
    const double near = bounded(x, 1400.0);
    const double shifted = fused(near, 0x1.71547652b82fep+0, 0x1.8p52);
    const double n = shifted - 0x1.8p52;
    const double most = fused(-n, 0x1.62e42fefa3800p-1, near);
    const double r = fused(-n, 0x1.ef35793c76730p-45, most);
    return scaled_by(1.0 + fused(r * r, expm1_series(r), r), shifted);
}

ELEMENTARY double exp2(double x) {
    const double near = bounded(x, 2000.0);
    const double shifted = near + 0x1.8p52;
    const double r = near - (shifted - 0x1.8p52);
    const double p = polynomial(r, 0x1.ebfbdff82c5a5p-3, 0x1.c6b08d704a0d7p-5, 0x1.3b2ab6fb9ff52p-7,
                                0x1.5d87fe78a0e85p-10, 0x1.4309130f305d7p-13, 0x1.ffcbfc7c314a2p-17,
                                0x1.62bfc6ca6a35cp-20, 0x1.b524ce0fee0fep-24, 0x1.e61cac9b357dap-28,
                                0x1.ea1818f11e55bp-32);
    return scaled_by(fused(r, fused(r, p, 0x1.62e42fefa39efp-1), 1.0), shifted);
}

// (e^x - 1) / 4 for x from -44 to 710.5.
ELEMENTARY Two<double> quarter_of_expm1(double x) {
    const Exponential<double> e = exponential(x, 0.0);
    const double quarter = two_to(e.n - 2.0);
    // Exact but where the quarter is far below this.
    const Two<double> less = sum_of_ordered(quarter, -0.25);
    const Two<double> sum = sum_of(less.high, quarter * e.rest.high);
    return {sum.high, sum.low + fused(quarter, e.rest.low, less.low)};
}

ELEMENTARY double expm1(double x) {
    const double result = 4.0 * rounded_sum(quarter_of_expm1(within(x, -40.0, 710.0)));
    return size(x) < 0x1p-54 ? x : result;
}

// e^x / 4 for x from 0 to 710.5.
ELEMENTARY Two<double> quarter_of_exp(double x) {
    const Exponential<double> e = exponential(x, 0.0);
    const double quarter = two_to(e.n - 2.0);
    const Two<double> sum = sum_of_ordered(1.0, e.rest.high);
    return {quarter * sum.high, quarter * (sum.low + e.rest.low)};
}

ELEMENTARY double sinh(double x) {
    const double z = x * x;
    const double q = polynomial(z, 0x1.5555555555556p-3, 0x1.11111111110a1p-7,
                                0x1.a01a01a029205p-13, 0x1.71de3a45f6702p-19, 0x1.ae6467673d6e9p-26,
                                0x1.611a39ceb0dd8p-33, 0x1.b4cf94851a770p-41);
    const Two<double> above = quarter_of_exp(at_most(size(x), 710.5));
    const double below = 0.0625 / above.high;  // e^-x / 4
    const double far = 2.0 * (above.high + (above.low - below));
    return size(x) < 1.0 ? fused(x * z, q, x) : copysign(far, x);
}

ELEMENTARY double cosh(double x) {
    const Two<double> above = quarter_of_exp(at_most(size(x), 710.5));
    const double below = 0.0625 / above.high;
    return 2.0 * (above.high + fused(above.low, fused(-16.0 * below, below, 1.0), below));
}

ELEMENTARY double tanh(double x) {
    // With E = e^(2 |x|) - 1: E / (E + 2).
    const Two<double> quarter = quarter_of_expm1(2.0 * at_most(size(x), 22.0));
    const Two<double> below = sum_of(0.5, quarter.high);
    const double result = rounded_sum(quotient_of(quarter, {below.high, below.low + quarter.low}));
    return size(x) < 0x1p-28 ? x : copysign(result, x);
}

// The same in double for results that are rounded to float: e^x = 2^n (1 + rest).
ELEMENTARY Exponential<double> short_exponential(double x) {
    const double n = nearest(x * 0x1.71547652b82fep+0);
    const double r = fused(-n, 0x1.62e42fefa39efp-1, x);
    const double q = polynomial(r, 0x1.ffffffffeac74p-2, 0x1.5555557e8ea71p-3, 0x1.5555558aaea76p-5,
                                0x1.1110a140c4436p-7, 0x1.6c162276f6fe4p-10, 0x1.a186f4b734bfdp-13,
                                0x1.a18b8d8473f35p-16);
    return {n, {fused(r * r, q, r), 0.0}};
}

ELEMENTARY double short_exp(double x) {
    const Exponential<double> e = short_exponential(within(x, -110.0, 100.0));
    return (1.0 + e.rest.high) * two_to(e.n);
}

ELEMENTARY double short_expm1(double x) {
    const Exponential<double> e = short_exponential(within(x, -40.0, 100.0));
    const double scale = two_to(e.n);
    return fused(scale, e.rest.high, scale - 1.0);
}

// In float, where that is enough: (e^r - 1 - r) / r^2.
ELEMENTARY float expm1_series(float r) {
    return polynomial(r, 0x1.00000051bdf9dp-1, 0x1.55548eed359f4p-3, 0x1.55545df51bc38p-5,
                      0x1.123b54a6bbf9dp-7, 0x1.6db41f41360f8p-10);
}

ELEMENTARY float exp(float x) {
    const float near = bounded(x, 170.0f);
    const float shifted = fused(near, 0x1.715476p+0f, 0x1.8p23f);
    const float n = shifted - 0x1.8p23f;
    const float most = fused(-n, 0x1.62e4p-1f, near);  // exact: ln(2) to 15 bits
    const float r = fused(-n, 0x1.7f7d1cp-20f, most);
    const float rest = fused(-n, 0x1.7f7d1cp-20f, most - r);
    return scaled_by(1.0f + (r + fused(r * r, expm1_series(r), rest)), shifted);
}

ELEMENTARY float exp2(float x) {
    const float near = bounded(x, 250.0f);
    const float shifted = near + 0x1.8p23f;
    const float r = near - (shifted - 0x1.8p23f);
    const float p = polynomial(r, 0x1.ebfbe0d9a6761p-3, 0x1.c6aecf4b71bbep-5, 0x1.3b29a8dd3fdf4p-7,
                               0x1.5f47c1475c5f3p-10, 0x1.44906fc4ffea5p-13);
    return scaled_by(fused(r, fused(r, p, 0x1.62e430p-1f), 1.0f), shifted);
}

ELEMENTARY float expm1(float x) {
    const float result = static_cast<float>(short_expm1(x));
    return size(x) < 0x1p-25f ? x : result;
}

ELEMENTARY float sinh(float x) {
    const double e = short_expm1(size(x));
    const float result = static_cast<float>(0.5 * (e + e / (e + 1.0)));
    return size(x) < 0x1p-13f ? x : copysign(result, x);
}

ELEMENTARY float cosh(float x) {
    const double e = short_exp(size(x));
    return static_cast<float>(0.5 * (e + 1.0 / e));
}

ELEMENTARY float tanh(float x) {
    const double e = short_expm1(2.0 * static_cast<double>(at_most(size(x), 20.0f)));
    const float result = static_cast<float>(e / (e + 2.0));
    return size(x) < 0x1p-13f ? x : copysign(result, x);
}

}  // namespace elementary
