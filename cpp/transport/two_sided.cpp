#include "transport/two_sided.hpp"

#include <utility>
#include <vector>

#include "transport/packet.hpp"

namespace halocline {

Parcels::~Parcels() = default;
Wire::~Wire() = default;

namespace {

/// Packets on one side.
struct PacketSide {
    PacketSide(const std::vector<Message*>& messages, std::unique_ptr<Parcels> made)
        : packets(packets_of(messages)), parcels(std::move(made)) {
        for (Packet& packet : packets) {
            packet.allocate();
            parcels->add(packet.message(), packet.bytes());
        }
    }

    std::vector<Packet> packets;
    std::unique_ptr<Parcels> parcels;  // after the packets, so that it is destroyed before them
};

class TwoSidedChannel final : public Channel {
public:
    TwoSidedChannel(Wire& wire, const Memory& memory, const Messages& messages)
        : memory_(memory),
          receives_(messages.receives, wire.receives()),
          sends_(messages.sends, wire.sends()) {}

    void start() override {
        for (std::size_t i = 0; i < receives_.packets.size(); ++i) receives_.parcels->start(i);
        for (std::size_t i = 0; i < sends_.packets.size(); ++i) {
            sends_.packets[i].pack(memory_);
            sends_.packets[i].stamp();
            sends_.parcels->start(i);
        }
    }

    void poll() override {
        static_cast<void>(receives_.parcels->are_done());
        static_cast<void>(sends_.parcels->are_done());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.parcels->is_done(receive)) return not_arrived;
        return receives_.packets[receive].arrival_ns();
    }

    void deliver(std::size_t receive) override { receives_.packets[receive].unpack(memory_); }

    [[nodiscard]] bool is_finished() override { return sends_.parcels->are_done(); }

private:
    const Memory& memory_;
    PacketSide receives_;
    PacketSide sends_;
};

}  // namespace

std::unique_ptr<Channel> two_sided_channel(Wire& wire, const Memory& memory,
                                           const Messages& messages) {
    return std::make_unique<TwoSidedChannel>(wire, memory, messages);
}

}  // namespace halocline
