#include "caf/descriptor.hpp"

#include <cstring>

#include "pgas/numbers.hpp"

namespace halocline::caf {
namespace {

template <class T>
std::int64_t read(const void* values, std::size_t i) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(values) + i * sizeof value, sizeof value);
    return static_cast<std::int64_t>(value);
}

pgas::Type type_of(int type) {
    switch (type) {
        case integer_type:
            return pgas::Type::integer;
        case logical_type:
            return pgas::Type::logical;
        case real_type:
            return pgas::Type::real;
        case complex_type:
            return pgas::Type::complex;
        case character_type:
            return pgas::Type::character;
        default:
            return pgas::Type::derived;
    }
}

/// One of the integers of a vector subscript.
std::int64_t subscript(const void* values, int kind, std::size_t i) {
    switch (kind) {
        case 1:
            return read<std::int8_t>(values, i);
        case 2:
            return read<std::int16_t>(values, i);
        case 4:
            return read<std::int32_t>(values, i);
        case 8:
            return read<std::int64_t>(values, i);
        default:
            return read<pgas::Integer16>(values, i);
    }
}

}  // namespace

pgas::Element element_of(int type, int kind, std::size_t bytes) {
    pgas::Element element{type_of(type), kind, bytes};
    if (element.type == pgas::Type::derived) element.kind = 0;
    return element;
}

// gfortran leaves the span out where it describes a component for CO_BROADCAST, or strings without
// characters; then it leaves out the offset, too, which else leads from the first element to where
// that with subscripts 0 would be.
std::int64_t Descriptor::step() const {
    std::ptrdiff_t expected = 0;
    for (int d = 0; d < type.rank; ++d) expected -= dimensions[d].lower * dimensions[d].stride;
    const auto bytes = static_cast<std::int64_t>(type.element_bytes);
    const bool is_set = type.rank > 0 && static_cast<std::ptrdiff_t>(offset) == expected;
    return is_set && span != 0 && bytes != 0 ? span : bytes;
}

pgas::Section Descriptor::section(int kind) const {
    pgas::Section section;
    section.first = base;
    section.element = element_of(type.type, kind, type.element_bytes);
    section.rank = static_cast<unsigned char>(type.rank);
    for (int axis = 0; axis < section.rank; ++axis) {
        const Dimension& dimension = dimensions[axis];
        section.axes[static_cast<std::size_t>(axis)] = {dimension.count(),
                                                        dimension.stride * step(), nullptr};
    }
    return section;
}

Descriptor copy_of(const Descriptor& descriptor) {
    Descriptor copy{};
    std::memcpy(static_cast<void*>(&copy), &descriptor, descriptor.bytes());
    return copy;
}

std::int64_t steps(std::ptrdiff_t start, std::ptrdiff_t end, std::ptrdiff_t stride) {
    const std::ptrdiff_t count = (end - start + stride) / stride;
    return count < 0 ? 0 : count;
}

std::vector<std::int64_t> offsets_of(const void* values, int kind, std::size_t count,
                                     std::int64_t lower, std::int64_t stride) {
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < count; ++i) {
        offsets.push_back((subscript(values, kind, i) - lower) * stride);
    }
    return offsets;
}

}  // namespace halocline::caf
