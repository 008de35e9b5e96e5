#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bind_device.hpp"
#include "bindings/bind_elementary.hpp"
#include "bindings/bind_plan.hpp"
#include "bindings/bind_points.hpp"
#include "bindings/record.hpp"
#include "core/error.hpp"
#include "runtime/runtime.hpp"
#include "transport/transport.hpp"
#include "transport/virtual_ranks.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

using Cells = std::array<std::int64_t, 3>;

/// Where Python keeps the callbacks: in the instance, so that its garbage collector sees cycles.
constexpr const char* callbacks_name = "_callbacks";

int add_space(Runtime& self, const Cells& period,
              const std::vector<std::pair<int, Cells>>& translations) {
    std::vector<Translation> given;
    for (const auto& [axis, way] : translations) given.push_back({axis, way});
    return self.add_space(period, std::move(given));
}

int add_callback(nb::handle self, const nb::callable& callback) {
    nb::object callbacks = nb::getattr(self, callbacks_name, nb::none());
    if (callbacks.is_none()) {
        callbacks = nb::list();
        nb::setattr(self, callbacks_name, callbacks);
    }
    nb::cast<nb::list>(callbacks).append(callback);
    // Borrowed: the list above owns it as long as the runtime lives.
    const nb::handle borrowed = callback;
    return nb::cast<Runtime&>(self).add_callback([borrowed] {
        const nb::gil_scoped_acquire gil;
        borrowed();
    });
}

using FrameTuple = std::tuple<Cells, Cells, std::int64_t>;

void bind_field(nb::module_& module) {
    nb::class_<Field>(module, "Field", "What a field is, and how it is stored.")
        .def(
            "__init__",
            [](Field* self, std::string name, const std::string& dtype, int components,
               const Cells& halo_lower, const Cells& halo_upper, bool is_interleaved,
               std::int64_t alignment, int space,
               const std::vector<std::optional<FrameTuple>>& frames) {
                std::vector<std::optional<Frame>> of_blocks;
                for (const std::optional<FrameTuple>& given : frames) {
                    std::optional<Frame>& frame = of_blocks.emplace_back();
                    if (given) frame = std::make_from_tuple<Frame>(*given);
                }
                new (self) Field{std::move(name),     element_type(dtype),
                                 components,          {halo_lower, halo_upper, alignment},
                                 is_interleaved,      space,
                                 std::move(of_blocks)};
            },
            "name"_a, "dtype"_a, "components"_a, "halo_lower"_a, "halo_upper"_a,
            "is_interleaved"_a = false, "alignment"_a = line_bytes, "space"_a = 0,
            "frames"_a = std::vector<std::optional<FrameTuple>>{})
        .def(
            "bytes_on_block",
            [](const Field& self, int block, const Cells& extent, int slot) {
                return Layout(self, block, extent, slot).size_bytes;
            },
            "block"_a, "extent"_a, "slot"_a);
}

using TimerTuple = std::tuple<std::string, std::string, std::int64_t, double>;

std::vector<TimerTuple> timers(const Runtime& runtime) {
    std::vector<TimerTuple> result;
    for (const Timer& timer : runtime.timers()) {
        result.emplace_back(timer.label, timer.kind, timer.count, timer.seconds);
    }
    return result;
}

int add_formula(Runtime& runtime, const nb::sequence& steps) {
    return runtime.add_formula(
        Given<std::vector<plan::FormulaStep>>::take(steps, "Runtime.add_formula: steps"));
}

void bind_parts(nb::class_<Runtime>& runtime) {
    runtime
        .def(
            "__init__",
            [](Runtime* self, int threads, std::shared_ptr<Transport> transport, bool share,
               std::shared_ptr<Device> device, const std::array<std::uintptr_t, 5>& services) {
                const auto kernel = [&](std::size_t i) {
                    return std::bit_cast<void*>(services[i]);
                };
                new (self) Runtime(threads, std::move(transport), share, std::move(device),
                                   {kernel(0), kernel(1), kernel(2), kernel(3), kernel(4)});
            },
            "threads"_a, "transport"_a.none() = nb::none(), "share"_a = true,
            "device"_a.none() = nb::none(), "services"_a = std::array<std::uintptr_t, 5>{})
        .def("add_space", &add_space, "period"_a = Cells{},
             "translations"_a = std::vector<std::pair<int, Cells>>{})
        .def("add_block", &Runtime::add_block, "space"_a, "box"_a, "wrap"_a = 0)
        .def("add_field", &Runtime::add_field, "field"_a)
        .def("remove_field", &Runtime::remove_field, "slot"_a)
        .def("view", &view, "slot"_a, "block"_a, "will_write"_a = true,
             "View a field on a block without a copy.")
        .def("device_view", &device_view, "slot"_a, "block"_a, "dimensions"_a,
             "View a field where kernels use it, by DLPack.")
        .def("bytes_stored", &Runtime::bytes_stored, "slot"_a, "block"_a)
        .def("add_scalar", &Runtime::add_scalar, "value"_a)
        .def("add_formula", &add_formula, "steps"_a)
        .def("set_scalar", &Runtime::set_scalar, "slot"_a, "value"_a)
        .def("scalar", &Runtime::scalar, "slot"_a)
        .def("add_sink", &Runtime::add_sink, "reduction"_a)
        .def("add_kernel", &Runtime::add_kernel, "kernel"_a)
        .def("add_exchange", &Runtime::add_exchange, "exchange"_a)
        .def("add_callback", &add_callback, "callback"_a)
        .def("connect", &Runtime::connect, nb::call_guard<nb::gil_scoped_release>());
}

