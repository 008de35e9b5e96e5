#include "transport/mpi.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include "mpi/comm.hpp"
#include "mpi/error.hpp"
#include "mpi/requests.hpp"
#include "transport/device_trial.hpp"
#include "transport/mpi_channels.hpp"
#include "transport/mpi_wire.hpp"
#include "transport/shared.hpp"
#include "transport/two_sided.hpp"

namespace halocline {
namespace {

using mpi::check;

class MpiTransport final : public Transport {
public:
    MpiTransport(MPI_Comm original, std::vector<int> nodes, std::optional<Link> link)
        : Transport(mpi::rank_in(original), std::move(nodes), link),
          comm_(original),
          handshake_(original),
          back_(original) {
        if (size() == comm_.size()) return;
        throw std::invalid_argument("There are " + std::to_string(comm_.size()) +
                                    " ranks, but the nodes of " + std::to_string(size()) +
                                    " were given.");
    }

    [[nodiscard]] std::unique_ptr<Channel> open(plan::TransportKind kind, const Memory& memory,
                                                const Messages& messages) override {
        require_reachable(kind, messages);
        switch (kind) {
            case plan::TransportKind::shared:
                return shared_channel(memory, messages, false);
            case plan::TransportKind::shared_push:
                return shared_channel(memory, messages, true);
            case plan::TransportKind::two_sided:
                return two_sided_channel(wire_, memory, messages);
            case plan::TransportKind::persistent:
                return two_sided_channel(persistent_, memory, messages);
            case plan::TransportKind::datatype:
                return datatype_channel(comm_.handle(), memory, messages);
            case plan::TransportKind::put:
                return put_channel(window_, memory, messages);
            case plan::TransportKind::get:
                return get_channel(window_, memory, messages);
            default:
                throw std::invalid_argument(
                    "Messages between devices need fields on a device; these lie in the host.");
        }
    }

    [[nodiscard]] std::unique_ptr<Channel> open_on_device(plan::TransportKind kind, Mirror& mirror,
                                                          const Messages& messages) override {
        require_reachable(kind, messages);
        switch (kind) {
            case plan::TransportKind::box_copies:
                return device_channel(wire_, mirror, messages, Buffers::boxes);
            case plan::TransportKind::via_host:
                return device_channel(wire_, mirror, messages, Buffers::host);
            case plan::TransportKind::from_device:
                return device_channel(wire_, mirror, messages, Buffers::device);
            case plan::TransportKind::peer:
                return peer_channel(comm_.handle(), back_.handle(), mirror, messages);
            default:
                throw std::invalid_argument(
                    "Messages between hosts need fields in the host; these lie on a device.");
        }
    }

    void connect(const Memory& memory, std::span<Channel* const> channels) override {
        window_->allocate(comm_.handle());
        window_ = std::make_shared<mpi::Window>();  // for those to come
        Handshake handshake;
        for (Channel* channel : channels) channel->publish(handshake);
        exchange_records(handshake, memory);
        for (Channel* channel : channels) channel->attach(handshake);
    }

    [[nodiscard]] std::string try_device(plan::TransportKind kind, Device& device) override {
        // What is left over of a trial that failed must meet nothing else.
        const mpi::Comm trial(comm_.handle());
        switch (kind) {
            case plan::TransportKind::from_device:
                if (has_links()) return "an emulated link needs the memory of the host";
                return try_messages_from_device(trial.handle(), device);
            case plan::TransportKind::peer:
                return try_peers(trial.handle(), device, nodes());
            default:
                return {};
        }
    }

    void sum(std::span<std::int64_t> values) override {
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                            MPI_INT64_T, MPI_SUM, comm_.handle()));
    }
    void min(std::span<double> values) override { reduce(values, MPI_MIN); }
    void max(std::span<double> values) override { reduce(values, MPI_MAX); }

private:
    void reduce(std::span<double> values, MPI_Op operation) {
        check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                            MPI_DOUBLE, operation, comm_.handle()));
    }

    void require_reachable(plan::TransportKind kind, const Messages& messages) const {
        for (const Message* message : messages.receives) require_reachable(kind, *message);
        for (const Message* message : messages.sends) require_reachable(kind, *message);
    }

    void require_reachable(plan::TransportKind kind, const Message& message) const {
        const int largest = comm_.largest_tag();
        if (message.tag > largest) {
            throw std::invalid_argument("Tag " + std::to_string(message.tag) +
                                        " is larger than this MPI allows (" +
                                        std::to_string(largest) + ").");
        }
        const bool is_shared = kind == plan::TransportKind::shared ||
                               kind == plan::TransportKind::shared_push ||
                               kind == plan::TransportKind::peer;
        if (is_shared && !is_near(message.rank)) {
            throw std::invalid_argument("Ranks " + std::to_string(rank()) + " and " +
                                        std::to_string(message.rank) +
                                        " are on different nodes and share no memory.");
        }
    }

    /// Sends each neighbour its record and takes theirs: who writes to a rank gets one from it.
    void exchange_records(Handshake& handshake, const Memory& memory) {
        const std::vector<int> ranks = handshake.ranks();
        std::vector<std::vector<std::int64_t>> written;
        for (const int rank : ranks) written.push_back(handshake.outgoing(rank, memory));
        mpi::Requests requests;
        requests.add_group(ranks.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            check(MPI_Isend(written[i].data(), static_cast<int>(written[i].size()), MPI_INT64_T,
                            ranks[i], 0, handshake_.handle(), &requests.group(0)[i]));
        }
        for (const int rank : ranks) {
            MPI_Status status;
            check(MPI_Probe(rank, 0, handshake_.handle(), &status));
            int count = 0;
            check(MPI_Get_count(&status, MPI_INT64_T, &count));
            std::vector<std::int64_t> record(static_cast<std::size_t>(count));
            check(MPI_Recv(record.data(), count, MPI_INT64_T, rank, 0, handshake_.handle(),
                           MPI_STATUS_IGNORE));
            handshake.take(rank, std::move(record));
        }
        requests.wait_all();
    }

    mpi::Comm comm_;
    mpi::Comm handshake_;  // a message of an exchange must not be taken for a record
    mpi::Comm back_;       // nor for an answer
    MpiWire wire_{comm_.handle(), false};
    MpiWire persistent_{comm_.handle(), true};
    std::shared_ptr<mpi::Window> window_ = std::make_shared<mpi::Window>();
};

}  // namespace

std::shared_ptr<Transport> mpi_transport(int fortran_handle, std::vector<int> nodes,
                                         double latency_s, double seconds_per_byte) {
    if (!mpi::is_active()) throw std::runtime_error("MPI is not initialised or already finalised.");
    const MPI_Comm original = MPI_Comm_f2c(static_cast<MPI_Fint>(fortran_handle));
    std::optional<Link> link;
    if (latency_s > 0 || seconds_per_byte > 0) link.emplace(latency_s, seconds_per_byte);
    return std::make_shared<MpiTransport>(original, std::move(nodes), link);
}

void mpi_start() {
    int is_started = 0, provided = 0;
    check(MPI_Initialized(&is_started));
    if (is_started == 0) check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
}

std::string mpi_library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length));
    return {text.data(), static_cast<std::size_t>(length)};
}

void mpi_abort(int code) {
    static_cast<void>(MPI_Abort(MPI_COMM_WORLD, code));
    std::abort();
}

}  // namespace halocline
