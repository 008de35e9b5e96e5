/* x to the power y: e^(y ln(x)), the logarithm and the product in two parts. */
#pragma once

#include "elementary/exponential.hpp"
#include "elementary/logarithm.hpp"
#include "elementary/rounding.hpp"

namespace elementary {

// The sign of a power of a negative number, and what has none.
template <class T>
ELEMENTARY T power_with_sign(T x, T y, T of_size) {
    const T infinite = static_cast<T>(infinity());
    const bool is_whole = rint(y) == y;
    const T half = y * T(0.5);
    const bool is_odd = is_whole && rint(half) != half;
    const T power = size(x) == 1 && size(y) == infinite ? T(1) : of_size;
    const T signed_power = is_odd ? copysign(power, x) : power;
    const bool has_none = x < 0 && x > -infinite && !is_whole;
    const T result = has_none ? static_cast<T>(not_a_number()) : signed_power;
    return x == 1 || y == 0 ? T(1) : result;
}

ELEMENTARY double pow(double x, double y) {
    const double a = size(x);
    const Parts p = parts_of(a);
    const Two<double> l = long_log(p.k, {p.f, 0.0});
    const double high = of_positive(a, l.high);
    const double product = y * high;
    const bool is_near = size(product) < 1100.0;
    const double rest = fused(y, high, -product) + y * l.low;
    const Exponential<double> e =
        exponential(within(product, -1100.0, 1100.0), is_near ? rest : 0.0);
    const Two<double> sum = sum_of_ordered(1.0, e.rest.high);
    return power_with_sign(x, y, scaled(sum.high + (sum.low + e.rest.low), e.n));
}

ELEMENTARY float pow(float x, float y) {
    const float a = size(x);
    const Parts p = parts_of_normal(a);
    const double s = p.f / (2.0 + p.f);
    const double z = s * s;
    const double q = polynomial(z, 0x1.555555561e3b0p-1, 0x1.999996a95d6cep-2, 0x1.249411e7db6c1p-2,
                                0x1.c62b1633b72cap-3, 0x1.91157efb4cdc2p-3);
    const double near = fused(s * z, q, 2.0 * s);
    const double l = of_positive(static_cast<double>(a), fused(p.k, 0x1.62e42fefa39efp-1, near));
    return power_with_sign(x, y, static_cast<float>(short_exp(static_cast<double>(y) * l)));
}

}  // namespace elementary
