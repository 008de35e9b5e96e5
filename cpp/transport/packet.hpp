#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "transport/message.hpp"

namespace halocline {

/// The buffer of a message: its parts one after the other, and for an emulated link the time at
/// which it arrives.
class Packet {
public:
    explicit Packet(const Message& message);

    /// Gives it memory of its own.
    void allocate();
    /// Places it in memory that belongs to someone else.
    void place(std::byte* buffer) { buffer_ = buffer; }
    [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::span<std::byte> bytes() const {
        return {buffer_, static_cast<std::size_t>(size_bytes_)};
    }
    /// Without the time of arrival.
    [[nodiscard]] std::int64_t cell_bytes() const {
        return size_bytes_ - (message_->link == nullptr ? 0 : std::int64_t{sizeof(std::int64_t)});
    }
    [[nodiscard]] const Message& message() const { return *message_; }
    /// Where a part begins in the buffer [bytes].
    [[nodiscard]] std::int64_t offset(std::size_t part) const { return offsets_[part]; }

    /// Gathers the cells of this rank.
    void pack(const Memory& memory);
    /// Spreads the values over the cells of this rank.
    void unpack(const Memory& memory);
    /// Notes that the message is sent now.
    void stamp(int crossings = 1) const;
    /// When a complete packet may be seen [ns], 0 without an emulated link.
    [[nodiscard]] std::int64_t arrival_ns() const;

private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };

    [[nodiscard]] Rows packed(std::size_t part) const;

    const Message* message_;
    std::vector<std::int64_t> offsets_;
    std::vector<BoxCopy> boxes_;
    std::int64_t size_bytes_ = 0;
    std::byte* buffer_ = nullptr;
    std::unique_ptr<std::byte, Free> memory_;
};

/// A packet for each message.
[[nodiscard]] std::vector<Packet> packets_of(const std::vector<Message*>& messages);

}  // namespace halocline
