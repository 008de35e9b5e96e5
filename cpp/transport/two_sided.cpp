#include <algorithm>
#include <utility>

#include "mpi/requests.hpp"
#include "transport/mpi_channels.hpp"
#include "transport/packet.hpp"

namespace halocline {
namespace {

using mpi::check;

/// Larger messages are divided: the counts of MPI before version 4 end at 2^31 - 1. Pieces of one
/// message have the same tag: MPI keeps their order.
constexpr std::size_t largest_message = std::size_t{1} << 30;

using Piece = std::span<std::byte>;

/// An empty buffer is one empty piece.
std::vector<Piece> pieces_of(Piece rest) {
    std::vector<Piece> pieces;
    do {
        pieces.push_back(rest.first(std::min(rest.size(), largest_message)));
        rest = rest.subspan(pieces.back().size());
    } while (!rest.empty());
    return pieces;
}

/// Packets on one side, with their requests.
struct Side {
    explicit Side(const std::vector<Message*>& messages) : packets(packets_of(messages)) {
        for (Packet& packet : packets) {
            packet.allocate();
            pieces.push_back(pieces_of(packet.bytes()));
            requests.add_group(pieces.back().size());
        }
    }

    /// Calls an MPI function with buffer, count, type, rank, tag, communicator, request for each
    /// piece of a message.
    void call(auto function, std::size_t message, MPI_Comm comm) {
        const Message& what = packets[message].message();
        for (std::size_t i = 0; i < pieces[message].size(); ++i) {
            const Piece& piece = pieces[message][i];
            check(function(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, what.rank,
                           what.tag, comm, &requests.group(message)[i]));
        }
    }

    std::vector<Packet> packets;
    std::vector<std::vector<Piece>> pieces;
    mpi::Requests requests;  // after the packets, so that it is destroyed before them
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
            receives_.call(MPI_Recv_init, i, comm_);
        }
        for (std::size_t i = 0; i < sends_.packets.size(); ++i) {
            sends_.call(MPI_Send_init, i, comm_);
        }
    }

    void start() override {
        for (std::size_t i = 0; i < receives_.packets.size(); ++i) {
            if (is_persistent_)
                start_prepared(receives_, i);
            else
                receives_.call(MPI_Irecv, i, comm_);
        }
        for (std::size_t i = 0; i < sends_.packets.size(); ++i) {
            sends_.packets[i].pack(memory_);
            sends_.packets[i].stamp();
            if (is_persistent_)
                start_prepared(sends_, i);
            else
                sends_.call(MPI_Isend, i, comm_);
        }
    }

    void poll() override {
        static_cast<void>(receives_.requests.test_all());
        static_cast<void>(sends_.requests.test_all());
    }

    [[nodiscard]] std::int64_t arrival_ns(std::size_t receive) override {
        if (!receives_.requests.test(receive)) return not_arrived;
        return receives_.packets[receive].arrival_ns();
    }

    void deliver(std::size_t receive) override { receives_.packets[receive].unpack(memory_); }

    [[nodiscard]] bool is_finished() override { return sends_.requests.test_all(); }

private:
    static void start_prepared(Side& side, std::size_t message) {
        const std::span<MPI_Request> requests = side.requests.group(message);
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
