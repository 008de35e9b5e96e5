#include "transport/device_packets.hpp"

#include <utility>

#include "pgas/align.hpp"

namespace halocline {

DevicePackets::DevicePackets(const std::vector<Message*>& messages, Mirror& mirror, Buffers buffers)
    : mirror_(&mirror), packets_(packets_of(messages)), done_(messages.size()) {
    std::int64_t bytes = 0;
    std::size_t parts = 0;
    for (const Packet& packet : packets_) {
        offsets_.push_back(bytes);
        first_parts_.push_back(parts);
        bytes += round_up(packet.size_bytes(), line_bytes);
        parts += packet.message().parts.size();
    }
    first_parts_.push_back(parts);
    if (buffers == Buffers::shared_device)
        buffer_ = device().allocate_shared(bytes);
    else if (buffers != Buffers::boxes)
        buffer_ = device().allocate(bytes);
    if (buffers == Buffers::boxes || buffers == Buffers::host) {
        staging_ = device().allocate_staging(bytes);
    }
    for (std::size_t i = 0; i < packets_.size(); ++i) {
        packets_[i].place((staging_ ? staging_ : buffer_).get() + offsets_[i]);
        sources_.push_back((buffer_ ? buffer_ : staging_).get() + offsets_[i]);
    }
}

std::vector<std::int64_t> DevicePackets::address(std::size_t i) const {
    std::vector<std::int64_t> words = device().share(buffer_.get());
    words.push_back(offsets_[i]);
    return words;
}

void DevicePackets::read_from(std::size_t i, std::shared_ptr<std::byte> memory) {
    sources_[i] = memory.get();
    kept_.push_back(std::move(memory));
}

void DevicePackets::begin_pack() {
    if (packets_.empty()) return;
    if (buffer_) mirror_->services().move(Device::urgent, table(true), 0, first_parts_.back());
    for (std::size_t i = 0; i < packets_.size(); ++i) {
        if (!buffer_) {
            copy_boxes(true, i, 1);
        } else if (staging_) {
            device().copy(Device::urgent, packets_[i].bytes().data(), sources_[i],
                          packets_[i].cell_bytes());
        }
        note_done(i, 1);
    }
}

void DevicePackets::begin_unpack(std::size_t first, std::size_t count) {
    if (!buffer_) {
        copy_boxes(false, first, count);
        return note_done(first, count);
    }
    for (std::size_t i = first; staging_ && i < first + count; ++i) {
        device().copy(Device::urgent, sources_[i], packets_[i].bytes().data(),
                      packets_[i].cell_bytes());
    }
    mirror_->services().move(Device::urgent, table(false), first_parts_[first],
                             first_parts_[first + count]);
    note_done(first, count);
}

void DevicePackets::copy_boxes(bool is_packed, std::size_t first, std::size_t count) {
    for (const Move& move : moves(is_packed, first, count)) {
        device().copy_box(Device::urgent, move.target, move.source, move.extent, move.element_size);
    }
}

void DevicePackets::finish() const {
    for (const Event& done : done_) device().synchronize(done);
}

void DevicePackets::note_done(std::size_t first, std::size_t count) {
    const Event event = device().record(Device::urgent);
    for (std::size_t i = first; i < first + count; ++i) done_[i] = event;
}

const BoxTable& DevicePackets::table(bool is_packed) {
    std::vector<std::size_t> storages;
    for (const Packet& packet : packets_) {
        for (const Part& part : packet.message().parts) storages.push_back(part.storage);
    }
    return tables_.of(
        storages, [&] { return mirror_->services().table(moves(is_packed, 0, packets_.size())); });
}

std::vector<Move> DevicePackets::moves(bool is_packed, std::size_t first, std::size_t count) const {
    std::vector<Move> moves;
    for (std::size_t i = first; i < first + count; ++i) {
        const std::vector<Part>& parts = packets_[i].message().parts;
        for (std::size_t n = 0; n < parts.size(); ++n) {
            const Part& part = parts[n];
            const Rows cells = rows_of(mirror_->view(part.storage, part.block), part.element_size,
                                       part.component, part.lower);
            const Rows packed =
                rows_of(sources_[i] + packets_[i].offset(n), part.element_size, part.extent);
            moves.push_back({is_packed ? cells : packed, is_packed ? packed : cells, part.extent,
                             part.element_size});
        }
    }
    return moves;
}

}  // namespace halocline
