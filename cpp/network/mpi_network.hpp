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
        teams_.push_back(world_.handle());
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
    void hear(int image) override;

    [[nodiscard]] int form_team(const std::vector<int>& images) override;
    void barrier(int team) override;
    void broadcast(int team, int source, std::byte* bytes, std::size_t count) override;
    void gather(int team, const std::byte* mine, std::size_t count, std::byte* all) override;
    void exchange(int team, const std::byte* mine, std::size_t count, std::byte* all) override;

    /// Waits for all, and gives back what MPI has.
    void close();

private:
    [[nodiscard]] MPI_Comm team_of(int team) const {
        return teams_[static_cast<std::size_t>(team)];
    }

    std::vector<int> nodes_;
    mpi::Comm world_;
    mpi::RemoteMemory memory_;
    std::vector<MPI_Comm> teams_;
};

}  // namespace halocline::network
