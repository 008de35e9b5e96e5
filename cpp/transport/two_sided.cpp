#include <utility>

#include "transport/mpi_channels.hpp"
#include "transport/packet.hpp"
#include "transport/pieces.hpp"

namespace halocline {
namespace {

using mpi::check;

/// Packets on one side.
struct Side {
    explicit Side(const std::vector<Message*>& messages) : packets(packets_of(messages)) {
        for (Packet& packet : packets) {
            packet.allocate();
            pieces.add(packet.message(), packet.bytes());
        }
    }

    std::vector<Packet> packets;
    Pieces pieces;  // after the packets, so that it is destroyed before them
};

class TwoSidedChannel final : public Channel {
public:
    TwoSidedChannel(MPI_Comm comm, const Memory& memory, const Messages& messages,
                    bool is_persistent)
        : comm_(comm),
          memory_(memory),
          is_persistent_(is_persistent),
          receives_(messages.receives),
          sends_(messages.sends) {
        if (!is_persistent_) return;
        for (std::size_t i = 0; i < receives_.packets.size(); ++i) {
            receives_.pieces.call(MPI_Recv_init, i, comm_);
        }
        for (std::size_t i = 0; i < sends_.packets.size(); ++i) {
            sends_.pieces.call(MPI_Send_init, i, comm_);
        }
    }

    void start() override {
        for (std::size_t i = 0; i < receives_.packets.size(); ++i) {
            if (is_persistent_)
                start_prepared(receives_, i);
            else
                receives_.pieces.call(MPI_Irecv, i, comm_);
        }
        for (std::size_t i = 0; i < sends_.packets.size(); ++i) {
            sends_.packets[i].pack(memory_);
            sends_.packets[i].stamp();
            if (is_persistent_)
                start_prepared(sends_, i);
            else
                sends_.pieces.call(MPI_Isend, i, comm_);
        }
    }

    void poll() override {
        static_cast<void>(receives_.pieces.requests.test_all());
        static_cast<void>(sends_.pieces.requests.test_all());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.pieces.requests.test(receive)) return not_arrived;
        return receives_.packets[receive].arrival_ns();
    }

    void deliver(std::size_t receive) override { receives_.packets[receive].unpack(memory_); }

    [[nodiscard]] bool is_finished() override { return sends_.pieces.requests.test_all(); }

private:
    static void start_prepared(Side& side, std::size_t message) {
        const std::span<MPI_Request> requests = side.pieces.requests.group(message);
        check(MPI_Startall(static_cast<int>(requests.size()), requests.data()));
    }

    MPI_Comm comm_;
    const Memory& memory_;
    bool is_persistent_;
    Side receives_;
    Side sends_;
};

}  // namespace

std::unique_ptr<Channel> two_sided_channel(MPI_Comm comm, const Memory& memory, Messages messages,
                                           bool is_persistent) {
    return std::make_unique<TwoSidedChannel>(comm, memory, messages, is_persistent);
}

}  // namespace halocline
