#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/remote_memory.hpp"
#include "mpi/requests.hpp"
#include "pgas/network.hpp"

namespace halocline::network {

/// Images on several nodes, connected by MPI; image i is rank i.
class MpiNetwork final : public pgas::Network {
public:
    explicit MpiNetwork(std::vector<int> nodes) : nodes_(std::move(nodes)), world_(MPI_COMM_WORLD) {
        const auto images = nodes_.size();
        told_.resize(images);
        meetings_of_stopped_.resize(images);
        std::vector<int> all(images);
        std::iota(all.begin(), all.end(), 0);
        add_team(world_.handle(), std::move(all), key_of_all);
    }

    [[nodiscard]] const std::vector<int>& nodes() const override { return nodes_; }
    void open(std::byte* memory, std::size_t bytes) override {
        memory_ = mpi::RemoteMemory(world_.handle(), memory, bytes);
    }

    void put(int image, std::ptrdiff_t place, const pgas::Section& to,
             const std::byte* packed) override {
        memory_.put(image, place, to, packed);
    }
    void get(int image, std::ptrdiff_t place, const pgas::Section& from,
             std::byte* packed) override {
        memory_.get(image, place, from, packed);
    }
    std::uint64_t fetch(int image, std::ptrdiff_t place, pgas::Operation operation,
                        std::uint64_t value, std::size_t bytes) override {
        return memory_.fetch(image, place, operation, value, bytes);
    }
    std::uint64_t compare_and_swap(int image, std::ptrdiff_t place, std::uint64_t expected,
                                   std::uint64_t value, std::size_t bytes) override {
        return memory_.compare_and_swap(image, place, expected, value, bytes);
    }
    void progress() override;

    void notify(int image) override;
    [[nodiscard]] std::uint32_t notifications(int image) const override {
        return told_[static_cast<std::size_t>(image)];
    }
    [[nodiscard]] std::uint32_t stopped() const override { return stopped_; }
    [[nodiscard]] bool has_stopped(int image) const override {
        return meetings_of_stopped_[static_cast<std::size_t>(image)].has_value();
    }

    [[nodiscard]] int form_team(const std::vector<int>& images, std::int64_t key) override;
    void begin_meeting(int team) override;
    [[nodiscard]] pgas::Meeting meeting(int team) override;
    void broadcast(int team, int source, std::byte* bytes, std::size_t count) override;
    void gather(int team, const std::byte* mine, std::size_t count, std::byte* all) override;
    void exchange(int team, const std::byte* mine, std::size_t count, std::byte* all) override;

    /// Tells all images that this one has stopped, waits until all have, and gives back what MPI
    /// has.
    void close();

private:
    /// A meeting is a barrier of MPI. Once one is missed, none is begun any more: a team has at
    /// most one that is open.
    struct Team {
        MPI_Comm comm;
        std::vector<int> images;
        std::int64_t key;
        std::int64_t begun = 0;     ///< meetings
        mpi::Requests open{false};  ///< of one barrier
    };
    /// How many meetings of each team, by its key, an image has begun.
    using Meetings = std::map<std::int64_t, std::int64_t>;

    static constexpr std::int64_t key_of_all = -1;

    void add_team(MPI_Comm comm, std::vector<int> images, std::int64_t key) {
        teams_.push_back({comm, std::move(images), key});
        teams_.back().open.add_group(1);
    }
    [[nodiscard]] MPI_Comm team_of(int team) const {
        return teams_[static_cast<std::size_t>(team)].comm;
    }
    void receive(const MPI_Status& status);
    [[nodiscard]] bool has_left(const Team& team, std::int64_t meetings) const;
    void begin(Team& team);
    void end_meetings();

    std::vector<int> nodes_;
    mpi::Comm world_;
    mpi::RemoteMemory memory_;
    std::vector<Team> teams_;
    std::vector<std::uint32_t> told_;
    std::vector<std::optional<Meetings>> meetings_of_stopped_;
    std::uint32_t stopped_ = 0;
};

}  // namespace halocline::network
