#include "device/device.hpp"

namespace halocline {

DeviceError::~DeviceError() = default;
Recording::~Recording() = default;
Device::~Device() = default;

}  // namespace halocline
