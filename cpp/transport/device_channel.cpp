#include <algorithm>
#include <utility>

#include "transport/device_packets.hpp"
#include "transport/link.hpp"
#include "transport/mpi_channels.hpp"
#include "transport/pieces.hpp"

namespace halocline {
namespace {

/// Packets on one side.
struct Side {
    Side(const std::vector<Message*>& messages, Mirror& mirror, Buffers buffers)
        : packets(messages, mirror, buffers) {
        for (std::size_t i = 0; i < packets.count(); ++i) {
            pieces.add(*messages[i], packets.packet(i).bytes());
        }
    }

    DevicePackets packets;
    Pieces pieces;  // after the packets, so that it is destroyed before them
};

class DeviceChannel final : public Channel {
public:
    DeviceChannel(MPI_Comm comm, Mirror& mirror, const Messages& messages, Buffers buffers)
        : comm_(comm),
          receives_(messages.receives, mirror, buffers),
          sends_(messages.sends, mirror, buffers),
          is_delivered_(messages.receives.size()),
          is_sent_(messages.sends.size()) {}

    void start() override {
        receives_.packets.finish();  // what came last time has been spread
        for (std::size_t i = 0; i < receives_.packets.count(); ++i) {
            receives_.pieces.call(MPI_Irecv, i, comm_);
        }
        sends_.packets.begin_pack();
        is_delivered_.assign(is_delivered_.size(), false);
        is_sent_.assign(is_sent_.size(), false);
    }

    void poll() override {
        send_packed();
        static_cast<void>(receives_.pieces.requests.test_all());
        static_cast<void>(sends_.pieces.requests.test_all());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.pieces.requests.test(receive)) return not_arrived;
        return receives_.packets.packet(receive).arrival_ns();
    }

    void deliver(std::size_t receive) override {
        if (is_delivered_[receive]) return;
        // One launch for all that is known to have arrived and comes next.
        std::size_t end = receive + 1;
        while (end < is_delivered_.size() && !is_delivered_[end] && has_arrived(end)) ++end;
        receives_.packets.begin_unpack(receive, end - receive);
        std::fill(is_delivered_.begin() + static_cast<std::ptrdiff_t>(receive),
                  is_delivered_.begin() + static_cast<std::ptrdiff_t>(end), true);
    }

    [[nodiscard]] bool is_finished() override {
        return send_packed() && sends_.pieces.requests.test_all();
    }

private:
    [[nodiscard]] bool has_arrived(std::size_t receive) {
        const std::int64_t arrival = arrival_ns(receive);
        return arrival != not_arrived && arrival <= now_ns();
    }

    /// Sends what the device has packed meanwhile. Whether that is everything.
    bool send_packed() {
        for (std::size_t i = 0; i < is_sent_.size(); ++i) {
            if (is_sent_[i] || !sends_.packets.is_done(i)) continue;
            sends_.packets.packet(i).stamp();
            sends_.pieces.call(MPI_Isend, i, comm_);
            is_sent_[i] = true;
        }
        return std::ranges::all_of(is_sent_, [](bool is_sent) { return is_sent; });
    }

    MPI_Comm comm_;
    Side receives_;
    Side sends_;
    std::vector<bool> is_delivered_;
    std::vector<bool> is_sent_;
};

}  // namespace

std::unique_ptr<Channel> device_channel(MPI_Comm comm, Mirror& mirror, const Messages& messages,
                                        Buffers buffers) {
    return std::make_unique<DeviceChannel>(comm, mirror, messages, buffers);
}

}  // namespace halocline
