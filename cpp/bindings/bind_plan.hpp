#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "core/plan.hpp"

namespace halocline::bindings {

/// Plan values from nested Python tuples; std::invalid_argument says which one is malformed.
[[nodiscard]] plan::Exchange to_exchange(std::string name, nanobind::sequence sends,
                                         nanobind::sequence receives, nanobind::sequence copies);
[[nodiscard]] plan::Way to_way(const std::string& name);
[[nodiscard]] std::vector<plan::Layers> to_layers(nanobind::sequence layers);
[[nodiscard]] std::vector<plan::Operation> to_operations(nanobind::sequence operations);

}  // namespace halocline::bindings
