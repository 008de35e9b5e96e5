#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/comm.hpp"
#include "mpi/remote_memory.hpp"
#include "pgas/network.hpp"

namespace halocline::network {

/// Images on several nodes, connected by MPI; image i is rank i.
class MpiNetwork final : public pgas::Network {
public:
    explicit MpiNetwork(std::vector<int> nodes) : nodes_(std::move(nodes)), world_(MPI_COMM_WORLD) {
        const auto images = nodes_.size();
        told_.resize(images);
        barriers_of_stopped_.resize(images, -1);
        teams_.push_back({world_.handle()});
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

    void tell(int image) override;
    [[nodiscard]] std::uint32_t told(int image) const override {
        return told_[static_cast<std::size_t>(image)];
    }
    [[nodiscard]] std::uint32_t stopped() const override { return stopped_; }
    [[nodiscard]] std::int64_t barriers_of_stopped(int image) const override {
        return barriers_of_stopped_[static_cast<std::size_t>(image)];
    }

    [[nodiscard]] int form_team(const std::vector<int>& images) override;
    void begin_barrier(int team) override;
    [[nodiscard]] bool has_barrier(int team) override;
    void broadcast(int team, int source, std::byte* bytes, std::size_t count) override;
    void gather(int team, const std::byte* mine, std::size_t count, std::byte* all) override;
    void exchange(int team, const std::byte* mine, std::size_t count, std::byte* all) override;

    /// Tells all images that this one has stopped, waits until all have, and gives back what MPI
    /// has.
    void close();

private:
    struct Team {
        MPI_Comm comm;
        std::int64_t barriers = 0;                 ///< that were begun
        std::vector<MPI_Request> open_barriers{};  ///< of which it is not known that all have come
    };

    [[nodiscard]] MPI_Comm team_of(int team) const {
        return teams_[static_cast<std::size_t>(team)].comm;
    }
    void receive(const MPI_Status& status);
    void end_barriers();

    std::vector<int> nodes_;
    mpi::Comm world_;
    mpi::RemoteMemory memory_;
    std::vector<Team> teams_;
    std::vector<std::uint32_t> told_;
    std::vector<std::int64_t> barriers_of_stopped_;
    std::uint32_t stopped_ = 0;
};

}  // namespace halocline::network
