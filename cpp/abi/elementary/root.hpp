/* Cube roots and lengths; square roots are the processor's. */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// The cube root of a positive, finite and normal number: y = v w^2, w = v^(-1/3) by Newton's steps.
ELEMENTARY double cbrt_of_normal(double x) {
    const double e = as_double(bits(x) >> 52) - 1023.0;
    const double n = nearest(e * 0x1.5555555555555p-2);
    const double odd = e - 3.0 * n;  // -1, 0 or 1
    const double m = from_bits((bits(x) & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
    const double v = m * (odd == 0.0 ? 1.0 : odd < 0.0 ? 0.5 : 2.0);
    const double first =
        polynomial(m, 0x1.ab867f7db2f96p+0, -0x1.2c430f12f64b7p+0, 0x1.6415b88c4c369p-1,
                   -0x1.c51201e8ef0a2p-3, 0x1.d46056956da81p-6);
    double w = first * (odd == 0.0 ? 1.0 : odd < 0.0 ? 0x1.428a2f98d728bp+0 : 0x1.965fea53d6e3dp-1);
    w = fused(w * 0x1.5555555555555p-2, fused(-v * w, w * w, 1.0), w);
    w = fused(w * 0x1.5555555555555p-2, fused(-v * w, w * w, 1.0), w);
    const double y = v * w * w;
    const Two<double> square = product_of(y, y);
    const double rest = fused(-y, square.high, v) - y * square.low;
    return fused(rest * 0x1.5555555555555p-2, w * w, y) * two_to(n);
}

ELEMENTARY double cbrt(double x) {
    const double a = size(x);
    const bool is_normal = a >= 0x1p-1022;
    const double result = cbrt_of_normal(is_normal ? a : a * 0x1p54) * (is_normal ? 1.0 : 0x1p-18);
    return a > 0.0 && a < infinity() ? copysign(result, x) : x + x;
}

ELEMENTARY float cbrt(float x) {
    const double a = size(x);
    const float result = static_cast<float>(cbrt_of_normal(a));
    return a > 0.0 && a < infinity() ? copysign(result, x) : x + x;
}

ELEMENTARY double hypot(double x, double y) {
    const double a = size(x), b = size(y);
    const double more = a > b ? a : b, less = a > b ? b : a;
    const bool is_large = more > 0x1p500, is_tiny = more < 0x1p-450;
    const double scale = is_large ? 0x1p-600 : is_tiny ? 0x1p600 : 1.0;
    const double back = is_large ? 0x1p600 : is_tiny ? 0x1p-600 : 1.0;
    const Two<double> u = product_of(more * scale, more * scale);
    const Two<double> v = product_of(less * scale, less * scale);
    const Two<double> sum = sum_of_ordered(u.high, v.high);
    const double length = root(sum.high);
    const double rest = fused(-length, length, sum.high) + (sum.low + (u.low + v.low));
    const double result = (length + rest / (2.0 * length)) * back;
    const bool is_infinite = a == infinity() || b == infinity();
    return is_infinite ? infinity() : x != x || y != y ? x + y : more == 0.0 ? 0.0 : result;
}

ELEMENTARY float hypot(float x, float y) {
    const double a = x, b = y;
    const float infinite = static_cast<float>(infinity());
    const bool is_infinite = size(x) == infinite || size(y) == infinite;
    return is_infinite ? infinite : static_cast<float>(root(fused(a, a, b * b)));
}

}  // namespace elementary
