/* Arcus functions. */
#pragma once

#include "elementary/exponential.hpp"

namespace elementary {

// t within tan(pi / 8) of zero: (atan(t) - t) / t^3 of z = t^2.
ELEMENTARY double atan_series(double z) {
    return polynomial(z, -0x1.5555555555554p-2, 0x1.999999999965ap-3, -0x1.2492492475d4ep-3,
                      0x1.c71c71b778952p-4, -0x1.745d14bfc99dbp-4, 0x1.3b136eae8068bp-4,
                      -0x1.110c79d5ad3efp-4, 0x1.e17283199f65fp-5, -0x1.ab80a7c1733a8p-5,
                      0x1.70f99b4ea5e4cp-5, -0x1.12536e84f383ap-5, 0x1.f25598584bf44p-7);
}

// The same for results that are rounded to float.
template <class T>
ELEMENTARY T short_atan_series(T z) {
    return polynomial(z, -0x1.5555495e606dep-2, 0x1.9991adfb06d00p-3, -0x1.23b6c42081fbcp-3,
                      0x1.b202a139b6feep-4, -0x1.f2580d03f7d59p-5);
}
ELEMENTARY float atan_series(float z) {
    return short_atan_series(z);
}

// z up to 1/4: (asin(s) - s) / s^3 of z = s^2.
ELEMENTARY double asin_series(double z) {
    return polynomial(z, 0x1.5555555555578p-3, 0x1.333333332df02p-4, 0x1.6db6db722c1bcp-5,
                      0x1.f1c71a8b63f59p-6, 0x1.6e8bdfebf1131p-6, 0x1.1c49ddad6d6ffp-6,
                      0x1.ca214b49b8fe4p-7, 0x1.757759daa97ebp-7, 0x1.618bbdebfb0c8p-7,
                      0x1.e14d602beb345p-9, 0x1.6505da07fe67ep-6, -0x1.59fb7d8ca86cdp-6,
                      0x1.0be5d3c5f5264p-5);
}

ELEMENTARY float asin_series(float z) {
    return polynomial(z, 0x1.5555cab693205p-3, 0x1.330136d532100p-4, 0x1.748eee27b6ed2p-5,
                      0x1.8b872b7ad1e06p-6, 0x1.59f38d0c87a13p-5);
}

ELEMENTARY Two<double> quarter_turn(double) {
    return {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
}
ELEMENTARY Two<float> quarter_turn(float) {
    return {0x1.921fb6p+0f, -0x1.777a5cp-25f};
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
    const double near =
        fused(z * t, short_atan_series(z), t) + (is_wide ? 0x1.921fb54442d18p-1 : 0.0);
    const double right = is_steep ? 0x1.921fb54442d18p+0 - near : near;
    const double angle = is_signed(x) ? 0x1.921fb54442d18p+1 - right : right;
    return x != x || y != y ? x + y : copysign(static_cast<float>(angle), y);
}

// The angle of |x|; where that is wide, less an eighth of a turn; where it is steep, less a
// quarter: of a, of (a - 1) / (a + 1), of -1 / a. Factors, not choices: those would be many
// comparisons.
template <class T>
ELEMENTARY T atan(T x) {
    const T a = at_most(size(x), T(0x1p60));
    const T wide = a > T(0x1.a827999fcef32p-2) ? T(1) : T(0);
    const T steep = a > T(0x1.3504f333f9de6p+1) ? T(1) : T(0);
    const T flat = T(1) - steep;
    const Two<T> t = quotient_of(sum_of_ordered(-wide, flat * a), sum_of_ordered(flat, wide * a));
    const T z = t.high * t.high;
    const T low = fused(z * t.high, atan_series(z), t.low);
    const T turns = T(0.5) * (wide + steep);
    const Two<T> quarter = quarter_turn(x);
    const Two<T> sum = sum_of_ordered(turns * quarter.high, t.high);
    return copysign(sum.high + (sum.low + fused(turns, quarter.low, low)), x);
}

// s, of what the arcus sine is taken: |x|, or where 'large' is one and not zero the root of
// (1 - |x|) / 2; and the angle less s.
template <class T>
struct Half {
    T large, s, rest;
};

template <class T>
ELEMENTARY Half<T> half_of(T x) {
    const T a = size(x);
    // The smaller square; compilers would compute a choice's root for both.
    const T square = a * a, half = fused(a, T(-0.5), T(0.5));
    const T z = half < square ? half : square;
    const T length = root(z);
    const T low = fused(-length, length, z) / (length + length + T(0x1p-60));
    const T s = a > T(0.5) ? length : a;
    const T large = a > T(0.5) ? T(1) : T(0);
    return {large, s, fused(z * s, asin_series(z), large * low)};
}

template <class T>
ELEMENTARY T asin(T x) {
    const Half<T> h = half_of(x);
    const Two<T> quarter = quarter_turn(x);
    const T factor = fused(T(-3), h.large, T(1));
    const Two<T> sum = sum_of_ordered(h.large * quarter.high, factor * h.s);
    const T angle = sum.high + (sum.low + fused(factor, h.rest, h.large * quarter.low));
    return copysign(angle, x);
}

// A quarter turn less an angle, two angles, or half a turn less two.
template <class T>
ELEMENTARY T acos(T x) {
    const Half<T> h = half_of(x);
    const Two<T> quarter = quarter_turn(x);
    const T sign = copysign(T(1), x);
    const T turns = fused(-h.large, sign, T(1));
    const T factor = fused(T(3), h.large, T(-1)) * sign;
    const Two<T> sum = sum_of_ordered(turns * quarter.high, factor * h.s);
    return sum.high + (sum.low + fused(factor, h.rest, turns * quarter.low));
}

}  // namespace elementary
