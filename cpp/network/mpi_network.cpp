#include "network/mpi_network.hpp"

#include <algorithm>

#include "mpi/error.hpp"

namespace halocline::network {
namespace {

using mpi::check;

/// Of the messages by which images tell each other, and by which they say that they have stopped.
constexpr int telling = 1;
constexpr int stopping = 2;

}  // namespace

void MpiNetwork::progress() {
    // The library moves bytes only while it is called.
    int is_there = 1;
    while (is_there != 0) {
        MPI_Status status{};
        check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_.handle(), &is_there, &status));
        if (is_there != 0) receive(status);
    }
    memory_.sync();
}

void MpiNetwork::receive(const MPI_Status& status) {
    const auto image = static_cast<std::size_t>(status.MPI_SOURCE);
    std::int64_t barriers = 0;
    const int count = status.MPI_TAG == stopping ? 1 : 0;
    check(MPI_Recv(&barriers, count, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG,
                   world_.handle(), MPI_STATUS_IGNORE));
    if (status.MPI_TAG == stopping) {
        barriers_of_stopped_[image] = barriers;
        ++stopped_;
    } else {
        ++told_[image];
    }
}

void MpiNetwork::tell(int image) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(nullptr, 0, MPI_INT64_T, image, telling, world_.handle(), &request));
    check(MPI_Request_free(&request));
}

int MpiNetwork::form_team(const std::vector<int>& images) {
    if (images.size() == nodes_.size()) return 0;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_group(world_.handle(), &all));
    check(MPI_Group_incl(all, static_cast<int>(images.size()), images.data(), &some));
    check(MPI_Comm_create_group(world_.handle(), some, telling, &comm));
    check(MPI_Group_free(&some));
    check(MPI_Group_free(&all));
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    teams_.push_back({comm});
    return static_cast<int>(teams_.size()) - 1;
}

void MpiNetwork::begin_barrier(int team) {
    memory_.sync();
    Team& all = teams_[static_cast<std::size_t>(team)];
    ++all.barriers;
    check(MPI_Ibarrier(all.comm, &all.open_barriers.emplace_back()));
}

bool MpiNetwork::has_barrier(int team) {
    std::vector<MPI_Request>& barriers = teams_[static_cast<std::size_t>(team)].open_barriers;
    int is_done = 0;
    check(MPI_Test(&barriers.back(), &is_done, MPI_STATUS_IGNORE));
    if (is_done == 0) return false;
    barriers.pop_back();
    memory_.sync();
    return true;
}

void MpiNetwork::broadcast(int team, int source, std::byte* bytes, std::size_t count) {
    check(MPI_Bcast(bytes, static_cast<int>(count), MPI_BYTE, source, team_of(team)));
}

void MpiNetwork::gather(int team, const std::byte* mine, std::size_t count, std::byte* all) {
    const auto bytes = static_cast<int>(count);
    check(MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, team_of(team)));
}

void MpiNetwork::exchange(int team, const std::byte* mine, std::size_t count, std::byte* all) {
    const auto bytes = static_cast<int>(count);
    check(MPI_Alltoall(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, team_of(team)));
}

void MpiNetwork::close() {
    const std::int64_t barriers = teams_[0].barriers;
    std::vector<MPI_Request> requests(nodes_.size());
    for (std::size_t image = 0; image < nodes_.size(); ++image) {
        check(MPI_Isend(&barriers, 1, MPI_INT64_T, static_cast<int>(image), stopping,
                        world_.handle(), &requests[image]));
    }
    while (stopped_ < nodes_.size()) progress();
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    end_barriers();
    memory_.close();
    for (std::size_t i = 1; i < teams_.size(); ++i) check(MPI_Comm_free(&teams_[i].comm));
}

/// Comes to the barriers in which others have waited for this image after it had stopped: MPI ends
/// only what all have begun.
void MpiNetwork::end_barriers() {
    const std::int64_t most = std::ranges::max(barriers_of_stopped_);
    while (teams_[0].barriers < most) begin_barrier(0);
    std::vector<MPI_Request>& open = teams_[0].open_barriers;
    check(MPI_Waitall(static_cast<int>(open.size()), open.data(), MPI_STATUSES_IGNORE));
}

}  // namespace halocline::network
