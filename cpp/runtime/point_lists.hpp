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

/// Points of a field, and the block on which those are looked for that have to do with it.
class PointsOnBlock {
public:
    PointsOnBlock(const State& state, const Points& points, int slot, int block);

    /// Some of the points, in order, that have to do with a box of the block's cells.
    [[nodiscard]] PointList list_in(std::span<const std::uint32_t> some, const Box& box) const;

    /// The points of a box, in lists that threads can do beside each other: so that each cell gets
    /// what is injected in the order of the points.
    [[nodiscard]] std::vector<PointList> lists_of(const Box& box, int threads) const;

    /// Of the points in some lists those of each plane of a box across an axis.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> on_planes(
        const std::vector<PointList>& lists, const Box& box, std::size_t axis) const;

private:
    const Points& points_;
    const Space& space_;
    const Block& block_;
    halocline_field view_;
};

}  // namespace halocline
