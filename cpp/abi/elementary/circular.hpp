/* Sine, cosine, tangent: |x| 2 / pi in fixed point gives the quarter turn and the angle in it.
 *
 * Any argument takes the same way (M. Payne and R. Hanek, Radian reduction for trigonometric
 * functions, 1983): its 53 bits times those of 2 / pi that matter, chosen by the exponent.
 */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// Of words chosen from a row, as if moved down by 'places' words where told to.
#define ELEMENTARY_MOVE_DOWN(words, count, places, condition) \
    for (int i = 0; i < (count); ++i) (words)[i] = (condition) ? (words)[i + (places)] : (words)[i]

// 64 bits of two words, from bit 'shift' of the first on.
ELEMENTARY uint64_t joined(uint64_t first, uint64_t second, uint64_t shift) {
    return (first << shift) | ((second >> 1) >> (63 - shift));
}

// Both words of a product.
struct Wide {
    uint64_t high, low;
};

ELEMENTARY Wide wide_product(uint64_t a, uint64_t b) {
    const uint64_t half = 0xFFFFFFFFu;
    const uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
    const uint64_t p00 = a0 * b0;
    const uint64_t middle = a1 * b0 + (p00 >> 32);  // a has at most 53 bits
    const uint64_t other = a0 * b1 + (middle & half);
    return {a1 * b1 + (middle >> 32) + (other >> 32), (other << 32) | (p00 & half)};
}

// |x| = n pi / 2 + rest, the rest from -pi / 4 to pi / 4; of n its last two bits.
template <class T>
struct Angle {
    uint64_t n;
    T rest;
};

