#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "device/device.hpp"

namespace halocline {

/// Lets rims of kernels run in the urgent stream, beside the cores in the plain one.
///
/// A plan runs the cores of some kernels while an exchange is in flight, and their rims after it.
/// The rim of a kernel needs the cores of kernels before it, but neither its own core, whose cells
/// are others, nor those of kernels after it: in the plan they come before the rim as well, and
/// are chosen so that it does not matter to them.
class Splits {
public:
    explicit Splits(Device& device) : device_(device) {}

    /// Whether cores and rims run now.
    [[nodiscard]] bool is_split() const { return is_split_; }
    /// From now on cores run.
    void begin() {
        is_split_ = true;
        last_.reset();
        before_.clear();
    }
    /// The stream for what is about to be launched of a kernel.
    [[nodiscard]] int stream_for(std::size_t kernel, bool is_late_rim);
    /// Lets the plain stream wait for rims: what comes next is no rim.
    void end();

private:
    Device& device_;
    bool is_split_ = false;
    bool has_rims_ = false;
    std::optional<std::size_t> last_;      // kernel in the plain stream
    std::map<std::size_t, Event> before_;  // what each kernel in the plain stream came after
};

}  // namespace halocline
