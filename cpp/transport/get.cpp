#include <algorithm>
#include <utility>

#include "mpi/requests.hpp"
#include "transport/mpi_channels.hpp"
#include "transport/packet.hpp"

namespace halocline {
namespace {

/// The reader is told that there is something, and its request has to come back.
constexpr int crossings = 2;

/// The owner packs into its own memory and sets a counter at the reader, who fetches the values
/// and then sets a counter at the owner, who may then pack again.
class GetChannel final : public Channel {
public:
    GetChannel(std::shared_ptr<mpi::Window> window, const Memory& memory, const Messages& messages)
        : window_(std::move(window)), memory_(memory) {
        for (const Message* message : messages.receives) {
            Packet packet(*message);
            packet.allocate();
            requests_.add_group(mpi::RemoteMemory::gets(packet.bytes().size()));
            receives_.push_back({std::move(packet), window_->reserve_counter(), 0, 0});
        }
        for (const Message* message : messages.sends) {
            Packet packet(*message);
            const std::int64_t buffer = window_->reserve(packet.size_bytes());
            sends_.push_back({std::move(packet), buffer, window_->reserve_counter(), 0});
        }
    }

    void publish(Handshake& handshake) override {
        for (const Receive& receive : receives_) {
            handshake.write(receive.packet.message(), false, {receive.packed, 0});
        }
        for (const Send& send : sends_) {
            handshake.write(send.packet.message(), true, {send.buffer, send.read});
        }
    }

    void attach(Handshake& handshake) override {
        for (Receive& receive : receives_) {
            const Record& theirs = handshake.read(receive.packet.message(), false);
            receive.their_buffer = theirs[0];
            receive.their_read = theirs[1];
        }
        for (Send& send : sends_) {
            send.packet.place(window_->at(send.buffer));
            send.their_packed = handshake.read(send.packet.message(), true)[0];
        }
    }

    void start() override {
        ++round_;
        for (Receive& receive : receives_) receive.progress = Progress::waiting;
        for (Send& send : sends_) {
            send.packet.pack(memory_);
            send.packet.stamp(crossings);
            window_->memory().sync();
            window_->set(send.packet.message().rank, send.their_packed, round_);
        }
    }

    void poll() override {
        for (std::size_t i = 0; i < receives_.size(); ++i) fetch(i);
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        fetch(receive);
        const Receive& from = receives_[receive];
        return from.progress == Progress::fetched ? from.packet.arrival_ns() : not_arrived;
    }

    void deliver(std::size_t receive) override { receives_[receive].packet.unpack(memory_); }

    [[nodiscard]] bool is_finished() override {
        return std::ranges::all_of(
            sends_, [&](const Send& send) { return window_->has(send.read, round_); });
    }

private:
    enum class Progress { waiting, fetching, fetched };

    // Buffers and counters are places in the window, here or 'their' at the other end.
    struct Receive {
        Packet packet;
        std::int64_t packed;
        std::int64_t their_buffer;
        std::int64_t their_read;
        Progress progress = Progress::waiting;
    };
    struct Send {
        Packet packet;
        std::int64_t buffer;
        std::int64_t read;
        std::int64_t their_packed;
    };

    void fetch(std::size_t i) {
        Receive& receive = receives_[i];
        const int rank = receive.packet.message().rank;
        if (receive.progress == Progress::waiting && window_->has(receive.packed, round_)) {
            window_->memory().begin_get(rank, receive.their_buffer, receive.packet.bytes(),
                                        requests_.group(i));
            receive.progress = Progress::fetching;
        }
        if (receive.progress == Progress::fetching && requests_.test(i)) {
            window_->set(rank, receive.their_read, round_);
            receive.progress = Progress::fetched;
        }
    }

    std::shared_ptr<mpi::Window> window_;
    const Memory& memory_;
    std::vector<Receive> receives_;
    std::vector<Send> sends_;
    std::uint64_t round_ = 0;
    mpi::Requests requests_{false};  // after the packets, so that it is destroyed before them
};

}  // namespace

std::unique_ptr<Channel> get_channel(std::shared_ptr<mpi::Window> window, const Memory& memory,
                                     const Messages& messages) {
    return std::make_unique<GetChannel>(std::move(window), memory, messages);
}

}  // namespace halocline
