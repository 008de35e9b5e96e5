"""The fixed text of division rounded down and of shifts, as NumPy defines them for all numbers."""

from __future__ import annotations

# What it gives names to.
NAMES = """
has_sign is_whole exact_rest cut_quotient safe_divisor cut_rest is_above floor_rest floor_quotient
Unsigned shifted_left shifted_right UINT64_C
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
"""

DIVIDING = """\
namespace {

template <class T>
constexpr bool has_sign = T(-1) < T(0);
template <class T>
constexpr bool is_whole = T(1) / T(2) == T(0);

// Processors have no vectors that divide integers. Those of up to 32 bits are divided as floats:
// the distance of a quotient to the next integer is more than what these round off.
template <class T>
inline T cut_quotient(T a, T b) {
    if constexpr (sizeof(T) < 4) {
        return static_cast<T>(static_cast<float>(a) / static_cast<float>(b));
    } else if constexpr (sizeof(T) < 8) {
        return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
    } else {
        return a / b;
    }
}

// What can be divided by: 1 instead of 0, and of -1, by which the least integer has no quotient.
template <class T>
inline T safe_divisor(T b) {
    return b == T(0) || (has_sign<T> && b == T(-1)) ? T(1) : b;
}

// What 'fmod' gives, which takes as long as five divisions. The rest by any whole quotient near the
// right one is a double; the rounded one may be too large by 1.
inline double exact_rest(double a, double b) {
    const double quotient = a / b;
    const bool is_finite = b - b == 0.0;
    if (!is_finite || !(elementary::size(quotient) < 0x1p53)) {
        return ELEMENTARY_BUILTIN(fmod)(a, b);
    }
    const double rest = elementary::fused(-ELEMENTARY_BUILTIN(trunc)(quotient), b, a);
    return rest != 0.0 && (rest < 0.0) != (a < 0.0) ? rest + elementary::copysign(b, a) : rest;
}

// What is left by a quotient that is cut off, of floats exactly.
template <class T>
inline T cut_rest(T a, T b) {
    if constexpr (is_whole<T>) {
        const T divisor = safe_divisor(b);
        return static_cast<T>(a - cut_quotient(a, divisor) * divisor);
    } else {
        return static_cast<T>(exact_rest(static_cast<double>(a), static_cast<double>(b)));
    }
}

// Whether a quotient that is cut off is above the one that is rounded down.
template <class T>
inline bool is_above(T rest, T b) {
    if constexpr (has_sign<T>) return rest != T(0) && (rest < T(0)) != (b < T(0));
    return false;
}

// The rest of a division rounded down: it has the sign of the divisor; of integers by 0 it is 0.
template <class T>
inline T floor_rest(T a, T b) {
    const T rest = cut_rest(a, b);
    if constexpr (!is_whole<T>) {
        if (rest == T(0)) {
            return static_cast<T>(elementary::copysign(0.0, static_cast<double>(b)));
        }
        if (b == T(0)) return rest;
    }
    return is_above(rest, b) ? static_cast<T>(rest + b) : rest;
}

// The quotient rounded down; of integers by 0 it is 0.
template <class T>
inline T floor_quotient(T a, T b) {
    if constexpr (is_whole<T>) {
        const T divisor = safe_divisor(b);
        const T cut = cut_quotient(a, divisor);
        const T rest = static_cast<T>(a - cut * divisor);
        const T floored = static_cast<T>(cut - (is_above(rest, b) ? 1 : 0));
        const T by_special = static_cast<T>(b == T(0) ? T(0) : T(0) - a);
        return b == divisor ? floored : by_special;
    } else {
        if (b == T(0)) return a / b;
        const T rest = cut_rest(a, b);
        const T cut = (a - rest) / b;
        const T quotient = is_above(rest, b) ? cut - T(1) : cut;
        if (quotient == T(0)) {
            return static_cast<T>(elementary::copysign(0.0, static_cast<double>(a / b)));
        }
        // It is a whole number but for what has been rounded off.
        const T floored = static_cast<T>(ELEMENTARY_BUILTIN(floor)(static_cast<double>(quotient)));
        return quotient - floored > T(0.5) ? floored + T(1) : floored;
    }
}

template <int size>
struct Unsigned;
template <>
struct Unsigned<1> {
    typedef uint8_t type;
};
template <>
struct Unsigned<2> {
    typedef uint16_t type;
};
template <>
struct Unsigned<4> {
    typedef uint32_t type;
};
template <>
struct Unsigned<8> {
    typedef uint64_t type;
};

// Shifts by as many bits as there are, by more or by less than none, leave no bit but the sign's.
template <class T>
inline T shifted_left(T a, T count) {
    typedef typename Unsigned<sizeof(T)>::type Bits;
    constexpr Bits width = 8 * sizeof(T), most = width - 1;
    const Bits by = static_cast<Bits>(count);
    const Bits bits = static_cast<Bits>(static_cast<Bits>(a) << (by & most));
    return by < width ? static_cast<T>(bits) : T(0);
}

template <class T>
inline T shifted_right(T a, T count) {
    typedef typename Unsigned<sizeof(T)>::type Bits;
    constexpr Bits width = 8 * sizeof(T), most = width - 1;
    const Bits by = static_cast<Bits>(count);
    if constexpr (T(-1) < T(0)) return static_cast<T>(a >> (by < width ? by : most));
    return by < width ? static_cast<T>(a >> (by & most)) : T(0);
}

}  // namespace

"""
