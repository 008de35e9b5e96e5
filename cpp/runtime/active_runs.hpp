#pragma once

#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/field.hpp"

namespace halocline {

/// The cells of a box (block-local) where component 0 of a field is not zero, row by row; never
/// empty: where there are none, the last run has no cells.
[[nodiscard]] std::vector<halocline_active_run> active_runs_of(const halocline_field& view,
                                                               ElementType type, const Box& box);

}  // namespace halocline
