#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pgas/error.hpp"

namespace halocline::pgas {

/// The intrinsic types of Fortran, without their kinds. `derived` is whatever is copied as it is.
enum class Type : std::uint8_t { integer, logical, real, complex, character, derived };

/// What lies in one element: its type, the kind as gfortran counts it (bytes of a number, of a
/// part of a complex number, of a character), and its size [bytes].
struct Element {
    Type type = Type::derived;
    int kind = 0;
    std::size_t bytes = 0;

    bool operator==(const Element&) const = default;
};

inline constexpr int most_axes = 15;

/// One axis of a section: how many elements, and how many bytes from one to the next; or, with a
/// vector subscript, how many bytes from the first element of the axis to each of them.
struct Axis {
    std::int64_t count;
    std::int64_t stride;
    const std::int64_t* offsets;

    [[nodiscard]] std::int64_t offset(std::int64_t i) const {
        return offsets == nullptr ? i * stride : offsets[i];
    }
};

/// Elements of an array, anywhere in memory. Only as many axes as the rank says have a value.
struct Section {
    std::byte* first = nullptr;
    Element element{};
    int rank = 0;
    std::array<Axis, most_axes> axes;

    [[nodiscard]] std::int64_t count() const {
        std::int64_t product = 1;
        for (int a = 0; a < rank; ++a) product *= axes[static_cast<std::size_t>(a)].count;
        return product;
    }
    /// From the first byte of the section to the byte behind it.
    struct Extent {
        const std::byte* begin;
        const std::byte* end;
    };
    [[nodiscard]] Extent extent() const;
};

/// The same elements without gaps, in a buffer.
[[nodiscard]] Section without_gaps(const Section& section, std::byte* buffer);

/// Whether one section can be assigned to another: the source is a scalar, or both have the same
/// shape apart from axes with one element.
[[nodiscard]] bool conforms(const Section& to, const Section& from);

/// The extents of a section, as '5, 3'.
[[nodiscard]] std::string shape_of(const Section& section);

/// Assigns one section to another, element by element in array element order as Fortran's
/// assignment does: numbers are converted, strings cut or padded, a scalar goes to all elements.
/// Sections may overlap. Throws JobError if they do not conform.
void assign(const Section& to, const Section& from);

/// How values of one type become values of another: `count` of them, with bytes from one to the
/// next on either side. Null if there is no such conversion.
using Convert = void (*)(std::byte* to, std::int64_t to_stride, const std::byte* from,
                         std::int64_t from_stride, std::int64_t count);
[[nodiscard]] Convert conversion(const Element& to, const Element& from);

}  // namespace halocline::pgas
