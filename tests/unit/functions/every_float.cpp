// Compares a function of float with that of the C library in double, for one argument in 'stride',
// and prints the largest error in units in the last place, its argument, and how often a special
// value was another one.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "elementary.hpp"

constexpr int block = 4096;

static double unit_of(double exact) {
    int exponent;
    std::frexp(exact, &exponent);
    return std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
}

static bool is_another(float found, double exact) {
    const float rounded = static_cast<float>(exact);
    if (std::isnan(found) || std::isnan(exact)) return std::isnan(found) != std::isnan(exact);
    if (std::isinf(found) || std::isinf(rounded)) return found != rounded;
    return exact == 0 && (found != 0 || std::signbit(found) != std::signbit(exact));
}

int main(int, char** arguments) {
    const std::uint64_t stride = std::strtoull(arguments[1], nullptr, 10);
    float x[block], found[block], at = 0;
    double worst = 0;
    long others = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t(1) << 32);) {
        int count = 0;
        for (; count < block && bits < (std::uint64_t(1) << 32); ++count, bits += stride) {
            const std::uint32_t word = static_cast<std::uint32_t>(bits);
            std::memcpy(x + count, &word, sizeof word);
        }
        for (int i = 0; i < count; ++i) found[i] = elementary::FUNCTION(x[i]);
        for (int i = 0; i < count; ++i) {
            const double exact = std::FUNCTION(static_cast<double>(x[i]));
            if (is_another(found[i], exact)) ++others;
            if (!std::isfinite(found[i]) || !std::isfinite(exact) || exact == 0) continue;
            const double error = std::fabs(static_cast<double>(found[i]) - exact) / unit_of(exact);
            if (error > worst) worst = error, at = x[i];
        }
    }
    std::printf("%.3f %a %ld\n", worst, static_cast<double>(at), others);
}
