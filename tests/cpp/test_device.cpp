#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/splits.hpp"

namespace halocline {
namespace {

/// What has been done, in order.
std::vector<int> done;

void note(void** parameters, const std::uint32_t* grid, const std::uint32_t* /*block*/,
          std::uint64_t /*seed*/) {
    done.push_back(*static_cast<const int*>(parameters[0]) * static_cast<int>(grid[0]));
}

void put(Device& device, int stream, int number) {
    DeviceLaunch launch;
    launch.function = reinterpret_cast<void*>(&note);
    launch.grid = launch.block = {1, 1, 1};
    launch.parameters.resize(sizeof number);
    std::memcpy(launch.parameters.data(), &number, sizeof number);
    launch.offsets = {0};
    device.launch(stream, std::move(launch));
}

void finish(Device& device) {
    for (int stream = 0; stream < Device::streams; ++stream) {
        device.synchronize(device.record(stream));
    }
}

/// The orders in which some work is done with many seeds.
std::set<std::vector<int>> orders(const auto& work) {
    std::set<std::vector<int>> found;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        done.clear();
        const auto device = emulated_device(seed);
        work(*device);
        finish(*device);
        found.insert(done);
    }
    return found;
}

TEST(EmulatedDevice, does_what_is_in_a_stream_in_order) {
    const auto found = orders([](Device& device) {
        for (int number = 1; number <= 3; ++number) put(device, Device::plain, number);
    });
    EXPECT_EQ(found, (std::set<std::vector<int>>{{1, 2, 3}}));
}

TEST(EmulatedDevice, has_nothing_before_or_behind_its_memory) {
    const auto device = emulated_device(0);
    constexpr std::int64_t size = 512;
    int faults = 0;
    for (int piece = 0; piece < 2; ++piece) {
        const std::shared_ptr<std::byte> memory = device->allocate(size);
        volatile std::byte* const first = memory.get();
        for (volatile std::byte* beyond : {first - 1, first + size}) {
            const pid_t child = fork();
            if (child == 0) {
                std::signal(SIGSEGV, SIG_DFL);
                *beyond = std::byte{0};
                std::_Exit(0);
            }
            int status = 0;
            waitpid(child, &status, 0);
            faults += WIFSIGNALED(status) ? 1 : 0;
        }
    }
    EXPECT_EQ(faults, 2) << "one piece at the lower end of its pages, one at the upper end";
}

TEST(EmulatedDevice, mixes_streams_in_every_way) {
    const auto found = orders([](Device& device) {
        put(device, Device::plain, 1);
        put(device, Device::plain, 2);
        put(device, Device::urgent, 3);
    });
    EXPECT_EQ(found, (std::set<std::vector<int>>{{1, 2, 3}, {1, 3, 2}, {3, 1, 2}}));
}

TEST(EmulatedDevice, keeps_the_order_that_events_say) {
    const auto found = orders([](Device& device) {
        put(device, Device::plain, 1);
        device.wait(Device::urgent, device.record(Device::plain));
        put(device, Device::urgent, 2);
        put(device, Device::plain, 3);
    });
    EXPECT_EQ(found, (std::set<std::vector<int>>{{1, 2, 3}, {1, 3, 2}}));
}

TEST(EmulatedDevice, may_do_nothing_before_someone_waits) {
    bool was_late = false;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto device = emulated_device(seed);
        int from = 1;
        int to = 0;
        device->copy(Device::plain, reinterpret_cast<std::byte*>(&to),
                     reinterpret_cast<const std::byte*>(&from), sizeof from);
        const Event copied = device->record(Device::plain);
        was_late = was_late || to == 0;
        device->synchronize(copied);
        EXPECT_TRUE(device->is_reached(copied));
        EXPECT_EQ(to, 1);
    }
    EXPECT_TRUE(was_late);
}

TEST(EmulatedDevice, does_what_was_recorded_when_it_is_replayed) {
    const auto found = orders([](Device& device) {
        device.begin_recording();
        put(device, Device::plain, 1);
        put(device, Device::plain, 2);
        const auto recording = device.end_recording();
        put(device, Device::plain, 3);
        device.replay(recording);
        device.replay(recording);
    });
    EXPECT_EQ(found, (std::set<std::vector<int>>{{3, 1, 2, 1, 2}}));
}

TEST(EmulatedDevice, records_no_order_between_streams) {
    const auto device = emulated_device(1);
    device->begin_recording();
    EXPECT_THROW(put(*device, Device::urgent, 1), std::logic_error);
    EXPECT_THROW(static_cast<void>(device->record(Device::plain)), std::logic_error);
    EXPECT_THROW(device->wait(Device::plain, {}), std::logic_error);
}

TEST(EmulatedDevice, gives_memory_back_after_what_uses_it) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto device = emulated_device(seed);
        int to = 0;
        {
            const auto memory = device->allocate(sizeof to);
            std::memset(memory.get(), 0, sizeof to);
            device->copy(Device::urgent, reinterpret_cast<std::byte*>(&to), memory.get(), 1);
        }
        EXPECT_TRUE(device->is_reached(device->record(Device::urgent)));
    }
}

/// Two kernels with cores 1 and 2, rims 3 and 4, between kernels 0 and 5.
void do_two_kernels(Device& device) {
    Splits splits(device);
    const auto run = [&](int number, std::size_t kernel, bool is_late_rim) {
        put(device, splits.stream_for(kernel, is_late_rim), number);
    };
    run(0, 7, false);
    splits.begin();
    run(1, 8, false);
    run(2, 9, false);
    run(3, 8, true);
    run(4, 9, true);
    run(5, 7, false);
}

bool comes_before(const std::vector<int>& order, int first, int second) {
    return std::ranges::find(order, first) < std::ranges::find(order, second);
}

TEST(Splits, rims_wait_for_the_cores_of_kernels_before_theirs_only) {
    bool is_beside_own = false;
    bool is_beside_next = false;
    for (const std::vector<int>& order : orders(do_two_kernels)) {
        EXPECT_EQ(order.front(), 0);
        EXPECT_EQ(order.back(), 5);
        EXPECT_TRUE(comes_before(order, 1, 4));
        EXPECT_TRUE(comes_before(order, 3, 4));
        is_beside_own = is_beside_own || comes_before(order, 3, 1);
        is_beside_next = is_beside_next || comes_before(order, 4, 2);
    }
    EXPECT_TRUE(is_beside_own);
    EXPECT_TRUE(is_beside_next);
}

TEST(Splits, without_a_split_everything_keeps_its_order) {
    const auto found = orders([](Device& device) {
        Splits splits(device);
        put(device, splits.stream_for(1, false), 1);
        put(device, splits.stream_for(1, true), 2);
        splits.begin();
        splits.end();
        put(device, splits.stream_for(1, true), 3);
    });
    EXPECT_EQ(found, (std::set<std::vector<int>>{{1, 2, 3}}));
}

TEST(EmulatedDevice, refuses_to_wait_for_ever) {
    const auto device = emulated_device(1);
    device->wait(Device::plain, {Device::urgent, 1});
    EXPECT_THROW(device->synchronize(device->record(Device::plain)), std::logic_error);
}

}  // namespace
}  // namespace halocline
