#pragma once

#include <nanobind/nanobind.h>

namespace halocline::bindings {

/// Adds the records of 'core/plan.hpp', from which Python builds what the runtime is to do.
void bind_plan(nanobind::module_& module);

}  // namespace halocline::bindings