void bind_run(nb::class_<Runtime>& runtime) {
    runtime
        .def(
            "set_program",
            [](Runtime& self, const std::string& name, const nb::sequence& operations) {
                self.set_program(name, Given<std::vector<plan::Operation>>::take(
                                           operations, "Program '" + name + "': operations"));
            },
            "name"_a, "operations"_a)
        .def(
            "set_temporal_block",
            [](Runtime& self, const std::string& name, std::int64_t steps,
               const nb::sequence& pauses, const nb::sequence& operations) {
                const std::string where = "Temporal block of program '" + name + "': ";
                self.set_temporal_block(
                    name, steps, Given<std::vector<plan::Pause>>::take(pauses, where + "pauses"),
                    Given<std::vector<plan::Operation>>::take(operations, where + "operations"));
            },
            "name"_a, "steps"_a, "pauses"_a, "operations"_a)
        .def("execute", &Runtime::execute, "name"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("advance", &Runtime::advance, "names"_a, "steps"_a, "phase"_a = 0,
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_rw("step", &Runtime::step, &Runtime::set_step)
        .def_prop_ro("is_within_step", &Runtime::is_within_step)
        .def("end_step", &Runtime::end_step)
        .def("set_dt", &Runtime::set_dt, "dt"_a)
        .def("set_dt_scalar", &Runtime::set_dt_scalar, "slot"_a)
        .def_prop_rw("time", &Runtime::time, &Runtime::set_elapsed)
        .def("timers", &timers)
        .def("take_block_times", &Runtime::take_block_times, "space"_a)
        .def("reset_timers", &Runtime::reset_timers)
        .def("trial_calls", &Runtime::trial_calls);
}

/// Makes Unmet the Python exception UnmetError(number, passes, step).
void bind_unmet(nb::module_& module) {
    const char* name = "halocline.runtime._core.UnmetError";
    const nb::object type = nb::steal(PyErr_NewException(name, PyExc_ArithmeticError, nullptr));
    if (!type.is_valid()) nb::raise_python_error();
    module.attr("UnmetError") = type;
    nb::register_exception_translator(
        [](const std::exception_ptr& pointer, void* payload) {
            try {
                std::rethrow_exception(pointer);
            } catch (const Unmet& error) {
                const nb::tuple arguments = nb::make_tuple(error.number, error.passes, error.step);
                PyErr_SetObject(static_cast<PyObject*>(payload), arguments.ptr());
            }
        },
        // Python keeps the type alive as long as the module.
        type.ptr());
}

/// Makes OutOfLimits the Python exception OutOfLimitsError(field, step, component, cell, value).
void bind_out_of_limits(nb::module_& module) {
    const char* name = "halocline.runtime._core.OutOfLimitsError";
    const nb::object type = nb::steal(PyErr_NewException(name, PyExc_ArithmeticError, nullptr));
    if (!type.is_valid()) nb::raise_python_error();
    module.attr("OutOfLimitsError") = type;
    nb::register_exception_translator(
        [](const std::exception_ptr& pointer, void* payload) {
            try {
                std::rethrow_exception(pointer);
            } catch (const OutOfLimits& error) {
                const nb::tuple cell = nb::make_tuple(error.cell[0], error.cell[1], error.cell[2]);
                const nb::tuple arguments =
                    nb::make_tuple(error.field, error.step, error.component, cell, error.value);
                PyErr_SetObject(static_cast<PyObject*>(payload), arguments.ptr());
            }
        },
        // Python keeps the type alive as long as the module.
        type.ptr());
}

}  // namespace
}  // namespace halocline::bindings

NB_MODULE(_core, module) {
    using namespace halocline;
    module.doc() = "The runtime of Halocline: executes plans.";
    // What a program still holds when Python ends is no leak; tests look for those that are.
    nb::set_leak_warnings(false);
    bindings::bind_plan(module);
    nb::class_<Transport>(module, "Transport", "How bytes move between ranks.")
        .def_prop_ro("rank", &Transport::rank)
        .def_prop_ro("size", &Transport::size)
        .def(
            "try_device",
            [](Transport& self, plan::TransportKind kind, Device& device) {
                return self.try_device(kind, device);
            },
            "transport"_a, "device"_a, nb::call_guard<nb::gil_scoped_release>());
    nb::class_<VirtualRanks>(module, "VirtualRanks", "Ranks that are threads of this process.")
        .def(nb::init<std::vector<int>, double, double>(), "nodes"_a, "latency_s"_a,
             "seconds_per_byte"_a)
        .def("transport", &VirtualRanks::transport, "rank"_a)
        .def("fail", &VirtualRanks::fail, "why"_a);
    bindings::bind_devices(module);
    bindings::bind_elementary(module);
    bindings::bind_field(module);
    nb::class_<Runtime> runtime(module, "Runtime", nb::dynamic_attr(), "Executes a plan.");
    bindings::bind_parts(runtime);
    bindings::bind_run(runtime);
    bindings::bind_points(runtime);
    bindings::bind_out_of_limits(module);
    bindings::bind_unmet(module);
    nb::exception<TransportError> bound(module, "TransportError", PyExc_RuntimeError);
    module.attr("ABI") = HALOCLINE_ABI;
}
