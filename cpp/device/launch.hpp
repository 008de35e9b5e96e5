#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "device/device.hpp"

namespace halocline {

constexpr std::int64_t threads_of_block = 256;  ///< at most, as in codegen/cuda.py

/// Adds a parameter of a kernel.
template <typename T>
void add_parameter(DeviceLaunch& launch, const T& value) {
    // Every parameter is a multiple of 8 bytes long, and so aligned.
    static_assert(sizeof(T) % 8 == 0);
    launch.offsets.push_back(launch.parameters.size());
    launch.parameters.resize(launch.parameters.size() + sizeof(T));
    std::memcpy(launch.parameters.data() + launch.offsets.back(), &value, sizeof(T));
}

/// A copy on the device, which may be used when this returns.
template <typename T>
[[nodiscard]] std::shared_ptr<std::byte> uploaded(Device& device, const std::vector<T>& values) {
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
    std::shared_ptr<std::byte> memory = device.allocate(bytes);
    device.copy(Device::plain, memory.get(), reinterpret_cast<const std::byte*>(values.data()),
                bytes);
    device.synchronize(device.record(Device::plain));
    return memory;
}

}  // namespace halocline
