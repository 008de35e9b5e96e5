#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pgas/section.hpp"

/// What gfortran passes: the layout of its array descriptors, of vector subscripts and of
/// references (libgfortran of gcc 9 and later; libcaf of gcc 11 to 14).
namespace halocline::caf {

/// The types, as gfortran numbers them (BT_INTEGER, ...).
enum BasicType {
    integer_type = 1,
    logical_type,
    real_type,
    complex_type,
    derived_type,
    character_type
};

struct Dimension {
    std::ptrdiff_t stride;  ///< elements, or spans, from one to the next
    std::ptrdiff_t lower;
    std::ptrdiff_t upper;

    [[nodiscard]] std::int64_t count() const { return upper < lower ? 0 : upper - lower + 1; }
};

struct DataType {
    std::size_t element_bytes;
    int version;
    signed char rank;
    signed char type;
    short attribute;
};

struct Descriptor {
    std::byte* base;
    std::size_t offset;
    DataType type;
    std::ptrdiff_t span;  ///< bytes that a stride of 1 is; not always set, see 'step'
    Dimension dimensions[pgas::most_axes];

    /// The bytes of a descriptor: it has as many dimensions as the rank says, and no more.
    [[nodiscard]] std::size_t bytes() const {
        return offsetof(Descriptor, dimensions) +
               static_cast<std::size_t>(type.rank) * sizeof(Dimension);
    }
    /// Bytes from one element to the next where the stride is 1.
    [[nodiscard]] std::int64_t step() const;
    /// The elements that it describes; `kind` is that of their type.
    [[nodiscard]] pgas::Section section(int kind) const;
};

/// A copy of a descriptor, whose dimensions beyond the rank are not read.
[[nodiscard]] Descriptor copy_of(const Descriptor& descriptor);

/// The subscripts of one dimension: a vector, or with count 0 a triplet.
struct Subscripts {
    std::size_t count;
    union {
        struct {
            const void* values;
            int kind;
        } vector;
        struct {
            std::ptrdiff_t lower, upper, stride;
        } triplet;
    };
};

/// The element of a type, with its kind.
[[nodiscard]] pgas::Element element_of(int type, int kind, std::size_t bytes);

/// How many subscripts a triplet has.
[[nodiscard]] std::int64_t steps(std::ptrdiff_t start, std::ptrdiff_t end, std::ptrdiff_t stride);

/// Where a vector subscript leads: bytes from the element with the lower bound, if one subscript
/// more is `stride` bytes.
[[nodiscard]] std::vector<std::int64_t> offsets_of(const void* values, int kind, std::size_t count,
                                                   std::int64_t lower, std::int64_t stride);

}  // namespace halocline::caf
