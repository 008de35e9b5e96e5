/* Whole numbers near others, signs, rests. */
#pragma once

#include "elementary/basics.hpp"

namespace elementary {

ELEMENTARY double floor(double x) {
    return ELEMENTARY_BUILTIN(floor)(x);
}
ELEMENTARY float floor(float x) {
    return ELEMENTARY_BUILTIN(floorf)(x);
}
ELEMENTARY double ceil(double x) {
    return ELEMENTARY_BUILTIN(ceil)(x);
}
ELEMENTARY float ceil(float x) {
    return ELEMENTARY_BUILTIN(ceilf)(x);
}
ELEMENTARY double trunc(double x) {
    return ELEMENTARY_BUILTIN(trunc)(x);
}
ELEMENTARY float trunc(float x) {
    return ELEMENTARY_BUILTIN(truncf)(x);
}

// The nearest whole number, of two equally near the even one.
ELEMENTARY double rint(double x) {
    return ELEMENTARY_BUILTIN(rint)(x);
}
ELEMENTARY float rint(float x) {
    return ELEMENTARY_BUILTIN(rintf)(x);
}

// -1, 0 or 1; what is not a number stays so.
template <class T>
ELEMENTARY T sign(T x) {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}

// What is left of x after subtracting y as often as it goes into it; exact, with the sign of x.
ELEMENTARY double fmod(double x, double y) {
    return ELEMENTARY_BUILTIN(fmod)(x, y);
}
ELEMENTARY float fmod(float x, float y) {
    return ELEMENTARY_BUILTIN(fmodf)(x, y);
}

// Of integers: zero where y is.
template <class T>
ELEMENTARY T fmod(T x, T y) {
    return y == 0 || y == T(-1) ? T(0) : static_cast<T>(x % y);
}

}  // namespace elementary
