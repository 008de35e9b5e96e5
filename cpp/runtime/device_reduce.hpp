#pragma once

#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/reduce.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// What a device finds of a component, whose newest values it has; the bits are those of the host.
[[nodiscard]] Partial reduce_on_device(Mirror& mirror, const State& state, program::Reduce& reduce);

/// Whether a value in the cells of a check is outside of the limits, likewise.
[[nodiscard]] bool has_outlier_on_device(Mirror& mirror, const State& state, program::Check& check);

}  // namespace halocline
