#include "device/cuda_box.hpp"

#include <cstddef>

namespace halocline::cuda {
namespace {

BoxCopy::End end_of(const Rows& rows) {
    BoxCopy::End end{};
    end.memory_type = unified_memory;
    end.first = reinterpret_cast<Address>(rows.first);
    end.pitch = static_cast<std::size_t>(rows.y);
    end.height = static_cast<std::size_t>(rows.z / rows.y);
    return end;
}

/// The values of a row as rows of one value each.
Rows as_column(const Rows& row) {
    return {row.first, row.x, row.x, row.x};
}

BoxCopy box_copy(const Rows& to, const Rows& from, const Index3& extent,
                 std::int64_t element_size) {
    return {end_of(from), end_of(to), static_cast<std::size_t>(extent[0] * element_size),
            static_cast<std::size_t>(extent[1]), static_cast<std::size_t>(extent[2])};
}

}  // namespace

std::vector<BoxCopy> box_copies(const Rows& to, const Rows& from, const Index3& n,
                                std::int64_t element_size) {
    const bool is_dense = to.x == element_size && from.x == element_size;
    if (is_dense && to.z % to.y == 0 && from.z % from.y == 0) {
        return {box_copy(to, from, n, element_size)};
    }
    std::vector<BoxCopy> copies;
    for (std::int64_t z = 0; z < n[2]; ++z) {
        if (is_dense) {
            copies.push_back(
                box_copy(from_row(to, 0, z), from_row(from, 0, z), {n[0], n[1], 1}, element_size));
            continue;
        }
        for (std::int64_t y = 0; y < n[1]; ++y) {
            copies.push_back(box_copy(as_column(from_row(to, y, z)),
                                      as_column(from_row(from, y, z)), {1, n[0], 1}, element_size));
        }
    }
    return copies;
}

}  // namespace halocline::cuda
