/* Angles far from zero: the 53 bits of x are multiplied by those of 2 / pi that matter, which the
 * exponent chooses (M. Payne and R. Hanek, Radian reduction for trigonometric functions, 1983).
 */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

// x = n pi / 2 + rest, the rest from -pi / 4 to pi / 4; of n the last two bits count.
template <class T, class Bits = uint64_t>
struct Angle {
    Bits n;
    T rest;
};

// 64 bits of two words, from bit 'shift' of the first on.
ELEMENTARY uint64_t joined(uint64_t first, uint64_t second, uint64_t shift) {
    return (first << shift) | ((second >> 1) >> (63 - shift));
}

// Both words of a product of a number of at most 53 bits.
struct Wide {
    uint64_t high, low;
};

ELEMENTARY Wide wide_product(uint64_t a, uint64_t b) {
    const uint64_t half = 0xFFFFFFFFu;
    const uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
    const uint64_t p00 = a0 * b0;
    const uint64_t middle = a1 * b0 + (p00 >> 32);
    const uint64_t other = a0 * b1 + (middle & half);
    return {a1 * b1 + (middle >> 32) + (other >> 32), (other << 32) | (p00 & half)};
}

ELEMENTARY Angle<Two<double>> far_angle_of(double x) {
    const uint64_t w[20] = {
        // 64 zeros and the bits of 2 / pi
        0x0000000000000000u, 0xA2F9836E4E441529u, 0xFC2757D1F534DDC0u, 0xDB6295993C439041u,
        0xFE5163ABDEBBC561u, 0xB7246E3A424DD2E0u, 0x06492EEA09D1921Cu, 0xFE1DEB1CB129A73Eu,
        0xE88235F52EBB4484u, 0xE99C7026B45F7E41u, 0x3991D639835339F4u, 0x9C845F8BBDF9283Bu,
        0x1FF897FFDE05980Fu, 0xEF2F118B5A0A6D1Fu, 0x6D367ECF27CB09B7u, 0x4F463F669E5FEA2Du,
        0x7527BAC7EBE5F17Bu, 0x3D0739F78A5292EAu, 0x6BFB5FB11F8D5D08u, 0x56033046FC7B6BABu};
    const uint64_t position = (bits(size(x)) >> 52) - (1023 - 10);  // where those that matter begin
    const uint64_t* v = w + (position >> 6);
    const uint64_t shift = position & 63;
    const uint64_t m = (bits(x) & 0x000FFFFFFFFFFFFFu) | 0x0010000000000000u;
    const Wide product = wide_product(m, joined(v[1], v[2], shift));
    const uint64_t low = product.low + wide_product(m, joined(v[2], v[3], shift)).high;
    const uint64_t carry = low < product.low ? 1 : 0;
    // Quarter turns mod 4: two bits before the point and 62 after it, then 64 more.
    const uint64_t high = m * joined(v[0], v[1], shift) + product.high + carry;
    const uint64_t n = (high + (uint64_t(1) << 61)) >> 62;
    const uint64_t fraction = high - (n << 62) + (uint64_t(1) << 63);  // plus 2^63
    const double first = (as_double(fraction >> 32) - 0x1p31) * 0x1p32;
    const double second = as_double(low >> 32) * 0x1p-32 + as_double(low & 0xFFFFFFFFu) * 0x1p-64;
    const Two<double> top = sum_of_ordered(first, as_double(fraction & 0xFFFFFFFFu));
    const Two<double> f = sum_of_ordered(top.high, top.low + second);
    const Two<double> rest = product_of(f, {0x1.921fb54442d18p-62, 0x1.1a62633145c07p-116});
    const double sign = copysign(1.0, x);
    return {is_signed(x) ? 4 - n : n, {sign * rest.high, sign * rest.low}};
}

}  // namespace elementary
