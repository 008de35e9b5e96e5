#include "bindings/bind_device.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "device/cuda.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace halocline::bindings {
namespace {

std::vector<std::uintptr_t> load(CudaDevice& device, const nb::bytes& image,
                                 const std::vector<std::string>& names) {
    std::vector<std::uintptr_t> addresses;
    for (void* function : device.load({image.c_str(), image.size()}, names)) {
        addresses.push_back(reinterpret_cast<std::uintptr_t>(function));
    }
    return addresses;
}

/// The time of copies within a device or from pinned memory of its host, one after the other [s].
double copy_seconds(Device& device, std::int64_t size_bytes, int count, bool from_host) {
    const auto from = from_host ? device.allocate_staging(size_bytes) : device.allocate(size_bytes);
    const auto to = device.allocate(size_bytes);
    const auto finish = [&] { device.synchronize(device.record(Device::plain)); };
    device.copy(Device::plain, to.get(), from.get(), size_bytes);
    finish();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) device.copy(Device::plain, to.get(), from.get(), size_bytes);
    finish();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::pair<std::int64_t, std::int64_t> memory(const CudaDevice& device) {
    const auto [free_bytes, total_bytes] = device.memory();
    return {free_bytes, total_bytes};
}

}  // namespace

void bind_devices(nb::module_& module) {
    nb::exception<DeviceError> bound(module, "DeviceError", PyExc_RuntimeError);
    nb::class_<Device>(module, "Device", "Where kernels run beside the processor.")
        .def_prop_ro("name", &Device::name)
        .def("copy_seconds", &copy_seconds, "size_bytes"_a, "count"_a, "from_host"_a = false,
             nb::call_guard<nb::gil_scoped_release>());
    nb::class_<CudaDevice, Device>(module, "CudaDevice", "A device of NVIDIA's driver.")
        .def_prop_ro("architecture", &CudaDevice::architecture)
        .def_prop_ro("memory", &memory)
        .def("load", &load, "image"_a, "names"_a);
    module.def("emulated_device", &emulated_device, "seed"_a);
    module.def("cuda_device_count", &cuda_device_count);
    module.def("cuda_device", &cuda_device, "ordinal"_a);
}

}  // namespace halocline::bindings
