#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/field.hpp"
#include "runtime/series.hpp"
#include "runtime/state.hpp"

namespace halocline {

struct PointList;

/// What is done at points off the grid, as far as this rank has to do with it.
///
/// Each point weights a box of cells. It is interpolated from these, or a value is added to them.
struct Points {
    bool is_injected = false;
    int component = 0;
    Index3 widths{1, 1, 1};           ///< of the box along each axis
    std::vector<std::int32_t> first;  ///< global lower corner of the box, three numbers a point
    std::vector<std::int32_t> cells;  ///< to whose block it belongs, three numbers a point
    std::vector<double> weights;      ///< those along x, y, z; of two, the second; for each point
    std::vector<double> scales;       ///< injected: what the value of each point is multiplied by
    std::vector<Series> series;       ///< injected: none, or one with a column for each point
    /// Interpolated: a row for each step.
    std::vector<std::unique_ptr<double[]>> recorded;
    std::vector<std::int64_t> steps;  ///< of these rows
    std::vector<double> times;        ///< likewise

    [[nodiscard]] std::size_t count() const { return first.size() / 3; }
    /// How many weights are stored for each point.
    [[nodiscard]] std::size_t weights_each() const {
        std::int64_t sum = 0;
        for (const std::int64_t width : widths) sum += width == 2 ? 1 : width;
        return static_cast<std::size_t>(sum);
    }
    /// The lower corner of a point's box, counted from an origin.
    [[nodiscard]] Index3 lower(std::size_t point, const Index3& origin) const {
        const std::int32_t* const corner = first.data() + 3 * point;
        return Index3{corner[0], corner[1], corner[2]} - origin;
    }
};

/// What is done at points in one step.
struct PointMoment {
    double time = 0;
    double* row = nullptr;  ///< where interpolated values go; null where values are injected
};

/// Begins a step: what is interpolated gets a row, unless the step has one.
[[nodiscard]] PointMoment begin(Points& points, std::int64_t step, double time);

/// Interpolates, or injects, at the points of a box. `scalar` multiplies what is injected.
void work_at(const Points& points, const std::vector<PointList>& lists, const halocline_field& view,
             ElementType type, const Block& block, double scalar, const PointMoment& moment);

}  // namespace halocline
