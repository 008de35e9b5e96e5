#include "bindings/bind_device.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

std::pair<std::int64_t, std::int64_t> memory(const CudaDevice& device) {
    const auto [free_bytes, total_bytes] = device.memory();
    return {free_bytes, total_bytes};
}

}  // namespace

void bind_devices(nb::module_& module) {
    nb::exception<DeviceError>(module, "DeviceError", PyExc_RuntimeError);
    nb::class_<Device>(module, "Device", "Where kernels run beside the processor.")
        .def_prop_ro("name", &Device::name);
    nb::class_<CudaDevice, Device>(module, "CudaDevice", "A device of NVIDIA's driver.")
        .def_prop_ro("architecture", &CudaDevice::architecture)
        .def_prop_ro("memory", &memory)
        .def("load", &load, "image"_a, "names"_a);
    module.def("emulated_device", &emulated_device, "seed"_a);
    module.def("cuda_device_count", &cuda_device_count);
    module.def("cuda_device", &cuda_device, "ordinal"_a);
}

}  // namespace halocline::bindings
