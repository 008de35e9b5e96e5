#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pgas/heap.hpp"
#include "pgas/job.hpp"
#include "pgas/lock.hpp"
#include "pgas/team.hpp"

namespace halocline::pgas {

/// Memory of one image in which others, too, may allocate and free.
class SharedHeap {
public:
    void begin(std::int64_t bytes) { heap_.begin(bytes); }
    [[nodiscard]] std::byte* allocate(Job& job, std::int64_t bytes);
    void free(Job& job, std::byte* piece);
    [[nodiscard]] bool has(const void* address) const { return heap_.has(address); }
    [[nodiscard]] const Heap& heap() const { return heap_; }

private:
    Lock lock_;
    Heap heap_;
};

/// All images as this one sees them: who they are, and what memory they have.
class Images {
public:
    /// Those of this process' job; joins it when first called.
    static Images& get();
    Images(const Images&) = delete;
    Images& operator=(const Images&) = delete;
    ~Images() = default;

    [[nodiscard]] Job& job() const { return job_; }
    [[nodiscard]] Team& team() const { return *teams_.back(); }
    [[nodiscard]] Team& initial_team() const { return *teams_.front(); }

    /// Splits the current team; gives the part that this image is in, or null if a member has
    /// stopped. Collective. The team lives as long as the process.
    Outcome form_team(std::int64_t number, Team*& formed);
    /// Makes a team the current one, with a barrier of its members.
    Outcome change_team(Team& team);
    /// Goes back to the team before; what was allocated meanwhile is freed.
    Outcome end_team();
    /// Likewise without waiting for anybody, when something has gone wrong.
    void leave_team();

    /// Memory at the same place in all images of the current team, which all of them must ask
    /// for; null if there is not as much.
    [[nodiscard]] std::byte* allocate(std::int64_t bytes);
    void free(std::byte* piece);
    [[nodiscard]] const Heap& coarrays() const { return coarrays_; }
    /// What all images of the team must agree about at a barrier.
    [[nodiscard]] std::uint64_t digest() const;

    /// Memory of one image that only it knows of so far.
    [[nodiscard]] SharedHeap& components(int image) const;

    /// Where something of this image's coarrays lies in the memory of a member of a team.
    [[nodiscard]] std::byte* at(const Team& team, int index, std::byte* mine) const {
        return mine + (team.member(index).image - job_.me()) * image_bytes_;
    }
    [[nodiscard]] std::byte* at(int index, std::byte* mine) const {
        return at(*teams_.back(), index, mine);
    }

private:
    explicit Images(Job& job);

    Job& job_;
    std::int64_t image_bytes_;
    Heap& coarrays_;
    std::vector<std::unique_ptr<Team>> formed_;
    std::vector<Team*> teams_;                        ///< from the initial to the current one
    std::vector<std::vector<std::byte*>> allocated_;  ///< in each of them
};

}  // namespace halocline::pgas
