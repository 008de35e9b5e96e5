#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "device/device.hpp"

namespace halocline {

constexpr std::int64_t threads_of_block = 256;  ///< as in codegen/cuda_services.py

/// Adds a parameter of a kernel.
template <typename T>
void add_parameter(DeviceLaunch& launch, const T& value) {
    // Every parameter is a multiple of 8 bytes long, and so aligned.
    static_assert(sizeof(T) % 8 == 0);
    launch.offsets.push_back(launch.parameters.size());
    launch.parameters.resize(launch.parameters.size() + sizeof(T));
    std::memcpy(launch.parameters.data() + launch.offsets.back(), &value, sizeof(T));
}

/// A kernel with its parameters.
template <typename... T>
[[nodiscard]] DeviceLaunch launch_of(void* function, const T&... parameters) {
    DeviceLaunch launch;
    launch.function = function;
    (add_parameter(launch, parameters), ...);
    return launch;
}

/// Copies values to the device and returns when they are there.
template <typename T>
void upload(Device& device, std::byte* to, const std::vector<T>& values) {
    device.copy(Device::plain, to, reinterpret_cast<const std::byte*>(values.data()),
                static_cast<std::int64_t>(values.size() * sizeof(T)));
    device.synchronize(device.record(Device::plain));
}

/// A copy on the device, which may be used when this returns.
template <typename T>
[[nodiscard]] std::shared_ptr<std::byte> uploaded(Device& device, const std::vector<T>& values) {
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
    std::shared_ptr<std::byte> memory = device.allocate(bytes);
    upload(device, memory.get(), values);
    return memory;
}

/// So many values from the device, when all before has been done in the plain stream.
template <typename T>
[[nodiscard]] std::vector<T> downloaded(Device& device, const std::byte* from, std::size_t count) {
    std::vector<T> values(count);
    device.copy(Device::plain, reinterpret_cast<std::byte*>(values.data()), from,
                static_cast<std::int64_t>(count * sizeof(T)));
    device.synchronize(device.record(Device::plain));
    return values;
}

}  // namespace halocline
