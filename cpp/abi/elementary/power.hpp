/* x to the power y: e^(y ln(x)), the logarithm and the product in two parts. */
#pragma once

#include "elementary/exponential.hpp"
#include "elementary/logarithm.hpp"
#include "elementary/rounding.hpp"

namespace elementary {

// The power of x from that of its size.
template <class T>
ELEMENTARY T power_with_sign(T x, T y, T of_size) {
    const T power = size(x) == 1 || y == 0 ? T(1) : of_size;
    const T whole = rint(y), half = y * T(0.5);
    const bool is_odd = rint(half) != half;  // of whole numbers
    const bool is_whole = whole == y;
    const T signed_power = is_whole && is_odd ? copysign(power, x) : power;
    const bool has_none = x < 0 && x > -static_cast<T>(infinity()) && !is_whole;
    return has_none ? static_cast<T>(not_a_number()) : signed_power;
}

// k ln(2) + ln(1 + f) to about 65 bits, the second part within 2^-13 of the first:
// ln(1 + f) = 2 artanh(s / 2) = s + s^3 / 12 + ...
ELEMENTARY Two<double> long_log(Parts p) {
    const Two<double> below = sum_of_ordered(2.0, p.f);
    const double above = p.f + p.f, inverse = 1.0 / below.high;
    const double s = above * inverse;
    const double s_low = fused(-s, below.low, fused(-s, below.high, above)) * inverse;
    const Two<double> z = product_of(s, s);
    // 1 / 12 in two parts
    const Two<double> first = product_of(z.high, 0x1.555554p-4);
    const double q =
        polynomial(z.high, 0x1.5555555555555p-28, 0x1.9999999999999p-7, 0x1.2492492492a28p-9,
                   0x1.c71c71c61b1d4p-12, 0x1.745d17f248c4ap-14, 0x1.3b1371bc73f19p-16,
                   0x1.111eb11cb2befp-18, 0x1.de7d80223133bp-21, 0x1.e8de1c34847f6p-23);
    const double first_low = fused(z.high, q, fused(z.low, 0x1.555554p-4, first.low));
    const Two<double> more = product_of(s, first.high);
    // What s lacks counts 1 / (1 - z / 4) times.
    const double low = fused(s, first_low, more.low) + fused(0.2575 * z.high, s_low, s_low);
    const Two<double> most = sum_of_ordered(p.k * 0x1.62e42fefa3800p-1, s);
    const Two<double> all = sum_of_ordered(most.high, more.high);
    const double rest = most.low + fused(p.k, 0x1.ef35793c76730p-45, low);
    return {all.high, all.low + rest};
}

// e^(high + low), of numbers in two parts that 'exp' would take.
ELEMENTARY double long_exp(double high, double low) {
    const double shifted = fused(high + low, 0x1.71547652b82fep+0, 0x1.8p52);
    const double n = shifted - 0x1.8p52;
    const double most = fused(-n, 0x1.62e42fefa3800p-1, high);
    const double r = most + fused(-n, 0x1.ef35793c76730p-45, low);
    const Two<double> sum = sum_of_ordered(1.0, r);
    return scaled_by(sum.high + fused(r * r, expm1_series(r), sum.low), shifted);
}

ELEMENTARY double pow(double x, double y) {
    const double a = size(x);
    const Two<double> l = long_log(parts_of(a));
    const bool is_regular = bits(a) - 1 < bits(infinity()) - 1;
    const double high = is_regular ? l.high : (a - 1.0) * infinity();
    const double product = y * high;
    const double rest = fused(y, l.low, fused(y, high, -product));
    const bool is_out = size(product) > 1400.0;
    const double power =
        long_exp(is_out ? copysign(1400.0, product) : product, is_out ? 0.0 : rest);
    return power_with_sign(x, y, power);
}

// 2^(y log2(x)): the product in double, that of its fraction in float.
ELEMENTARY float pow(float x, float y) {
    const float a = size(x);
    const ShortParts p = short_parts_of(a);
    const double f = p.f;
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double q = polynomial(z, 0x1.71547652b82fep+1, 0x1.ec709dc4c2153p-1, 0x1.2776c2f05a49fp-1,
                                0x1.a619f59fdd8a8p-2, 0x1.479cf98738662p-2, 0x1.2152283bb31dcp-2);
    const double product = static_cast<double>(y) * fused(s, q, static_cast<double>(p.k));
    const bool is_regular = bits(a) - 1 < bits(static_cast<float>(infinity())) - 1;
    const float limit = (a - 1.0f) * y * static_cast<float>(infinity());
    const float rounded = is_regular ? static_cast<float>(product) : limit;
    const bool is_out = size(rounded) > 250.0f;
    const float shifted = (is_out ? copysign(250.0f, rounded) : rounded) + 0x1.8p23f;
    const double fraction = product - static_cast<double>(shifted - 0x1.8p23f);
    const float r = is_out ? 0.0f : static_cast<float>(fraction * 0x1.62e42fefa39efp-1);
    const Two<float> sum = sum_of_ordered(1.0f, r);
    const float power = scaled_by(sum.high + fused(r * r, expm1_series(r), sum.low), shifted);
    return power_with_sign(x, y, power);
}

}  // namespace elementary
