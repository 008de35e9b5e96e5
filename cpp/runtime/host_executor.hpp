#pragma once

#include <memory>

#include "runtime/executor.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// The processor does everything; `state` must outlive the executor.
[[nodiscard]] std::unique_ptr<Executor> host_executor(State& state);

}  // namespace halocline
