#pragma once

#include <memory>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/box.hpp"
#include "core/field.hpp"
#include "runtime/series.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// The values of a field in all cells that this rank stores, at some times.
struct Filling {
    /// Those of one block.
    struct Part {
        Box box;                             ///< global; images of cells are cells of their own
        std::shared_ptr<const void> values;  ///< by time, component, z, y, x
    };
    std::vector<double> times;                ///< increasing
    double period = 0;                        ///< after which they begin again; 0 for never
    ElementType type = ElementType::float64;  ///< float64 or float32
    std::vector<Part> parts;                  ///< by block
};

namespace program {
struct Run;
}

/// Gives the cells of a run the values of the time, on the host's memory.
void run_filling(State& state, program::Run& run);

}  // namespace halocline
