#include <algorithm>
#include <utility>

#include "transport/device_packets.hpp"
#include "transport/mpi_channels.hpp"
#include "transport/pieces.hpp"

namespace halocline {
namespace {

/// A notification of the other end of a message; its content does not matter.
class Tokens {
public:
    explicit Tokens(const std::vector<Message*>& messages) : values_(messages.size()) {
        for (std::size_t i = 0; i < messages.size(); ++i) {
            pieces_.add(*messages[i], {&values_[i], 1});
        }
    }

    void send(std::size_t i, MPI_Comm comm) { pieces_.call(MPI_Isend, i, comm); }
    void expect(MPI_Comm comm) {
        for (std::size_t i = 0; i < values_.size(); ++i) pieces_.call(MPI_Irecv, i, comm);
    }
    [[nodiscard]] bool is_done(std::size_t i) { return pieces_.requests.test(i); }
    [[nodiscard]] bool is_done() { return pieces_.requests.test_all(); }

private:
    std::vector<std::byte> values_;
    Pieces pieces_;  // after the values, so that it is destroyed before them
};

/// Packets that the receiver's device reads where the sender's has packed them.
class PeerChannel final : public Channel {
public:
    PeerChannel(MPI_Comm comm, MPI_Comm back, Mirror& mirror, const Messages& messages)
        : comm_(comm),
          back_(back),
          mirror_(mirror),
          messages_(messages),
          receives_(messages.receives, mirror, Buffers::device),
          sends_(messages.sends, mirror, Buffers::shared_device),
          packed_there_(messages.receives),
          read_here_(messages.receives),
          packed_here_(messages.sends),
          read_there_(messages.sends),
          is_delivered_(messages.receives.size()),
          is_read_notified_(messages.receives.size()),
          is_packed_notified_(messages.sends.size()) {}

    void publish(Handshake& handshake) override {
        for (std::size_t i = 0; i < sends_.count(); ++i) {
            handshake.write(*messages_.sends[i], true, sends_.address(i));
        }
        for (const Message* receive : messages_.receives) handshake.write(*receive, false, {});
    }
    void attach(Handshake& handshake) override {
        for (std::size_t i = 0; i < receives_.count(); ++i) {
            Record address = handshake.read(*messages_.receives[i], false);
            const std::int64_t offset = address.back();
            address.pop_back();
            std::shared_ptr<std::byte> memory = mirror_.device().open(address);
            receives_.read_from(i, {memory, memory.get() + offset});
        }
    }

    void start() override {
        packed_there_.expect(comm_);
        read_there_.expect(back_);
        sends_.begin_pack();
        for (auto* flags : {&is_delivered_, &is_read_notified_, &is_packed_notified_}) {
            flags->assign(flags->size(), false);
        }
    }

    void poll() override {
        notify();
        static_cast<void>(packed_there_.is_done());
        static_cast<void>(read_there_.is_done());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        return packed_there_.is_done(receive) ? 0 : not_arrived;
    }

    void deliver(std::size_t receive) override {
        receives_.begin_unpack(receive, 1);
        is_delivered_[receive] = true;
    }

    [[nodiscard]] bool is_finished() override {
        return notify() && packed_here_.is_done() && read_here_.is_done() && read_there_.is_done();
    }

private:
    /// Notifies the other ends of what has been packed and read meanwhile; returns whether that is
    /// all.
    bool notify() {
        for (std::size_t i = 0; i < sends_.count(); ++i) {
            if (is_packed_notified_[i] || !sends_.is_done(i)) continue;
            packed_here_.send(i, comm_);
            is_packed_notified_[i] = true;
        }
        for (std::size_t i = 0; i < receives_.count(); ++i) {
            if (is_read_notified_[i] || !is_delivered_[i] || !receives_.is_done(i)) continue;
            read_here_.send(i, back_);
            is_read_notified_[i] = true;
        }
        const auto is_set = [](bool flag) { return flag; };
        return std::ranges::all_of(is_packed_notified_, is_set) &&
               std::ranges::all_of(is_read_notified_, is_set);
    }

    MPI_Comm comm_;
    MPI_Comm back_;  // where a rank may have sent and received something with the same tag
    Mirror& mirror_;
    Messages messages_;
    DevicePackets receives_;
    DevicePackets sends_;
    Tokens packed_there_, read_here_;  // by receive
    Tokens packed_here_, read_there_;  // by send
    std::vector<bool> is_delivered_, is_read_notified_, is_packed_notified_;
};

}  // namespace

std::unique_ptr<Channel> peer_channel(MPI_Comm comm, MPI_Comm back, Mirror& mirror,
                                      const Messages& messages) {
    return std::make_unique<PeerChannel>(comm, back, mirror, messages);
}

}  // namespace halocline
