#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/by_storages.hpp"
#include "device/mirror.hpp"
#include "transport/packet.hpp"

namespace halocline {

/// Where the packets are that others get or write, and how cells come there.
enum class Buffers {
    boxes,         ///< on the host: copied there box by box
    host,          ///< on the host: packed on the device, then copied
    device,        ///< on the device
    shared_device  ///< on the device: other processes can read them
};

/// The packets of one side of an exchange whose cells lie on a device; used in the urgent stream.
///
/// Where they are packed on the device, one launch does it. On the way to or from the host each is
/// copied by itself, so that one can travel while the next is copied.
class DevicePackets {
public:
    DevicePackets(const std::vector<Message*>& messages, Mirror& mirror, Buffers buffers);

    [[nodiscard]] std::size_t count() const { return packets_.size(); }
    /// Its bytes are those of the host or of the device, as was asked for.
    [[nodiscard]] const Packet& packet(std::size_t i) const { return packets_[i]; }
    /// What another process needs to read a packet.
    [[nodiscard]] std::vector<std::int64_t> address(std::size_t i) const;
    /// From now on spreads what is in memory of another process.
    void read_from(std::size_t i, std::shared_ptr<std::byte> memory);

    /// Begins to gather the cells of this rank.
    void begin_pack();
    /// Begins to spread some packets, neighbours in order, over the cells of this rank.
    void begin_unpack(std::size_t first, std::size_t count);
    /// Whether what was begun last with a packet is done.
    [[nodiscard]] bool is_done(std::size_t i) const { return device().is_reached(done_[i]); }
    /// Returns when all is done.
    void finish() const;

private:
    [[nodiscard]] Device& device() const { return mirror_->device(); }
    [[nodiscard]] const BoxTable& table(bool is_packed);
    [[nodiscard]] std::vector<Move> moves(bool is_packed, std::size_t first,
                                          std::size_t count) const;
    void copy_boxes(bool is_packed, std::size_t first, std::size_t count);
    void note_done(std::size_t first, std::size_t count);

    Mirror* mirror_;
    std::vector<Packet> packets_;
    std::vector<std::size_t> first_parts_;  // of each packet and, at the end, of what comes after
    std::vector<std::byte*> sources_;       // where each lies that cells are packed to or from
    std::vector<std::shared_ptr<std::byte>> kept_;  // memory of others
    std::vector<std::int64_t> offsets_;
    std::shared_ptr<std::byte> buffer_;   // of the device; null for boxes
    std::shared_ptr<std::byte> staging_;  // of the host; null for packets that stay on the device
    ByStorages<BoxTable> tables_;
    std::vector<Event> done_;
};

}  // namespace halocline
