#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "caf/token.hpp"
#include "pgas/transfer.hpp"

namespace halocline::caf {

/// One link of a chain that leads from a coarray to what is accessed (caf_reference_t).
struct Reference {
    enum Kind { component, array, static_array };
    enum Mode : unsigned char { none, vector, full, range, single, open_end, open_start };
    union Subscript {
        struct {
            std::ptrdiff_t start, end, stride;
        } triplet;
        struct {
            const void* values;
            std::size_t count;
            int kind;
        } vector;
    };

    Reference* next;
    int kind;
    std::size_t item_bytes;
    union {
        struct {
            std::ptrdiff_t offset;
            std::ptrdiff_t token_offset;  ///< 0: the component lies in the object itself
        } member;
        struct {
            unsigned char modes[pgas::most_axes];
            int static_type;
            Subscript subscripts[pgas::most_axes];
        } elements;
    };
};

/// A copy of the descriptor at an address of an image.
[[nodiscard]] Descriptor descriptor_of(pgas::Job& job, int image, const Descriptor* address);

/// Follows a chain of references in the memory of an image.
class Walk {
public:
    /// From a coarray of this image; `member` of the current team has the one that is meant.
    Walk(const Token& token, int member);

    /// Goes to the end, or to where something is not allocated; then says so.
    [[nodiscard]] bool follow(const Reference* references);

    /// What lies at the end, as elements of this type.
    [[nodiscard]] pgas::Elements elements(int type, int kind) const;

    /// The last allocatable or pointer component on the way: whose it is and where it is kept.
    struct Component {
        int image = 0;                  ///< of the initial team
        std::byte** pointer = nullptr;  ///< in that image's memory, as the other two
        Token** token = nullptr;
        Descriptor* descriptor = nullptr;  ///< if it is an array
        const Reference* rest = nullptr;   ///< what follows it
    };
    [[nodiscard]] const Component& component() const { return component_; }

private:
    bool enter(const Reference& reference);
    void subscribe(const Reference& reference);
    void subscribe_static(const Reference& reference);
    void add_vector(const Reference::Subscript& subscript, std::int64_t lower, std::int64_t stride);
    void add_axis(std::int64_t count, std::int64_t stride);
    /// A value in the memory of the image.
    template <class T>
    [[nodiscard]] T value(const T* address) const {
        return pgas::read_value<T>(pgas::Images::get().job(), image_, address);
    }

    int image_;
    std::byte* place_;
    Descriptor descriptor_;  ///< a copy of that of the array at this place, if it has one
    std::size_t bytes_;      ///< of an element here
    Component component_;
    int rank_ = 0;
    std::array<pgas::Axis, pgas::most_axes> axes_;
    std::deque<std::vector<std::int64_t>> offsets_;
};

}  // namespace halocline::caf
