#pragma once

#include <nanobind/nanobind.h>

namespace halocline::bindings {

/// Adds the devices and what is thrown when one fails.
void bind_devices(nanobind::module_& module);

}  // namespace halocline::bindings
