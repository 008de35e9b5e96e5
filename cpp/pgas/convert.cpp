#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "pgas/numbers.hpp"
#include "pgas/section.hpp"

namespace halocline::pgas {
namespace {

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<Complex<T>> : std::true_type {};

/// Fortran's intrinsic conversion: towards zero from real to integer, the real part of a complex.
template <class To, class From>
To converted(const From& value) {
    if constexpr (IsComplex<To>::value && IsComplex<From>::value) {
        using Part = decltype(To{}.real);
        return {static_cast<Part>(value.real), static_cast<Part>(value.imaginary)};
    } else if constexpr (IsComplex<To>::value) {
        return {static_cast<decltype(To{}.real)>(value), 0};
    } else if constexpr (IsComplex<From>::value) {
        return static_cast<To>(value.real);
    } else {
        return static_cast<To>(value);
    }
}

template <class To, class From>
void convert(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
             std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, from + i * from_stride, sizeof value);
        const To result = converted<To>(value);
        std::memcpy(to + i * to_stride, &result, sizeof result);
    }
}

/// The C++ types of Fortran's numbers, in the order of `index_of`.
template <class... Types>
struct List {
    static constexpr std::size_t size = sizeof...(Types);

    template <class To>
    static constexpr std::array<Convert, size> to() {
        return {convert<To, Types>...};
    }
    static constexpr std::array<std::array<Convert, size>, size> table() {
        return {to<Types>()...};
    }
};
using Numbers = List<std::int8_t, std::int16_t, std::int32_t, std::int64_t, Integer16, float,
                     double, long double, Real16, Complex<float>, Complex<double>,
                     Complex<long double>, Complex<Real16>>;
constexpr auto conversions = Numbers::table();

int index_of_integer(int kind) {
    switch (kind) {
        case 1:
            return 0;
        case 2:
            return 1;
        case 4:
            return 2;
        case 8:
            return 3;
        case 16:
            return 4;
        default:
            return -1;
    }
}

int index_of_real(int kind) {
    switch (kind) {
        case 4:
            return 5;
        case 8:
            return 6;
        case 10:
            return 7;
        case 16:
            return 8;
        default:
            return -1;
    }
}

int index_of(const Element& element) {
    constexpr int from_real_to_complex = 4;
    switch (element.type) {
        case Type::integer:
        case Type::logical:
            return index_of_integer(element.kind);
        case Type::real:
            return index_of_real(element.kind);
        case Type::complex: {
            const int real = index_of_real(element.kind);
            return real < 0 ? real : real + from_real_to_complex;
        }
        default:
            return -1;
    }
}

}  // namespace

Convert conversion(const Element& to, const Element& from) {
    const int row = index_of(to);
    const int column = index_of(from);
    if (row < 0 || column < 0) return nullptr;
    if ((to.type == Type::logical) != (from.type == Type::logical)) return nullptr;
    return conversions[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

}  // namespace halocline::pgas
