/* Arcus functions. */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// t within tan(pi / 8) of zero: (atan(t) - t) / t^3 of z = t^2.
ELEMENTARY double atan_series(double z) {
    return polynomial(z, -0x1.5555555555554p-2, 0x1.999999999965ap-3, -0x1.2492492475d4ep-3,
                      0x1.c71c71b778952p-4, -0x1.745d14bfc99dbp-4, 0x1.3b136eae8068bp-4,
                      -0x1.110c79d5ad3efp-4, 0x1.e17283199f65fp-5, -0x1.ab80a7c1733a8p-5,
                      0x1.70f99b4ea5e4cp-5, -0x1.12536e84f383ap-5, 0x1.f25598584bf44p-7);
}

// z up to 1/4: (asin(s) - s) / s^3 of z = s^2.
ELEMENTARY double asin_series(double z) {
    return polynomial(z, 0x1.5555555555578p-3, 0x1.333333332df02p-4, 0x1.6db6db722c1bcp-5,
                      0x1.f1c71a8b63f59p-6, 0x1.6e8bdfebf1131p-6, 0x1.1c49ddad6d6ffp-6,
                      0x1.ca214b49b8fe4p-7, 0x1.757759daa97ebp-7, 0x1.618bbdebfb0c8p-7,
                      0x1.e14d602beb345p-9, 0x1.6505da07fe67ep-6, -0x1.59fb7d8ca86cdp-6,
                      0x1.0be5d3c5f5264p-5);
}

// Of which eighth of a turn a point's direction is the angle from: pi / 4 times 'eighths', plus or
// minus the angle whose tangent is the quotient of two numbers.
template <class T>
struct Direction {
    T eighths, sign;
    Two<T> above, below;
};

ELEMENTARY Direction<double> direction_of(double y, double x) {
    const double infinite = infinity();
    const double a = size(y), b = size(x);
    const bool is_steep = a > b;
    const double more = is_steep ? a : b, less = is_steep ? b : a;
    // Of infinities only the direction counts.
    const bool is_far = more == infinite;
    const double scale = more > 0x1p900 ? 0x1p-200 : more < 0x1p-800 ? 0x1p200 : 1.0;
    const double above = is_far ? (less == infinite ? 1.0 : 0.0) : less * scale;
    const double below = is_far ? 1.0 : more * scale;
    const bool is_wide = above > 0x1.a827999fcef32p-2 * below;
    const Two<double> sum = sum_of_ordered(below, is_wide ? above : 0.0);
    double eighths = is_wide ? 1.0 : 0.0;
    double sign = 1.0;
    eighths = is_steep ? 2.0 - eighths : eighths;
    sign = is_steep ? -sign : sign;
    const bool is_left = is_signed(x);
    eighths = is_left ? 4.0 - eighths : eighths;
    sign = is_left ? -sign : sign;
    const Two<double> rest = sum_of_ordered(is_wide ? -below : 0.0, above);
    return {eighths, sign, rest, sum};
}

ELEMENTARY double atan2(double y, double x) {
    const Direction<double> d = direction_of(y, x);
    const double below = d.below.high == 0.0 ? 1.0 : d.below.high;
    const Two<double> t = quotient_of<double>(d.above, {below, d.below.low});
    const double z = t.high * t.high;
    const double low = fused(z * t.high, atan_series(z), t.low);
    const Two<double> base = {
        d.eighths * 0x1.921fb54442d18p-1,
        fused(d.eighths, 0x1.921fb54442d18p-1, -(d.eighths * 0x1.921fb54442d18p-1)) +
            d.eighths * 0x1.1a62633145c07p-55};
    const Two<double> sum = sum_of_ordered(base.high, d.sign * t.high);
    const double result = sum.high + (sum.low + (base.low + d.sign * low));
    return x != x || y != y ? x + y : copysign(result, y);
}

ELEMENTARY double atan(double x) {
    return atan2(x, 1.0);
}

// s and its rest, of what the arcus sine is taken: |x|, or the root of (1 - |x|) / 2.
struct Half {
    bool is_small;
    Two<double> s;
    double more;
};

