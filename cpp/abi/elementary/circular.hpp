/* Sine, cosine, tangent: x = n pi / 2 + rest, the rest from -pi / 4 to pi / 4.
 *
 * Near zero multiples of pi / 2, in three parts, are subtracted (W. J. Cody and W. Waite, Software
 * Manual for the Elementary Functions, 1980).
 */
#pragma once

#include "elementary/far_angle.hpp"
#include "elementary/far_from_zero.hpp"

namespace elementary {

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

ELEMENTARY double sin_of(Angle<Two<double>> a) {
    return turned((a.n & 1) != 0 ? near_cos(a.rest).high : near_sin(a.rest).high, a.n);
}

ELEMENTARY double cos_of(Angle<Two<double>> a) {
    return turned((a.n & 1) != 0 ? near_sin(a.rest).high : near_cos(a.rest).high, a.n + 1);
}

ELEMENTARY double tan_of(Angle<Two<double>> a) {
    const Two<double> s = near_sin(a.rest), c = near_cos(a.rest);
    const bool is_odd = (a.n & 1) != 0;
    const Two<double> above = {is_odd ? -c.high : s.high, is_odd ? -c.low : s.low};
    const Two<double> below = {is_odd ? s.high : c.high, is_odd ? s.low : c.low};
    return rounded_sum(quotient_of(above, below));
}

// What is not a number of infinities.
ELEMENTARY_COLD double far_sin(double x) {
    return size(x) < infinity() ? sin_of(far_angle_of(x)) : x - x;
}
ELEMENTARY_COLD double far_cos(double x) {
    return size(x) < infinity() ? cos_of(far_angle_of(x)) : x - x;
}
ELEMENTARY_COLD double far_tan(double x) {
    return size(x) < infinity() ? tan_of(far_angle_of(x)) : x - x;
}
ELEMENTARY_COLD float far_sin(float x) {
    return static_cast<float>(far_sin(static_cast<double>(x)));
}
ELEMENTARY_COLD float far_cos(float x) {
    return static_cast<float>(far_cos(static_cast<double>(x)));
}
ELEMENTARY_COLD float far_tan(float x) {
    return static_cast<float>(far_tan(static_cast<double>(x)));
}

}  // namespace elementary

ELEMENTARY_FAR_DOUBLE(elementary_far_sin, far_sin)
ELEMENTARY_FAR_DOUBLE(elementary_far_cos, far_cos)
ELEMENTARY_FAR_DOUBLE(elementary_far_tan, far_tan)
ELEMENTARY_FAR_FLOAT(elementary_far_sinf, far_sin)
ELEMENTARY_FAR_FLOAT(elementary_far_cosf, far_cos)
ELEMENTARY_FAR_FLOAT(elementary_far_tanf, far_tan)

namespace elementary {

ELEMENTARY Angle<Two<double>> near_angle_of(double x) {
    const double shifted = fused(x, 0x1.45f306dc9c883p-1, 0x1.8p52);
    const double n = shifted - 0x1.8p52;
    const double most = fused(-n, 0x1.921fb54440000p+0, x);
    const Two<double> more = sum_of(most, n * -0x1.68c234c4c0000p-39);
    return {bits(shifted), sum_of_ordered(more.high, fused(n, -0x1.98a2e03707345p-77, more.low))};
}

// A result, or x itself where that is as good as zero.
template <class T>
ELEMENTARY T or_tiny(T x, T result, T tiny) {
    return size(x) < tiny ? x : result;
}

ELEMENTARY double sin(double x) {
    const double result = or_tiny(x, sin_of(near_angle_of(x)), 0x1p-28);
    return near_or_far(x, result, elementary_far_sin(x));
}

ELEMENTARY double cos(double x) {
    return near_or_far(x, cos_of(near_angle_of(x)), elementary_far_cos(x));
}

ELEMENTARY double tan(double x) {
    const double result = or_tiny(x, tan_of(near_angle_of(x)), 0x1p-28);
    return near_or_far(x, result, elementary_far_tan(x));
}

ELEMENTARY Angle<Two<float>, uint32_t> near_angle_of(float x) {
    const float shifted = fused(x, 0x1.45f306p-1f, 0x1.8p23f);
    const float n = shifted - 0x1.8p23f;
    const float most = fused(-n, 0x1.921fb6p+0f, x);  // exact
    const Two<float> more = product_of(n, 0x1.777a5c0000000p-25f);
    const Two<float> rest = sum_of_ordered(most, more.high);  // exact: multiples of one unit
    return {bits(shifted), {rest.high, rest.low + fused(n, 0x1.ee59da0000000p-50f, more.low)}};
}

ELEMENTARY float near_sin(Two<float> r, float z) {
    const float q =
        polynomial(z, -0x1.555545977ec7dp-3, 0x1.11075f6042affp-7, -0x1.994e58f5fd620p-13);
    return r.high + fused(z * r.high, q, r.low);
}

ELEMENTARY float near_cos(float z) {
    const float q =
        polynomial(z, 0x1.55554ab7f67dbp-5, -0x1.6c0c8ce79dc04p-10, 0x1.9a0275a385df4p-16);
    return fused(-z, fused(-z, q, 0.5f), 1.0f);
}

// The square of an angle, rounded once.
ELEMENTARY float square_of(Two<float> r) {
    return fused(r.high, r.high, (r.high + r.high) * r.low);
}

ELEMENTARY float turned(float result, uint32_t n) {
    return from_bits(bits(result) ^ ((n & 2) << 30));
}

ELEMENTARY float sin(float x) {
    const Angle<Two<float>, uint32_t> a = near_angle_of(x);
    const float z = square_of(a.rest);
    const float near = turned((a.n & 1) != 0 ? near_cos(z) : near_sin(a.rest, z), a.n);
    return near_or_far(x, or_tiny(x, near, 0x1p-13f), elementary_far_sinf(x));
}

ELEMENTARY float cos(float x) {
    const Angle<Two<float>, uint32_t> a = near_angle_of(x);
    const float z = square_of(a.rest);
    const float near = turned((a.n & 1) != 0 ? near_sin(a.rest, z) : near_cos(z), a.n + 1);
    return near_or_far(x, near, elementary_far_cosf(x));
}

// In double for a result that is rounded to float.
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

ELEMENTARY float tan(float x) {
    const double shifted = fused(static_cast<double>(x), 0x1.45f306dc9c883p-1, 0x1.8p52);
    const double n = shifted - 0x1.8p52;
    const double r = fused(-n, 0x1.1a62633145c07p-54, fused(-n, 0x1.921fb54442d18p+0, double(x)));
    const double s = short_sin(r), c = short_cos(r);
    const bool is_odd = (bits(shifted) & 1) != 0;
    const double result = (is_odd ? -c : s) / (is_odd ? s : c);
    const float near = or_tiny(x, static_cast<float>(result), 0x1p-13f);
    return near_or_far(x, near, elementary_far_tanf(x));
}

}  // namespace elementary
