#pragma once

#include <stdexcept>

#include "core/error.hpp"

namespace halocline {

/// A device cannot do what is wanted, or is lost.
class HALOCLINE_EXPORT DeviceError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~DeviceError() override;
};

}  // namespace halocline
