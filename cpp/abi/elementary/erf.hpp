/* The error function: a series near zero, farther 1 - e^(-x^2) erfcx(x). */
#pragma once

#include "elementary/exponential.hpp"

namespace elementary {

ELEMENTARY double erf(double x) {
    const double a = at_most(size(x), 6.0);
    const double z = a * a, z_low = fused(a, a, -z);
    // 2 / sqrt(pi) a (1 - z / 3 + ...): the first two terms in two parts.
    const double q =
        polynomial(z, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b49p-6, 0x1.565bcd0e6a33ep-8,
                   -0x1.c02db400370cap-11, 0x1.f9a326f7d625ap-14, -0x1.f4d25bfdf26a9p-17,
                   0x1.b9e6c3dce82f9p-20, -0x1.5f73c7c3dcec3p-23, 0x1.fcbb7b91b30f9p-27,
                   -0x1.517ebbd3e4c44p-30, 0x1.9a1f66ccdee4bp-34, -0x1.b45bf8c44cd04p-38,
                   0x1.3cae504f545a7p-42);
    const Two<double> second = product_of<double>({z, z_low}, {-0x1.812746b0379e7p-2, 0.0});
    const Two<double> first = sum_of_ordered(0x1.20dd750429b6dp+0, second.high);
    const double more = fused(z * z, q, first.low + (second.low + 0x1.1ae3a914fed80p-56));
    const double small = fused(a, first.high, a * more);
    const double u = (a - 2.0) / (a + 2.0);
    const double scaled_rest = polynomial(
        u, 0x1.058671b52c776p-2, -0x1.b57034efd3f72p-2, 0x1.eeea7dc8a78bbp-3, -0x1.437f0b68c0c31p-4,
        0x1.e94715978fb11p-9, 0x1.ca95ed534ac34p-8, -0x1.bc25a471b0004p-11, -0x1.016b5ceff40cfp-10,
        0x1.6d5eed545731fp-15, 0x1.6da97d2d889c4p-13, 0x1.cdcd0e4125c2ap-16, -0x1.cebaffc164063p-16,
        -0x1.d4a80be40dee1p-17, 0x1.77392debfe137p-20, 0x1.fb42ac0571263p-19, 0x1.3a4f6948bb00ap-20,
        -0x1.0e4d83761e193p-21, -0x1.d85850ca58a1fp-22);
    const Exponential<double> e = exponential(-z, -z_low);
    const double rest = fused(scaled_rest, e.rest.high, scaled_rest) * two_to(e.n);
    return copysign(size(x) < 0.95 ? small : 1.0 - rest, x);
}

ELEMENTARY float erf(float x) {
    const double a = at_most(static_cast<double>(size(x)), 4.0);
    const double z = a * a;
    const double q =
        polynomial(z, 0x1.20dd750429b6dp+0, -0x1.8127467ea5051p-2, 0x1.ce2f0d991c069p-4,
                   -0x1.b82a25131683ep-6, 0x1.562e0d1ecf886p-8, -0x1.bcf70913902aep-11,
                   0x1.d95fcd23a5c6fp-14, -0x1.4636293061b86p-17);
    const double u = (a - 2.0) / (a + 2.0);
    const double scaled_rest = polynomial(
        u, 0x1.058671b454287p-2, -0x1.b5703507c9381p-2, 0x1.eeea7fd3006f1p-3, -0x1.437ee438445fbp-4,
        0x1.e92f4361b98a2p-9, 0x1.ca4f1a6cba605p-8, -0x1.b6bf288e88a4ep-11, -0x1.ea9b4a546aed2p-11);
    const double result = size(x) < 1.0f ? a * q : 1.0 - short_exp(-z) * scaled_rest;
    return copysign(static_cast<float>(result), x);
}

}  // namespace elementary
