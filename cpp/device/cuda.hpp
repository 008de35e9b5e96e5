#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace halocline {

/// A device of NVIDIA's driver. Its kernels live as long as it does.
class HALOCLINE_EXPORT CudaDevice : public Device {
public:
    struct Memory {
        std::int64_t free_bytes;
        std::int64_t total_bytes;
    };

    ~CudaDevice() override;

    /// What code must be compiled for, as 'sm_90'.
    [[nodiscard]] virtual std::string architecture() const = 0;
    /// What the device has, and what nobody has taken yet.
    [[nodiscard]] virtual Memory memory() const = 0;
    /// Loads machine code and returns its functions of these names, for DeviceLaunch.
    [[nodiscard]] virtual std::vector<void*> load(const std::string& image,
                                                  const std::vector<std::string>& names) = 0;
};

/// How many devices the driver has. Throws DeviceError if there is no driver, or none.
[[nodiscard]] HALOCLINE_EXPORT int cuda_device_count();

/// A device by its number, from 0. Throws DeviceError if there is none.
[[nodiscard]] HALOCLINE_EXPORT std::shared_ptr<CudaDevice> cuda_device(int ordinal);

}  // namespace halocline
