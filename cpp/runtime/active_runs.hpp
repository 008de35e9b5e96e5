#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/field.hpp"

namespace halocline {

/// Cells along x and rows along y that a thread goes through plane by plane; 0: all there are.
using Tile = std::array<std::int64_t, 2>;

/// The cells of a box (block-local) where component 0 of a field is not zero, row by row, tile by
/// tile; never empty: where there are none, the last run has no cells.
[[nodiscard]] std::vector<halocline_active_run> active_runs_of(const halocline_field& view,
                                                               ElementType type, const Box& box,
                                                               const Tile& tile);

}  // namespace halocline
