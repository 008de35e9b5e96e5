#pragma once

#include <nanobind/nanobind.h>

#include "runtime/runtime.hpp"

namespace halocline::bindings {

/// Makes known what is done at points, and series.
void bind_points(nanobind::class_<Runtime>& runtime);

}  // namespace halocline::bindings
