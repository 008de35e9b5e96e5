#include <cstring>
#include <type_traits>

#include "pgas/collective.hpp"
#include "pgas/numbers.hpp"

namespace halocline::pgas {
namespace {

/// Integers are added as Fortran's processors do, wrapping around.
template <class T>
T sum(const T& one, const T& other) {
    if constexpr (std::is_same_v<T, Integer16>) {
        __extension__ using Unsigned = unsigned __int128;
        return static_cast<T>(static_cast<Unsigned>(one) + static_cast<Unsigned>(other));
    } else if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(one) + static_cast<Unsigned>(other));
    } else {
        return one + other;
    }
}
template <class T>
T smaller(const T& one, const T& other) {
    return other < one ? other : one;
}
template <class T>
T greater(const T& one, const T& other) {
    return one < other ? other : one;
}

/// A combination of values of one type, from a function of two.
template <class T, T (*function)(const T&, const T&)>
Combine of_values() {
    return [](std::byte* into, const std::byte* from, std::size_t count) {
        for (std::size_t i = 0; i < count * sizeof(T); i += sizeof(T)) {
            T one;
            T other;
            std::memcpy(&one, into + i, sizeof one);
            std::memcpy(&other, from + i, sizeof other);
            one = function(one, other);
            std::memcpy(into + i, &one, sizeof one);
        }
    };
}

template <template <class> class Of>
Combine of_integers(int kind) {
    switch (kind) {
        case 1:
            return Of<std::int8_t>::get();
        case 2:
            return Of<std::int16_t>::get();
        case 4:
            return Of<std::int32_t>::get();
        case 8:
            return Of<std::int64_t>::get();
        case 16:
            return Of<Integer16>::get();
        default:
            return {};
    }
}
template <template <class> class Of>
Combine of_reals(int kind) {
    switch (kind) {
        case 4:
            return Of<float>::get();
        case 8:
            return Of<double>::get();
        case 10:
            return Of<long double>::get();
        case 16:
            return Of<Real16>::get();
        default:
            return {};
    }
}

template <class T>
struct Sum {
    static Combine get() { return of_values<T, sum<T>>(); }
};
template <class T>
struct ComplexSum {
    static Combine get() { return of_values<Complex<T>, sum<Complex<T>>>(); }
};
template <class T>
struct Smaller {
    static Combine get() { return of_values<T, smaller<T>>(); }
};
template <class T>
struct Greater {
    static Combine get() { return of_values<T, greater<T>>(); }
};

/// The smaller or the greater of strings of one length: the one whose first character that
/// differs comes first, or last, in the collating sequence.
template <class Character>
Combine of_strings(std::size_t bytes, bool is_greater) {
    return [bytes, is_greater](std::byte* into, const std::byte* from, std::size_t count) {
        for (std::size_t i = 0; i < count * bytes; i += bytes) {
            for (std::size_t at = i; at < i + bytes; at += sizeof(Character)) {
                Character one;
                Character other;
                std::memcpy(&one, into + at, sizeof one);
                std::memcpy(&other, from + at, sizeof other);
                if (one == other) continue;
                if ((one < other) == is_greater) std::memcpy(into + i, from + i, bytes);
                break;
            }
        }
    };
}

template <template <class> class Of>
Combine extreme(const Element& element, bool is_greater) {
    switch (element.type) {
        case Type::integer:
            return of_integers<Of>(element.kind);
        case Type::real:
            return of_reals<Of>(element.kind);
        case Type::character:
            return element.kind == 1 ? of_strings<std::uint8_t>(element.bytes, is_greater)
                                     : of_strings<std::uint32_t>(element.bytes, is_greater);
        default:
            return {};
    }
}

}  // namespace

Combine sum_of(const Element& element) {
    switch (element.type) {
        case Type::integer:
            return of_integers<Sum>(element.kind);
        case Type::real:
            return of_reals<Sum>(element.kind);
        case Type::complex:
            return of_reals<ComplexSum>(element.kind);
        default:
            return {};
    }
}

Combine smaller_of(const Element& element) {
    return extreme<Smaller>(element, false);
}

Combine greater_of(const Element& element) {
    return extreme<Greater>(element, true);
}

}  // namespace halocline::pgas
