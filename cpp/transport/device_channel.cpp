#include <algorithm>
#include <utility>

#include "transport/device_packet.hpp"
#include "transport/mpi_channels.hpp"
#include "transport/pieces.hpp"

namespace halocline {
namespace {

/// Packets on one side.
struct Side {
    Side(const std::vector<Message*>& messages, Mirror& mirror, bool is_staged) {
        packets.reserve(messages.size());
        for (const Message* message : messages) {
            packets.emplace_back(*message, mirror, is_staged);
            pieces.add(*message, packets.back().packet().bytes());
        }
    }

    std::vector<DevicePacket> packets;
    Pieces pieces;  // after the packets, so that it is destroyed before them
};

class DeviceChannel final : public Channel {
public:
    DeviceChannel(MPI_Comm comm, Mirror& mirror, const Messages& messages, bool is_staged)
        : comm_(comm),
          receives_(messages.receives, mirror, is_staged),
          sends_(messages.sends, mirror, is_staged),
          is_sent_(messages.sends.size()) {}

    void start() override {
        for (std::size_t i = 0; i < receives_.packets.size(); ++i) {
            receives_.packets[i].finish();  // what came last time has been spread
            receives_.pieces.call(MPI_Irecv, i, comm_);
        }
        for (DevicePacket& packet : sends_.packets) packet.begin_pack();
        is_sent_.assign(is_sent_.size(), false);
    }

    void poll() override {
        send_packed();
        static_cast<void>(receives_.pieces.requests.test_all());
        static_cast<void>(sends_.pieces.requests.test_all());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.pieces.requests.test(receive)) return not_arrived;
        return receives_.packets[receive].packet().arrival_ns();
    }

    void deliver(std::size_t receive) override { receives_.packets[receive].begin_unpack(); }

    [[nodiscard]] bool is_finished() override {
        return send_packed() && sends_.pieces.requests.test_all();
    }

private:
    /// Sends what the device has packed meanwhile. Whether that is everything.
    bool send_packed() {
        for (std::size_t i = 0; i < is_sent_.size(); ++i) {
            if (is_sent_[i] || !sends_.packets[i].is_done()) continue;
            sends_.packets[i].packet().stamp();
            sends_.pieces.call(MPI_Isend, i, comm_);
            is_sent_[i] = true;
        }
        return std::ranges::all_of(is_sent_, [](bool is_sent) { return is_sent; });
    }

    MPI_Comm comm_;
    Side receives_;
    Side sends_;
    std::vector<bool> is_sent_;
};

}  // namespace

std::unique_ptr<Channel> device_channel(MPI_Comm comm, Mirror& mirror, const Messages& messages,
                                        bool is_staged) {
    return std::make_unique<DeviceChannel>(comm, mirror, messages, is_staged);
}

}  // namespace halocline
