#pragma once

#include <span>
#include <vector>

#include "runtime/program.hpp"
#include "runtime/reduce.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// What the processor finds of a component; `partials` has room for each thread.
[[nodiscard]] Partial reduce_on_host(const State& state, const program::Reduce& reduce,
                                     std::span<Partial> partials);

/// What a thread needs to evaluate rows: the fields of the kernel, and where the values lie.
struct Evaluation {
    std::vector<halocline_field> fields;
    std::vector<double> values;
};

/// The same of values that a kernel gives: some rows at a time, which never leave the caches, so
/// the storage of the field is not used.
[[nodiscard]] Partial reduce_evaluated(const State& state, const program::Reduce& reduce,
                                       std::span<Partial> partials,
                                       std::span<Evaluation> evaluations);

/// The first NaN in the cells of a check, found by the processor.
[[nodiscard]] NanPlace first_nan_on_host(const State& state, const program::Check& check);

}  // namespace halocline
