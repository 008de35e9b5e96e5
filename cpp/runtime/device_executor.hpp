#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/services.hpp"
#include "runtime/executor.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// A device does what it can; kernels and services are functions of it. `state` must outlive the
/// executor.
[[nodiscard]] std::unique_ptr<Executor> device_executor(State& state,
                                                        std::shared_ptr<Device> device,
                                                        const ServiceKernels& services);

}  // namespace halocline
