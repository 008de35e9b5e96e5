#pragma once

#include <span>

#include "runtime/program.hpp"
#include "runtime/reduce.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// What the processor finds of a component; `partials` has room for each thread.
[[nodiscard]] Partial reduce_on_host(const State& state, const program::Reduce& reduce,
                                     std::span<Partial> partials);

/// The first value outside of the limits in the cells of a check, found by the processor.
[[nodiscard]] Outlier first_outlier_on_host(const State& state, const program::Check& check);

}  // namespace halocline