ELEMENTARY Angle<Two<double>> angle_of(double x) {
    const double far = size(x);
    const bool is_small = far < 0.75;
    const double a = is_small ? 1.0 : far;
    const uint64_t position = (bits(a) >> 52) - (1023 - 10);  // where the bits that matter begin
    const uint64_t j = position >> 6, shift = position & 63;
    // 64 zeros and the bits of 2 / pi.
    uint64_t w[20] = {
        0x0000000000000000u, 0xA2F9836E4E441529u, 0xFC2757D1F534DDC0u, 0xDB6295993C439041u,
        0xFE5163ABDEBBC561u, 0xB7246E3A424DD2E0u, 0x06492EEA09D1921Cu, 0xFE1DEB1CB129A73Eu,
        0xE88235F52EBB4484u, 0xE99C7026B45F7E41u, 0x3991D639835339F4u, 0x9C845F8BBDF9283Bu,
        0x1FF897FFDE05980Fu, 0xEF2F118B5A0A6D1Fu, 0x6D367ECF27CB09B7u, 0x4F463F669E5FEA2Du,
        0x7527BAC7EBE5F17Bu, 0x3D0739F78A5292EAu, 0x6BFB5FB11F8D5D08u, 0x56033046FC7B6BABu};
    ELEMENTARY_MOVE_DOWN(w, 4, 16, (j & 16) != 0);
    ELEMENTARY_MOVE_DOWN(w, 11, 8, (j & 8) != 0);
    ELEMENTARY_MOVE_DOWN(w, 7, 4, (j & 4) != 0);
    ELEMENTARY_MOVE_DOWN(w, 5, 2, (j & 2) != 0);
    ELEMENTARY_MOVE_DOWN(w, 4, 1, (j & 1) != 0);
    const uint64_t m = (bits(a) & 0x000FFFFFFFFFFFFFu) | 0x0010000000000000u;
    const Wide product = wide_product(m, joined(w[1], w[2], shift));
    const uint64_t low = product.low + wide_product(m, joined(w[2], w[3], shift)).high;
    const uint64_t carry = low < product.low ? 1 : 0;
    // Quarter turns mod 4: two bits before the point and 62 after it, then 64 more.
    const uint64_t high = m * joined(w[0], w[1], shift) + product.high + carry;
    const uint64_t n = (high + (uint64_t(1) << 61)) >> 62;
    const uint64_t fraction = high - (n << 62) + (uint64_t(1) << 63);  // plus 2^63
    const double first = (as_double(fraction >> 32) - 0x1p31) * 0x1p32;
    const double second = as_double(low >> 32) * 0x1p-32 + as_double(low & 0xFFFFFFFFu) * 0x1p-64;
    const Two<double> top = sum_of_ordered(first, as_double(fraction & 0xFFFFFFFFu));
    const Two<double> f = sum_of_ordered(top.high, top.low + second);
    const Two<double> rest = product_of(f, {0x1.921fb54442d18p-62, 0x1.1a62633145c07p-116});
    return {is_small ? 0 : n, {is_small ? far : rest.high, is_small ? 0.0 : rest.low}};
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

// The sign of an angle's number of quarter turns, and of x, given to a result.
ELEMENTARY double turned(double result, uint64_t n, double x) {
    return from_bits(bits(result) ^ ((n & 2) << 62) ^ (bits(x) & (uint64_t(1) << 63)));
}

// x where it is finite, else what is not a number.
template <class T>
ELEMENTARY T of_finite(T x, T result) {
    return size(x) < static_cast<T>(infinity()) ? result : x - x;
}

ELEMENTARY double sin(double x) {
    const Angle<Two<double>> a = angle_of(x);
    const double result = (a.n & 1) != 0 ? near_cos(a.rest).high : near_sin(a.rest).high;
    return of_finite(x, turned(result, a.n, x));
}

ELEMENTARY double cos(double x) {
    const Angle<Two<double>> a = angle_of(x);
    const double result = (a.n & 1) != 0 ? near_sin(a.rest).high : near_cos(a.rest).high;
    return of_finite(x, turned(result, a.n + 1, 1.0));
}

ELEMENTARY double tan(double x) {
    const Angle<Two<double>> a = angle_of(x);
    const Two<double> s = near_sin(a.rest), c = near_cos(a.rest);
    const bool is_odd = (a.n & 1) != 0;
    const Two<double> above = {is_odd ? -c.high : s.high, is_odd ? -c.low : s.low};
    const Two<double> below = {is_odd ? s.high : c.high, is_odd ? s.low : c.low};
    const double result = rounded_sum(quotient_of(above, below));
    return of_finite(x, size(x) < 0x1p-28 ? x : turned(result, 0, x));
}

// The same for results that are rounded to float; the rest as a number of 53 bits.
ELEMENTARY Angle<double> angle_of(float x) {
    const float far = size(x);
    const bool is_small = far < 0.75f;
    const float a = is_small ? 1.0f : far;
    const uint64_t word = bits(a);
    const uint64_t position = (word >> 23) - (127 - 39);
    const uint64_t j = position >> 6, shift = position & 63;
    uint64_t w[5] = {0x0000000000000000u, 0xA2F9836E4E441529u, 0xFC2757D1F534DDC0u,
                     0xDB6295993C439041u, 0xFE5163ABDEBBC561u};
    ELEMENTARY_MOVE_DOWN(w, 3, 2, (j & 2) != 0);
    ELEMENTARY_MOVE_DOWN(w, 3, 1, (j & 1) != 0);
    const uint64_t m = (word & 0x007FFFFFu) | 0x00800000u;
    const uint64_t high =
        m * joined(w[0], w[1], shift) + ((m * (joined(w[1], w[2], shift) >> 32)) >> 32);
    const uint64_t n = (high + (uint64_t(1) << 61)) >> 62;
    const uint64_t fraction = high - (n << 62) + (uint64_t(1) << 63);
    const double f =
        (as_double(fraction >> 32) - 0x1p31) * 0x1p32 + as_double(fraction & 0xFFFFFFFFu);
    return {is_small ? 0 : n, is_small ? static_cast<double>(far) : f * 0x1.921fb54442d18p-62};
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
    const Angle<double> a = angle_of(x);
    const double result = (a.n & 1) != 0 ? short_cos(a.rest) : short_sin(a.rest);
    return of_finite(x, static_cast<float>(turned(result, a.n, x)));
}

ELEMENTARY float cos(float x) {
    const Angle<double> a = angle_of(x);
    const double result = (a.n & 1) != 0 ? short_sin(a.rest) : short_cos(a.rest);
    return of_finite(x, static_cast<float>(turned(result, a.n + 1, 1.0)));
}

ELEMENTARY float tan(float x) {
    const Angle<double> a = angle_of(x);
    const double s = short_sin(a.rest), c = short_cos(a.rest);
    const bool is_odd = (a.n & 1) != 0;
    const double result = (is_odd ? -c : s) / (is_odd ? s : c);
    return of_finite(x, static_cast<float>(turned(result, 0, x)));
}

}  // namespace elementary
