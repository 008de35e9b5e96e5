#include "transport/packet.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "pgas/align.hpp"
#include "transport/link.hpp"

namespace halocline {
namespace {

/// Every part begins at a multiple of this, so that values of 8 bytes are aligned.
constexpr std::int64_t part_bytes = 8;

}  // namespace

Packet::Packet(const Message& message) : message_(&message) {
    for (const Part& part : message.parts) {
        offsets_.push_back(size_bytes_);
        size_bytes_ += round_up(part.bytes(), part_bytes);
    }
    if (message.link != nullptr) size_bytes_ += static_cast<std::int64_t>(sizeof(std::int64_t));
}

void Packet::allocate() {
    const auto bytes =
        static_cast<std::size_t>(round_up(std::max(size_bytes_, line_bytes), line_bytes));
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(line_bytes, bytes)));
    if (!memory_) throw std::bad_alloc();
    buffer_ = memory_.get();
    // Gaps between parts travel too: give them a value.
    std::fill_n(buffer_, bytes, std::byte{0});
}

void Packet::pack(const Memory& memory) {
    boxes_.clear();
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
        const Part& part = message_->parts[i];
        boxes_.push_back({part.rows(memory), packed(i), part.extent, part.element_size});
    }
    copy_boxes(boxes_, memory.threads);
}

void Packet::unpack(const Memory& memory) {
    boxes_.clear();
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
        const Part& part = message_->parts[i];
        boxes_.push_back({packed(i), part.rows(memory), part.extent, part.element_size});
    }
    copy_boxes(boxes_, memory.threads);
}

Rows Packet::packed(std::size_t part) const {
    const Part& what = message_->parts[part];
    return rows_of(buffer_ + offsets_[part], what.element_size, what.extent);
}

void Packet::stamp(int crossings) const {
    if (message_->link == nullptr) return;
    const std::int64_t arrival = message_->link->send(message_->bytes(), crossings);
    std::memcpy(buffer_ + size_bytes_ - sizeof(arrival), &arrival, sizeof(arrival));
}

std::int64_t Packet::arrival_ns() const {
    if (message_->link == nullptr) return 0;
    std::int64_t arrival = 0;
    std::memcpy(&arrival, buffer_ + size_bytes_ - sizeof(arrival), sizeof(arrival));
    return arrival;
}

std::vector<Packet> packets_of(const std::vector<Message*>& messages) {
    std::vector<Packet> packets;
    for (const Message* message : messages) packets.emplace_back(*message);
    return packets;
}

}  // namespace halocline
