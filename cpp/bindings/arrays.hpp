#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "runtime/runtime.hpp"

namespace halocline::bindings {

/// All that is stored for a field on a block, in the memory of the host: (components, x, y, z).
[[nodiscard]] nanobind::ndarray<nanobind::numpy> view(const Runtime& runtime, int slot, int block,
                                                      bool will_write);

/// The block's own cells where kernels use them, without axes that the grid lacks, and without
/// components if there is one.
[[nodiscard]] nanobind::ndarray<nanobind::array_api> device_view(const Runtime& runtime, int slot,
                                                                 int block, int dimensions);

}  // namespace halocline::bindings
