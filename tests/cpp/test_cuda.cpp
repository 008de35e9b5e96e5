#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "device/cuda.hpp"

/// Of the fake driver (tests/fake_driver), which these tests are linked with.
extern "C" int fake_cuda_live();

namespace halocline {
namespace {

void copy(Device& device, int stream, int& to, const int& from) {
    device.copy(stream, reinterpret_cast<std::byte*>(&to),
                reinterpret_cast<const std::byte*>(&from), sizeof to);
}

/// Calls some work with devices that do things in many orders.
void for_many_orders(const auto& work) {
    for (int seed = 0; seed < 200; ++seed) {
        setenv("FAKE_CUDA_SEED", std::to_string(seed).c_str(), 1);
        work(*cuda_device(0));
    }
}

TEST(CudaDevice, keeps_the_order_that_events_say) {
    bool matters = false;
    for (const bool waits : {true, false}) {
        for_many_orders([&](Device& device) {
            const int one = 1;
            int first = 0;
            int second = 0;
            copy(device, Device::plain, first, one);
            if (waits) device.wait(Device::urgent, device.record(Device::plain));
            copy(device, Device::urgent, second, first);
            device.synchronize(device.record(Device::urgent));
            EXPECT_TRUE(second == 1 || !waits);
            matters = matters || second == 0;
            device.synchronize(device.record(Device::plain));
        });
    }
    EXPECT_TRUE(matters);
}

TEST(CudaDevice, knows_which_events_have_been_reached) {
    bool was_late = false;
    for_many_orders([&](Device& device) {
        const int one = 1;
        int first = 0;
        int second = 0;
        EXPECT_TRUE(device.is_reached(device.record(Device::plain)));
        copy(device, Device::plain, first, one);
        const Event early = device.record(Device::plain);
        copy(device, Device::plain, second, one);
        const Event late = device.record(Device::plain);
        was_late = was_late || !device.is_reached(early);
        EXPECT_TRUE(!device.is_reached(late) || second == 1);
        EXPECT_TRUE(!device.is_reached(early) || first == 1);
        device.synchronize(late);
        EXPECT_TRUE(device.is_reached(early));
        EXPECT_TRUE(device.is_reached(late));
        EXPECT_EQ(first + second, 2);
    });
    EXPECT_TRUE(was_late);
}

TEST(CudaDevice, uses_few_events_again_and_again) {
    const auto device = cuda_device(0);
    const int before = fake_cuda_live();
    const int one = 1;
    int to = 0;
    for (int i = 0; i < 1000; ++i) {
        copy(*device, Device::plain, to, one);
        device->wait(Device::urgent, device->record(Device::plain));
        if (i % 8 == 7) device->synchronize(device->record(Device::plain));
    }
    EXPECT_LT(fake_cuda_live() - before, 9);
}

TEST(CudaDevice, may_be_gone_before_its_memory) {
    auto device = cuda_device(0);
    const std::int64_t before = device->memory().free_bytes;
    auto memory = device->allocate(1000);
    auto staging = device->allocate_staging(0);
    EXPECT_EQ(device->memory().free_bytes, before - 1000);
    device.reset();
    memory.reset();
    staging.reset();
    EXPECT_EQ(fake_cuda_live(), 0);
}

TEST(CudaDevice, says_what_failed) {
    const auto device = cuda_device(0);
    EXPECT_EQ(device->name(), "Fake device (cuda:0)");
    EXPECT_EQ(device->architecture(), "sm_86");
    try {
        static_cast<void>(device->allocate(std::int64_t{1} << 40));
        FAIL();
    } catch (const DeviceError& error) {
        EXPECT_STREQ(error.what(),
                     "Fake device (cuda:0): taking 1099511627776 bytes of memory failed with "
                     "CUDA_ERROR_OUT_OF_MEMORY: out of memory");
    }
}

}  // namespace
}  // namespace halocline
