#pragma once

#include <vector>

#include "core/box.hpp"
#include "runtime/state.hpp"
#include "runtime/superaccumulator.hpp"
#include "runtime/wide.hpp"

namespace halocline {

/// Adds one component of a field in boxes to a sum, on the device; the bits are those of the host.
void add_on_device(const State& state, int slot, int component, const std::vector<LocalBox>& boxes,
                   Superaccumulator& sum);

/// Likewise takes it into the least and the greatest value.
void take_on_device(const State& state, int slot, int component, const std::vector<LocalBox>& boxes,
                    Extremes& extremes);

/// The first value of a component in a box that is not a number.
struct DeviceNan {
    int block = 0;
    int component = 0;
    Index3 cell{};  ///< from the first owned one of the block
};

/// The first of each box and component that has any.
[[nodiscard]] std::vector<DeviceNan> nans_on_device(const State& state, int slot,
                                                    const std::vector<LocalBox>& boxes);

}  // namespace halocline
