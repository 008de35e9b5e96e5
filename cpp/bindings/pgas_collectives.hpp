#pragma once

#include <nanobind/nanobind.h>

namespace halocline::bindings {

/// Adds the collective procedures of images to a module.
void bind_collectives(nanobind::module_& module);

}  // namespace halocline::bindings
