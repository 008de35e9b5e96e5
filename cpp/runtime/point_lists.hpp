#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "runtime/points.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// The points that a thread has to do with in some cells of a block.
struct PointList {
    Box box;  ///< of the block
    std::vector<std::uint32_t> points;
    std::vector<std::int64_t> offsets;  ///< of the lower corners of their boxes in a component
    std::vector<std::size_t> outer;     ///< which of them are to be looked at closer, and
    std::vector<Index3> lowers;         ///< these corners, in cells of the block

    void add(std::size_t point, const Index3& lower, const halocline_field& view, bool is_inner);
};

/// Some of the points, in order, that have to do with a box of a block's cells. `view`: of any
/// field stored alike.
[[nodiscard]] PointList list_in(const Points& points, std::span<const std::uint32_t> some,
                                const Box& box, const Block& block, const Index3& period,
                                const std::vector<Turn>& turns, const halocline_field& view);

/// The points of each plane of a box across an axis.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> points_on_planes(
    const Points& points, std::size_t axis, const Box& box, const Block& block,
    const Index3& period, const std::vector<Turn>& turns, const halocline_field& view);

/// The points of a box of a block's cells, in lists that threads can do beside each other: so that
/// each cell gets what is injected in the order of the points.
[[nodiscard]] std::vector<PointList> lists_of(const Points& points, const Box& box,
                                              const Block& block, const Index3& period,
                                              const std::vector<Turn>& turns,
                                              const halocline_field& view, int threads);

}  // namespace halocline
