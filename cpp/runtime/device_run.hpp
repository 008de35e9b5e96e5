#pragma once

#include <vector>

#include "device/device.hpp"
#include "device/mirror.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// Adds what launches a kernel in all its boxes, none of which needs anything of another: at once,
/// if it is batched, or each.
void add_launches(const Mirror& mirror, const State& state, program::Run& run,
                  std::vector<DeviceLaunch>& launches);

}  // namespace halocline
