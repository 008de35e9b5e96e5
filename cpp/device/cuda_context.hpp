#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>

#include "device/cuda.hpp"
#include "device/cuda_driver.hpp"
#include "device/error.hpp"

namespace halocline::cuda {

/// A handle of the driver that is given back with its owner.
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Function<Handle>>;

/// The context of a device that all libraries of a process share, kept as long as anything is in
/// it.
class PrimaryContext {
public:
    explicit PrimaryContext(int wanted) : driver(cuda::driver()), ordinal(wanted) {
        const int count = cuda_device_count();
        if (ordinal >= count) {
            throw DeviceError("there is no device " + std::to_string(ordinal) +
                              "; the last one is " + std::to_string(count - 1));
        }
        driver.check(driver.device_get(&number_, ordinal), "asking for a device");
        std::array<char, 256> name{};
        driver.check(driver.device_get_name(name.data(), name.size(), number_),
                     "asking for the name of a device");
        name_ = std::string(name.data()) + " (cuda:" + std::to_string(ordinal) + ")";
        check(driver.device_primary_ctx_retain(&context_, number_), "opening it");
    }
    PrimaryContext(const PrimaryContext&) = delete;
    PrimaryContext& operator=(const PrimaryContext&) = delete;
    ~PrimaryContext() { driver.device_primary_ctx_release(number_); }

    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] int attribute(int which) const {
        int value = 0;
        check(driver.device_get_attribute(&value, which, number_), "asking for its properties");
        return value;
    }

    /// Those that streams of the device are to have: the greatest one for the urgent stream.
    [[nodiscard]] std::array<int, Device::streams> priorities() const {
        static_assert(Device::urgent == 0 && Device::plain == 1);
        enter();
        int least = 0;
        int greatest = 0;
        check(driver.ctx_get_stream_priority_range(&least, &greatest), "asking for priorities");
        return {greatest, least};
    }

    /// Makes it the one that this thread's calls mean. Each of our calls does so: a simulation may
    /// run in another thread than the one that made it, and other libraries choose theirs.
    void enter() const { check(enter_if_it_can(), "entering its context"); }
    /// The same for destructors; what they give back is gone with a device that was lost.
    Result enter_if_it_can() const { return driver.ctx_set_current(context_); }

    void check(Result result, const std::string& doing) const {
        if (result != success) driver.check(result, name_ + ": " + doing);
    }

    const Driver& driver;
    const int ordinal;

private:
    DeviceNumber number_ = 0;
    std::string name_;
    Context context_ = nullptr;
};

}  // namespace halocline::cuda
