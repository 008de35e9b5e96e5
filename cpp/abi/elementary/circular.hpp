/* Sine, cosine, tangent: x = n pi / 2 + rest, the rest from -pi / 4 to pi / 4.
 *
 * Near zero multiples of pi / 2, in three parts, are subtracted (W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions, 1980). Farther away the 53 bits of x are multiplied by those
 * of 2 / pi that matter, which the exponent chooses (M. Payne and R. Hanek, Radian reduction for
 * trigonometric functions, 1983).
 */
#pragma once

#include "elementary/basics.hpp"
#include "elementary/far_angle.hpp"

namespace elementary {

// x = n pi / 2 + rest; of n the last two bits count.
template <class T>
struct Angle {
    uint64_t n;
    T rest;
};

ELEMENTARY Angle<Two<double>> angle_of(double x) {
    const double shifted = fused(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
    const double n = shifted - 0x1.8p52;
    const double most = fused(-n, 0x1.921fb54440000p+0, x);
    const Two<double> more = sum_of(most, n * -0x1.68c234c4c0000p-39);
    const Two<double> near = sum_of_ordered(more.high, fused(n, -0x1.98a2e03707345p-77, more.low));
    const double high = far_high(x), low = far_low(x);
    // Sums, not choices: compilers would make branches of those, with the calls in one of them.
    const bool far = is_far(x);
    return {bits(far ? 0.0 : shifted) + bits(high),
            {(far ? 0.0 : near.high) + high, (far ? 0.0 : near.low) + low}};
}

// The sine and cosine of an angle within pi / 4 of zero.
ELEMENTARY Two<double> near_sin(Two<double> r) {
    const double z = r.high * r.high;
    const double q =
        polynomial(z, -0x1.5555555555549p-3, 0x1.111111110f87cp-7, -0x1.a01a019c11c7ep-13,
                   0x1.71de3577d81b3p-19, -0x1.ae5e664fbb983p-26, 0x1.5d9305d45cb24p-33);
    const double low = fused(-0.5 * z, r.low, r.low);
    return sum_of_ordered(r.high, fused(z * r.high, q, low));
}

ELEMENTARY Two<double> near_cos(Two<double> r) {
    const Two<double> z = product_of(r.high, r.high);
    const double q =
        polynomial(z.high, 0x1.5555555555550p-5, -0x1.6c16c16c15899p-10, 0x1.a01a019d4c660p-16,
                   -0x1.27e4f86d90569p-22, 0x1.1eea2955b4472p-29, -0x1.8fcbd51516118p-37);
    const Two<double> one = sum_of_ordered(1.0, -0.5 * z.high);
    const double low = fused(z.high * z.high, q, fused(-0.5, z.low, -r.high * r.low));
    return sum_of_ordered(one.high, one.low + low);
}

// A result with another sign where its angle has two or three quarter turns.
ELEMENTARY double turned(double result, uint64_t n) {
    return from_bits(bits(result) ^ ((n & 2) << 62));
}

// A result, x itself where that is as good as zero, or what is not a number where x is infinite.
// Bits, not choices: of those compilers would make branches, with the calls above in one of them.
ELEMENTARY double checked(double x, double result, double tiny) {
    const uint64_t is_tiny = 0 - static_cast<uint64_t>(size(x) < tiny);
    return from_bits((bits(x) & is_tiny) | (bits(result + (x - x)) & ~is_tiny));
}
ELEMENTARY float checked(float x, float result, float tiny) {
    const uint32_t is_tiny = 0 - static_cast<uint32_t>(size(x) < tiny);
    return from_bits((bits(x) & is_tiny) | (bits(result + (x - x)) & ~is_tiny));
}

ELEMENTARY double sin(double x) {
    const Angle<Two<double>> a = angle_of(x);
    const double result = (a.n & 1) != 0 ? near_cos(a.rest).high : near_sin(a.rest).high;
    return checked(x, turned(result, a.n), 0x1p-28);
}

ELEMENTARY double cos(double x) {
    const Angle<Two<double>> a = angle_of(x);
    const double result = (a.n & 1) != 0 ? near_sin(a.rest).high : near_cos(a.rest).high;
    return turned(result, a.n + 1) + (x - x);
}

ELEMENTARY double tan(double x) {
    const Angle<Two<double>> a = angle_of(x);
    const Two<double> s = near_sin(a.rest), c = near_cos(a.rest);
    const bool is_odd = (a.n & 1) != 0;
    const Two<double> above = {is_odd ? -c.high : s.high, is_odd ? -c.low : s.low};
    const Two<double> below = {is_odd ? s.high : c.high, is_odd ? s.low : c.low};
    const double result = rounded_sum(quotient_of(above, below));
    return checked(x, result, 0x1p-28);
}

// The same for results that are rounded to float.
ELEMENTARY Angle<double> short_angle_of(double x) {
    const double shifted = fused(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
    const double n = shifted - 0x1.8p52;
    const double near = fused(-n, 0x1.1a62633145c07p-54, fused(-n, 0x1.921fb54442d18p+0, x));
    const bool far = is_far(x);
    const double high = far_high(x);
    return {bits(far ? 0.0 : shifted) + bits(high), (far ? 0.0 : near) + high};
}

ELEMENTARY double short_sin(double r) {
    const double z = r * r;
    const double q =
        polynomial(z, -0x1.555545977ec7dp-3, 0x1.11075f6042affp-7, -0x1.994e58f5fd620p-13);
    return fused(z * r, q, r);
}

ELEMENTARY double short_cos(double r) {
    const double z = r * r;
    const double q =
        polynomial(z, 0x1.55554ab7f67dbp-5, -0x1.6c0c8ce79dc04p-10, 0x1.9a0275a385df4p-16);
    return fused(z * z, q, fused(-0.5, z, 1.0));
}

ELEMENTARY float sin(float x) {
    const Angle<double> a = short_angle_of(x);
    const double result = (a.n & 1) != 0 ? short_cos(a.rest) : short_sin(a.rest);
    return checked(x, static_cast<float>(turned(result, a.n)), 0x1p-13f);
}

ELEMENTARY float cos(float x) {
    const Angle<double> a = short_angle_of(x);
    const double result = (a.n & 1) != 0 ? short_sin(a.rest) : short_cos(a.rest);
    return static_cast<float>(turned(result, a.n + 1)) + (x - x);
}

ELEMENTARY float tan(float x) {
    const Angle<double> a = short_angle_of(x);
    const double s = short_sin(a.rest), c = short_cos(a.rest);
    const bool is_odd = (a.n & 1) != 0;
    const double result = (is_odd ? -c : s) / (is_odd ? s : c);
    return checked(x, static_cast<float>(result), 0x1p-13f);
}

}  // namespace elementary
