#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/kernel_abi.h"
#include "core/box.hpp"

namespace halocline {

/// Rows of values in memory: the first value of a box, and bytes from value to value, row to row
/// and plane to plane. A buffer is the case without gaps.
struct Rows {
    std::byte* first = nullptr;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;
};

/// The rows from another one on.
[[nodiscard]] Rows from_row(const Rows& rows, std::int64_t y, std::int64_t z);

/// The rows of one component of a field that begin at block-local cell `lower`.
[[nodiscard]] Rows rows_of(const halocline_field& view, std::int64_t element_size, int component,
                           const Index3& lower);

/// The rows of a box of this extent in a packed buffer.
[[nodiscard]] Rows rows_of(std::byte* buffer, std::int64_t element_size, const Index3& extent);

/// A box of values of 1, 2, 4 or 8 bytes, and where it goes.
struct BoxCopy {
    Rows source;
    Rows target;
    Index3 extent{};
    std::int64_t element_size = 0;
};

/// Copies boxes: packs, unpacks, or both at once without a buffer. Many values are divided among
/// the threads.
void copy_boxes(std::span<const BoxCopy> boxes, int threads);

}  // namespace halocline