ELEMENTARY Half half_of(double x) {
    const double a = size(x);
    const bool is_small = a <= 0.5;
    const double z = is_small ? a * a : (1.0 - a) * 0.5;
    const double s = is_small ? a : root(z);
    const double rest = fused(-s, s, z) / (2.0 * (z == 0.0 ? 1.0 : s));
    return {is_small, {s, is_small ? 0.0 : rest}, z * asin_series(z) * s};
}

ELEMENTARY double asin(double x) {
    const Half h = half_of(x);
    const double low = h.s.low + h.more;
    const Two<double> sum = sum_of_ordered(0x1.921fb54442d18p+0, -2.0 * h.s.high);
    const double large = sum.high + (sum.low + (0x1.1a62633145c07p-54 - 2.0 * low));
    return copysign(h.is_small ? h.s.high + low : large, x);
}

ELEMENTARY double acos(double x) {
    const Half h = half_of(x);
    const double low = h.s.low + h.more;
    // Two angles from zero, one from a quarter or two from half a turn.
    const bool is_left = x < 0.0;
    const bool is_near = !h.is_small && !is_left;
    const double sign = h.is_small && is_left ? 1.0 : -1.0;
    const double factor = h.is_small ? sign : is_left ? -2.0 : 2.0;
    const double base = is_near ? 0.0 : h.is_small ? 0x1.921fb54442d18p+0 : 0x1.921fb54442d18p+1;
    const double rest = is_near ? 0.0 : h.is_small ? 0x1.1a62633145c07p-54 : 0x1.1a62633145c07p-53;
    const Two<double> sum = sum_of_ordered(base, factor * h.s.high);
    return sum.high + (sum.low + (rest + factor * low));
}

ELEMENTARY double short_asin_series(double z) {
    return polynomial(z, 0x1.55554c309788fp-3, 0x1.333891be6a2c1p-4, 0x1.6cabbc718deddp-5,
                      0x1.04aacd8904646p-5, 0x1.d7aa80311eb78p-7, 0x1.33d65d1ddd750p-5);
}

ELEMENTARY float atan2(float y, float x) {
    const double a = size(y), b = size(x);
    const double infinite = infinity();
    const bool is_steep = a > b;
    const double more = is_steep ? a : b, less = is_steep ? b : a;
    const double above = more == infinite ? (less == infinite ? 1.0 : 0.0) : less;
    const double below = more == infinite || more == 0.0 ? 1.0 : more;
    const bool is_wide = above > 0x1.a827999fcef32p-2 * below;
    const double t = (is_wide ? above - below : above) / (is_wide ? above + below : below);
    const double z = t * t;
    const double q = polynomial(z, -0x1.5555495e606dep-2, 0x1.9991adfb06d00p-3,
                                -0x1.23b6c42081fbcp-3, 0x1.b202a139b6feep-4, -0x1.f2580d03f7d59p-5);
    const double near = fused(z * t, q, t) + (is_wide ? 0x1.921fb54442d18p-1 : 0.0);
    const double right = is_steep ? 0x1.921fb54442d18p+0 - near : near;
    const double angle = is_signed(x) ? 0x1.921fb54442d18p+1 - right : right;
    return x != x || y != y ? x + y : copysign(static_cast<float>(angle), y);
}

ELEMENTARY float atan(float x) {
    return atan2(x, 1.0f);
}

ELEMENTARY double short_asin(double x) {
    const double a = size(x);
    const bool is_small = a <= 0.5;
    const double z = is_small ? a * a : (1.0 - a) * 0.5;
    const double s = is_small ? a : root(z);
    const double angle = fused(z * s, short_asin_series(z), s);
    return is_small ? angle : fused(-2.0, angle, 0x1.921fb54442d18p+0);
}

ELEMENTARY float asin(float x) {
    return copysign(static_cast<float>(short_asin(x)), x);
}

ELEMENTARY float acos(float x) {
    const double a = size(x);
    const bool is_small = a <= 0.5;
    const double z = is_small ? a * a : (1.0 - a) * 0.5;
    const double s = is_small ? a : root(z);
    const double angle = fused(z * s, short_asin_series(z), s);
    const double turned = is_small ? 0x1.921fb54442d18p+0 - angle : 2.0 * angle;
    return static_cast<float>(x < 0.0f ? 0x1.921fb54442d18p+1 - turned : turned);
}

}  // namespace elementary
