#include "network/mpi_network.hpp"

#include <algorithm>

#include "mpi/error.hpp"

namespace halocline::network {
namespace {

using mpi::check;

/// Tags of the messages by which images notify each other, and report that they have stopped.
constexpr int notification_tag = 1;
constexpr int stop_tag = 2;

/// How many meetings of a team an image has begun, by what it has said.
std::int64_t begun_in(const std::map<std::int64_t, std::int64_t>& meetings, std::int64_t key) {
    const auto found = meetings.find(key);
    return found == meetings.end() ? 0 : found->second;
}

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
    int count = 0;
    check(MPI_Get_count(&status, MPI_INT64_T, &count));
    std::vector<std::int64_t> said(static_cast<std::size_t>(count));
    check(MPI_Recv(said.data(), count, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG,
                   world_.handle(), MPI_STATUS_IGNORE));
    if (status.MPI_TAG == notification_tag) {
        ++told_[image];
        return;
    }
    Meetings& meetings = meetings_of_stopped_[image].emplace();
    for (std::size_t i = 0; i + 1 < said.size(); i += 2) meetings[said[i]] = said[i + 1];
    ++stopped_;
}

void MpiNetwork::notify(int image) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(nullptr, 0, MPI_INT64_T, image, notification_tag, world_.handle(), &request));
    check(MPI_Request_free(&request));
}

int MpiNetwork::form_team(const std::vector<int>& images, std::int64_t key) {
    // MPI has some 2000 communicators; members of equal teams have formed all of them together.
    const auto equal = std::ranges::find(teams_, images, &Team::images);
    if (equal != teams_.end()) return static_cast<int>(equal - teams_.begin());
    MPI_Comm comm = mpi::comm_of_ranks(world_.handle(), images, notification_tag);
    check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    add_team(comm, images, key);
    return static_cast<int>(teams_.size()) - 1;
}

/// Whether a member has stopped that has not begun so many meetings.
bool MpiNetwork::has_left(const Team& team, std::int64_t meetings) const {
    return stopped_ > 0 && std::ranges::any_of(team.images, [&](int image) {
               const auto& stopped = meetings_of_stopped_[static_cast<std::size_t>(image)];
               return stopped && begun_in(*stopped, team.key) < meetings;
           });
}

void MpiNetwork::begin(Team& team) {
    ++team.begun;
    check(MPI_Ibarrier(team.comm, team.open.group(0).data()));
}

void MpiNetwork::begin_meeting(int team) {
    memory_.sync();
    Team& all = teams_[static_cast<std::size_t>(team)];
    if (all.open.is_idle(0) && !has_left(all, all.begun + 1)) begin(all);
}

pgas::Meeting MpiNetwork::meeting(int team) {
    Team& all = teams_[static_cast<std::size_t>(team)];
    // Without a request another member had left before.
    if (all.open.is_idle(0)) return pgas::Meeting::left;
    if (all.open.test(0)) {
        memory_.sync();
        return pgas::Meeting::met;
    }
    return has_left(all, all.begun) ? pgas::Meeting::left : pgas::Meeting::open;
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
    std::vector<std::int64_t> begun;
    for (const Team& team : teams_) begun.insert(begun.end(), {team.key, team.begun});
    mpi::Requests requests;
    requests.add_group(nodes_.size());
    for (std::size_t image = 0; image < nodes_.size(); ++image) {
        check(MPI_Isend(begun.data(), static_cast<int>(begun.size()), MPI_INT64_T,
                        static_cast<int>(image), stop_tag, world_.handle(),
                        &requests.group(0)[image]));
    }
    while (stopped_ < nodes_.size()) progress();
    requests.wait_all();
    end_meetings();
    memory_.close();
    for (std::size_t i = 1; i < teams_.size(); ++i) check(MPI_Comm_free(&teams_[i].comm));
}

/// Comes to the meetings at which others have waited for this image after it had stopped: MPI ends
/// only what all have begun.
void MpiNetwork::end_meetings() {
    for (Team& team : teams_) {
        const bool is_awaited = std::ranges::any_of(team.images, [&](int image) {
            const auto& stopped = meetings_of_stopped_[static_cast<std::size_t>(image)];
            return begun_in(*stopped, team.key) > team.begun;
        });
        if (is_awaited) begin(team);
    }
    for (Team& team : teams_) team.open.wait_all();
}

}  // namespace halocline::network
