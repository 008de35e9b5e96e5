#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "mpi/requests.hpp"
#include "transport/message.hpp"

namespace halocline {

/// The buffers of messages to or from others, in pieces that MPI takes at once, with their
/// requests.
class Pieces {
public:
    /// Adds a message; the buffer must outlive this.
    void add(const Message& message, std::span<std::byte> buffer) {
        messages_.push_back({&message, {}});
        // An empty buffer is one empty piece.
        do {
            const auto piece = buffer.first(std::min(buffer.size(), largest_piece));
            messages_.back().pieces.push_back(piece);
            buffer = buffer.subspan(piece.size());
        } while (!buffer.empty());
        requests.add_group(messages_.back().pieces.size());
    }

    /// Calls an MPI function with buffer, count, type, rank, tag, communicator, request for each
    /// piece of a message.
    void call(auto function, std::size_t message, MPI_Comm comm) {
        const auto& [what, pieces] = messages_[message];
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            mpi::check(function(pieces[i].data(), static_cast<int>(pieces[i].size()), MPI_BYTE,
                                what->rank, what->tag, comm, &requests.group(message)[i]));
        }
    }

    mpi::Requests requests;

private:
    /// The counts of MPI before version 4 end at 2^31 - 1. Pieces of one message have the same
    /// tag: MPI keeps their order.
    static constexpr std::size_t largest_piece = std::size_t{1} << 30;

    struct Buffer {
        const Message* message;
        std::vector<std::span<std::byte>> pieces;
    };
    std::vector<Buffer> messages_;
};

}  // namespace halocline
