#pragma once

#include <cstdint>
#include <vector>

#include "core/pack.hpp"
#include "device/cuda_driver.hpp"

namespace halocline::cuda {

/// What the driver copies at once: all, or a plane each where planes are not whole rows apart, or
/// a row each where its values are no neighbours.
[[nodiscard]] std::vector<BoxCopy> box_copies(const Rows& to, const Rows& from, const Index3& n,
                                              std::int64_t element_size);

}  // namespace halocline::cuda
