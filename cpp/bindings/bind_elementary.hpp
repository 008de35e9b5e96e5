#pragma once

#include <nanobind/nanobind.h>

namespace halocline::bindings {

void bind_elementary(nanobind::module_& module);

}  // namespace halocline::bindings
