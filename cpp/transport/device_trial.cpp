#include "transport/device_trial.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>

#include "device/launch.hpp"
#include "mpi/error.hpp"

/// An extension of MPICH and Open MPI; null in a library that lacks it.
extern "C" int MPIX_Query_cuda_support(void) __attribute__((weak));

namespace halocline {
namespace {

using mpi::check;

/// One message that MPI sends at once, one for which it asks the other side first.
constexpr std::size_t sizes[] = {1 << 10, 1 << 22};

constexpr double patience_s = 10;

/// Words in which devices describe memory, with their number in front.
using Address = std::array<std::int64_t, 17>;

std::vector<std::byte> pattern(int rank, std::size_t bytes) {
    std::vector<std::byte> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
        values[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(rank) * 13 + 1);
    }
    return values;
}

bool holds(Device& device, const std::byte* from, const std::vector<std::byte>& values) {
    return downloaded<std::byte>(device, from, values.size()) == values;
}

/// The next and the previous rank.
struct Ring {
    explicit Ring(MPI_Comm comm) {
        check(MPI_Comm_rank(comm, &rank));
        check(MPI_Comm_size(comm, &size));
        next = (rank + 1) % size;
        previous = (rank + size - 1) % size;
    }
    int rank = 0, size = 0, next = 0, previous = 0;
};

/// Whether two requests are done in time: another rank may have met an error and gone on.
bool complete(MPI_Request (&requests)[2]) {
    const double end = MPI_Wtime() + patience_s;
    int is_done = 0;
    while (is_done == 0 && MPI_Wtime() < end) {
        if (MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) return false;
    }
    return is_done != 0;
}

/// What one rank knows to be wrong; some libraries end the program if they are tried in vain.
std::string known_refusal(const Device& device) {
    if (device.is_host_memory()) return {};
    if (MPIX_Query_cuda_support == nullptr) return "MPI does not say that it knows devices";
    return MPIX_Query_cuda_support() == 1 ? "" : "MPI was built without CUDA";
}

}  // namespace

std::string try_messages_from_device(MPI_Comm comm, Device& device) {
    const Ring ring(comm);
    std::string refusal = known_refusal(device);
    int is_refused = refusal.empty() ? 0 : 1;
    check(MPI_Allreduce(MPI_IN_PLACE, &is_refused, 1, MPI_INT, MPI_MAX, comm));
    if (is_refused != 0) return refusal;
    for (const std::size_t bytes : sizes) {
        const auto sent = uploaded(device, pattern(ring.rank, bytes));
        const auto received = device.allocate(static_cast<std::int64_t>(bytes));
        const auto count = static_cast<int>(bytes);
        MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (MPI_Irecv(received.get(), count, MPI_BYTE, ring.previous, 0, comm, &requests[0]) !=
                MPI_SUCCESS ||
            MPI_Isend(sent.get(), count, MPI_BYTE, ring.next, 0, comm, &requests[1]) !=
                MPI_SUCCESS ||
            !complete(requests)) {
            // MPI may still use the memory.
            static std::vector<std::shared_ptr<std::byte>> lost;
            lost.insert(lost.end(), {sent, received});
            return "MPI did not send memory of a device";
        }
        if (!holds(device, received.get(), pattern(ring.previous, bytes))) {
            return "MPI brought wrong values from a device";
        }
    }
    return {};
}

std::string try_peers(MPI_Comm comm, Device& device, const std::vector<int>& nodes) {
    const Ring ring(comm);
    constexpr std::size_t bytes = sizes[0];
    std::string refusal;
    std::shared_ptr<std::byte> mine;
    Address address{};
    try {
        mine = device.allocate_shared(bytes);
        upload(device, mine.get(), pattern(ring.rank, bytes));
        const std::vector<std::int64_t> words = device.share(mine.get());
        address[0] = static_cast<std::int64_t>(words.size());
        std::copy(words.begin(), words.end(), address.begin() + 1);
    } catch (const std::exception& error) {
        refusal = error.what();
    }
    std::vector<Address> all(nodes.size());
    check(MPI_Allgather(address.data(), static_cast<int>(address.size()), MPI_INT64_T,
                        all.data()->data(), static_cast<int>(address.size()), MPI_INT64_T, comm));
    const auto node_of = [&](int rank) { return nodes[static_cast<std::size_t>(rank)]; };
    int other = ring.next;  // on this node, if there is one
    while (node_of(other) != node_of(ring.rank)) other = (other + 1) % ring.size;
    const Address& theirs = all[static_cast<std::size_t>(other)];
    if (refusal.empty() && other != ring.rank && theirs[0] > 0) {
        try {
            const auto memory = device.open({theirs.begin() + 1, theirs.begin() + 1 + theirs[0]});
            if (!holds(device, memory.get(), pattern(other, bytes))) {
                refusal = "devices read wrong values from each other";
            }
        } catch (const std::exception& error) {
            refusal = error.what();
        }
    }
    // Others may still read.
    check(MPI_Barrier(comm));
    return refusal;
}

}  // namespace halocline
