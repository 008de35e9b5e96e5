#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "device/mirror.hpp"
#include "transport/packet.hpp"

namespace halocline {

/// A packet whose cells lie on a device: gathered and spread there by one launch each, in the
/// urgent stream. What MPI gets is the device's own buffer or, if staged, one of the host.
class DevicePacket {
public:
    DevicePacket(const Message& message, Mirror& mirror, bool is_staged);

    [[nodiscard]] const Packet& packet() const { return packet_; }

    /// Begins to gather the cells of this rank.
    void begin_pack();
    /// Begins to spread the values over the cells of this rank.
    void begin_unpack();
    /// Whether what was begun last is done: then MPI may have the buffer.
    [[nodiscard]] bool is_done() const { return device().is_reached(done_); }
    /// Returns when it is.
    void finish() const { device().synchronize(done_); }

private:
    [[nodiscard]] Device& device() const { return mirror_->device(); }
    [[nodiscard]] const MoveTable& table(bool is_packed);

    Mirror* mirror_;
    Packet packet_;
    std::shared_ptr<std::byte> buffer_;                     // of the device
    std::shared_ptr<std::byte> staging_;                    // of the host; null if not staged
    std::map<std::vector<std::size_t>, MoveTable> tables_;  // by the storages of the parts
    Event done_;
};

}  // namespace halocline
