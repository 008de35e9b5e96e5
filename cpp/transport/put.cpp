#include <algorithm>
#include <utility>

#include "transport/mpi_channels.hpp"
#include "transport/packet.hpp"

namespace halocline {
namespace {

/// The sender writes into the receiver's buffer, then a counter beside it. When the receiver has
/// read the buffer, it sets a counter at the sender, who may then write again.
class PutChannel final : public Channel {
public:
    PutChannel(std::shared_ptr<mpi::Window> window, const Memory& memory, const Messages& messages)
        : window_(std::move(window)), memory_(memory) {
        for (const Message* message : messages.receives) {
            Packet packet(*message);
            const std::int64_t buffer = window_->reserve(packet.size_bytes());
            receives_.push_back({std::move(packet), buffer, window_->reserve_counter(), 0});
        }
        for (const Message* message : messages.sends) {
            Packet packet(*message);
            packet.allocate();
            sends_.push_back({std::move(packet), window_->reserve_counter(), 0, 0, false});
        }
    }

    void publish(Handshake& handshake) override {
        for (const Receive& receive : receives_) {
            handshake.write(receive.packet.message(), false, {receive.buffer, receive.filled});
        }
        for (const Send& send : sends_)
            handshake.write(send.packet.message(), true, {send.read, 0});
    }

    void attach(Handshake& handshake) override {
        for (Receive& receive : receives_) {
            receive.packet.place(window_->at(receive.buffer));
            receive.their_read = handshake.read(receive.packet.message(), false)[0];
        }
        for (Send& send : sends_) {
            const Record& theirs = handshake.read(send.packet.message(), true);
            send.their_buffer = theirs[0];
            send.their_filled = theirs[1];
        }
    }

    void start() override {
        ++round_;
        for (Send& send : sends_) {
            send.packet.pack(memory_);
            send.is_done = false;
        }
        poll();
    }

    void poll() override {
        for (Send& send : sends_) {
            if (send.is_done || !window_->has(send.read, round_ - 1)) continue;
            const int rank = send.packet.message().rank;
            send.packet.stamp();
            window_->memory().put(rank, send.their_buffer, send.packet.bytes());
            window_->set(rank, send.their_filled, round_);
            send.is_done = true;
        }
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        const Receive& from = receives_[receive];
        return window_->has(from.filled, round_) ? from.packet.arrival_ns() : not_arrived;
    }

    void deliver(std::size_t receive) override {
        Receive& from = receives_[receive];
        from.packet.unpack(memory_);
        window_->set(from.packet.message().rank, from.their_read, round_);
    }

    [[nodiscard]] bool is_finished() override {
        return std::ranges::all_of(sends_, &Send::is_done);
    }

private:
    // Buffers and counters are places in the window, here or 'their' at the other end.
    struct Receive {
        Packet packet;
        std::int64_t buffer;
        std::int64_t filled;
        std::int64_t their_read;
    };
    struct Send {
        Packet packet;
        std::int64_t read;
        std::int64_t their_buffer;
        std::int64_t their_filled;
        bool is_done;
    };

    std::shared_ptr<mpi::Window> window_;
    const Memory& memory_;
    std::vector<Receive> receives_;
    std::vector<Send> sends_;
    std::uint64_t round_ = 0;
};

}  // namespace

std::unique_ptr<Channel> put_channel(std::shared_ptr<mpi::Window> window, const Memory& memory,
                                     const Messages& messages) {
    return std::make_unique<PutChannel>(std::move(window), memory, messages);
}

}  // namespace halocline
