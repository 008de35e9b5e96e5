#include "network/mpi_network.hpp"

#include "mpi/error.hpp"

namespace halocline::network {
namespace {

using mpi::check;

/// Of the messages by which images tell each other.
constexpr int tag = 1;

}  // namespace

void MpiNetwork::progress() {
    int is_there = 0;
    // The library moves bytes only while it is called.
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_.handle(), &is_there, MPI_STATUS_IGNORE));
    memory_.sync();
}

void MpiNetwork::tell(int image) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(nullptr, 0, MPI_BYTE, image, tag, world_.handle(), &request));
    check(MPI_Request_free(&request));
}

void MpiNetwork::hear(int image) {
    check(MPI_Recv(nullptr, 0, MPI_BYTE, image, tag, world_.handle(), MPI_STATUS_IGNORE));
    memory_.sync();
}

int MpiNetwork::form_team(const std::vector<int>& images) {
    if (images.size() == nodes_.size()) return 0;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_group(world_.handle(), &all));
    check(MPI_Group_incl(all, static_cast<int>(images.size()), images.data(), &some));
    check(MPI_Comm_create_group(world_.handle(), some, tag, &comm));
    check(MPI_Group_free(&some));
    check(MPI_Group_free(&all));
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    teams_.push_back(comm);
    return static_cast<int>(teams_.size()) - 1;
}

void MpiNetwork::barrier(int team) {
    memory_.sync();
    check(MPI_Barrier(team_of(team)));
    memory_.sync();
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
    barrier(0);
    memory_.close();
    for (std::size_t i = 1; i < teams_.size(); ++i) check(MPI_Comm_free(&teams_[i]));
}

}  // namespace halocline::network
