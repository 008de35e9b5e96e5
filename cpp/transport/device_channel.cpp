#include <algorithm>
#include <utility>

#include "transport/link.hpp"
#include "transport/two_sided.hpp"

namespace halocline {
namespace {

/// Packets on one side.
struct DeviceSide {
    DeviceSide(const std::vector<Message*>& messages, std::unique_ptr<Parcels> made, Mirror& mirror,
               Buffers buffers)
        : packets(messages, mirror, buffers), parcels(std::move(made)) {
        for (std::size_t i = 0; i < packets.count(); ++i) {
            parcels->add(*messages[i], packets.packet(i).bytes());
        }
    }

    DevicePackets packets;
    std::unique_ptr<Parcels> parcels;  // after the packets, so that it is destroyed before them
};

class DeviceChannel final : public Channel {
public:
    DeviceChannel(Wire& wire, Mirror& mirror, const Messages& messages, Buffers buffers)
        : receives_(messages.receives, wire.receives(), mirror, buffers),
          sends_(messages.sends, wire.sends(), mirror, buffers),
          is_delivered_(messages.receives.size()),
          is_sent_(messages.sends.size()) {}

    void start() override {
        receives_.packets.finish();  // what came last time has been spread
        for (std::size_t i = 0; i < receives_.packets.count(); ++i) receives_.parcels->start(i);
        sends_.packets.begin_pack();
        is_delivered_.assign(is_delivered_.size(), false);
        is_sent_.assign(is_sent_.size(), false);
    }

    void poll() override {
        send_packed();
        static_cast<void>(receives_.parcels->are_done());
        static_cast<void>(sends_.parcels->are_done());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.parcels->is_done(receive)) return not_arrived;
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
        return send_packed() && sends_.parcels->are_done();
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
            sends_.parcels->start(i);
            is_sent_[i] = true;
        }
        return std::ranges::all_of(is_sent_, [](bool is_sent) { return is_sent; });
    }

    DeviceSide receives_;
    DeviceSide sends_;
    std::vector<bool> is_delivered_;
    std::vector<bool> is_sent_;
};

}  // namespace

std::unique_ptr<Channel> device_channel(Wire& wire, Mirror& mirror, const Messages& messages,
                                        Buffers buffers) {
    return std::make_unique<DeviceChannel>(wire, mirror, messages, buffers);
}

}  // namespace halocline
