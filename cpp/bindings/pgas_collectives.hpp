#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace halocline::bindings {

/// An array without gaps, as bytes: so those of all types can come here.
using Bytes =
    nanobind::ndarray<std::uint8_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
/// Other threads of Python go on meanwhile.
using Waiting = nanobind::call_guard<nanobind::gil_scoped_release>;

/// Adds the collective procedures of images to a module.
void bind_collectives(nanobind::module_& module);

}  // namespace halocline::bindings
