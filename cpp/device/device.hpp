#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/pack.hpp"
#include "device/error.hpp"

namespace halocline {

/// A point in a stream: reached when all that was put into the stream before has been done.
struct Event {
    int stream = 0;
    std::uint64_t position = 0;
};

/// A kernel of a device with what it is called with.
struct DeviceLaunch {
    void* function = nullptr;              ///< of the device, see Device::launch
    std::array<std::uint32_t, 3> grid{};   ///< blocks
    std::array<std::uint32_t, 3> block{};  ///< threads of a block
    std::vector<std::byte> parameters;     ///< the values, one after the other
    std::vector<std::size_t> offsets;      ///< where each begins
};

/// Work that a device has prepared, to be done again and again.
class HALOCLINE_EXPORT Recording {
public:
    Recording() = default;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    virtual ~Recording();
};

/// Memory and queues of work beside those of the processor. Used by one thread.
///
/// Work is put into streams. Each does it in order and some time later; between streams only events
/// say what comes first. What the host wants to see it must wait for.
class HALOCLINE_EXPORT Device {
public:
    /// The stream of what others wait for: rims, packing, copies. It has priority.
    static constexpr int urgent = 0;
    /// The stream of everything else.
    static constexpr int plain = 1;
    static constexpr int streams = 2;

    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device();

    /// What the report calls it.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Which one of its kind it is.
    [[nodiscard]] virtual int ordinal() const { return 0; }
    /// Whether the host can use its memory, too.
    [[nodiscard]] virtual bool is_host_memory() const { return false; }
    /// Memory of the device; must be given back before the device is, and then waits until all that
    /// streams were told is done. Throws DeviceError.
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) = 0;
    /// Likewise memory that devices of other processes of this machine can read. Throws
    /// DeviceError.
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocate_shared(std::int64_t size_bytes) = 0;
    /// What another process needs to open such memory, from its first byte. Throws DeviceError.
    [[nodiscard]] virtual std::vector<std::int64_t> share(const std::byte* memory) = 0;
    /// Memory that another process has shared. Throws DeviceError.
    [[nodiscard]] virtual std::shared_ptr<std::byte> open(
        const std::vector<std::int64_t>& shared) = 0;
    /// Memory of the host that the device can copy to and from meanwhile.
    [[nodiscard]] virtual std::shared_ptr<std::byte> allocate_staging(std::int64_t size_bytes) = 0;

    /// Runs a kernel.
    virtual void launch(int stream, DeviceLaunch launch) = 0;
    /// Runs kernels, in any order or at once; what comes next waits for all of them.
    virtual void launch_any_order(int stream, std::vector<DeviceLaunch> launches) = 0;
    /// Copies bytes, to or from the host or within the device; the host's must stay until then.
    virtual void copy(int stream, std::byte* to, const std::byte* from, std::int64_t bytes) = 0;
    /// Copies a box of values, likewise.
    virtual void copy_box(int stream, const Rows& to, const Rows& from, const Index3& extent,
                          std::int64_t element_size) = 0;

    /// The point that a stream has been told to reach.
    [[nodiscard]] virtual Event record(int stream) = 0;
    /// Lets a stream do nothing more before an event.
    virtual void wait(int stream, Event event) = 0;
    /// Whether an event has been reached.
    [[nodiscard]] virtual bool is_reached(Event event) = 0;
    /// Returns when an event has been reached. Throws DeviceError if the device was lost.
    virtual void synchronize(Event event) = 0;

    /// Until the end only records what is put into the plain stream; nothing else may be called.
    virtual void begin_recording() = 0;
    [[nodiscard]] virtual std::shared_ptr<Recording> end_recording() = 0;
    /// Puts what was recorded into the plain stream, which costs less than each launch alone.
    virtual void replay(const std::shared_ptr<Recording>& recording) = 0;
};

/// A device on the processor: its streams do what they may in a random order, as late as they may.
/// What lacks an event shows as another result with some other seed.
[[nodiscard]] HALOCLINE_EXPORT std::shared_ptr<Device> emulated_device(std::uint64_t seed);

}  // namespace halocline
