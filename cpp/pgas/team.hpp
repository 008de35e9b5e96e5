#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pgas/heap.hpp"
#include "pgas/job.hpp"
#include "pgas/lock.hpp"

namespace halocline::pgas {

/// What one image can hand to the members of its team at once [bytes].
inline constexpr std::size_t piece_bytes = std::size_t{1} << 17;

/// That a barrier compares nothing.
inline constexpr std::uint64_t no_digest = 0;

/// What the other members of a team see of one; it lies in that image's memory.
struct CollectiveSlot {
    alignas(line_bytes) Signal barrier;  ///< how many barriers this image has come to
    Signal offered;                      ///< the round whose piece it has offered
    Signal taken;                        ///< the round of which it has taken all that it wants
    /// What coarrays it has when it comes to a barrier: of even and odd ones, since it may be at
    /// the next one before another image has looked.
    std::array<std::atomic<std::uint64_t>, 2> digests;
    std::array<std::uint32_t, 2> pieces;  ///< which pieces it offers in even and odd rounds
};

/// What an image has for all its teams: its slot in the team of all images, and two pieces
/// that it offers in turn.
struct Desk {
    CollectiveSlot slot;
    std::array<std::array<std::byte, piece_bytes>, 2> pieces;
};
static_assert(sizeof(Desk) < static_cast<std::size_t>(slot_bytes));

/// The desk of an image of this node.
[[nodiscard]] inline Desk& desk_of(const Block& block, int image) {
    return *reinterpret_cast<Desk*>(block.memory(image));
}

/// Images that work together, in the order of their indices in the team. All members call what
/// is collective in the same order.
class Team {
public:
    struct Member {
        int image;  ///< in the initial team, from 0
        CollectiveSlot* slot;
    };

    Team(Job& job, const Team* parent, std::int64_t number, std::vector<Member> members);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() = default;

    [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }
    [[nodiscard]] int me() const { return me_; }
    [[nodiscard]] const Member& member(int index) const {
        return members_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Team* parent() const { return parent_; }
    [[nodiscard]] std::int64_t number() const { return number_; }
    [[nodiscard]] Job& job() const { return job_; }
    /// Whether members are on several nodes; then what they do together goes over the network.
    [[nodiscard]] bool spans_nodes() const { return network_team_ >= 0; }
    [[nodiscard]] int network_team() const { return network_team_; }
    /// The index of an image of the initial team, or -1.
    [[nodiscard]] int index_of(int image) const;

    /// The members' communicator, for what they do by MPI: member i, from 0, is its rank i.
    /// Collective when it is first called. Throws JobError if MPI has not started the images.
    Outcome communicator(int& number);

    /// Waits until all members have come. With a digest: throws JobError if another one has a
    /// different one.
    Outcome barrier(std::uint64_t digest = no_digest);

    /// Waits until all members have come here, where they are on several nodes: what they then do
    /// together ends, since nobody stops meanwhile.
    Outcome meet();

    /// One round of a collective procedure: every member may offer a piece, and take what it
    /// wants of the others' pieces. Two rounds may be in flight at once. On one node only.
    class Round {
    public:
        explicit Round(Team& team);
        /// Where this image's piece goes. Waits until nobody needs what lay there.
        [[nodiscard]] std::byte* mine();
        void offer();
        /// A member's piece, once it is offered; null if that member does not run any more.
        [[nodiscard]] const std::byte* of(int index);
        /// This image has taken what it wants. What has become of the members.
        Outcome end();

    private:
        Team& team_;
        std::uint32_t number_;
        Outcome outcome_ = Outcome::done;
    };

    /// Splits the team: members that give the same number are together, without those that have
    /// failed. Collective. The slot of the new team comes from this image's heap.
    Outcome split(std::int64_t number, CollectiveSlot* slot, std::vector<Member>& together);

private:
    /// In which round of which team this image has offered each of its pieces.
    struct Offers {
        struct Offer {
            const Team* team = nullptr;
            std::uint32_t round = 0;
        };
        std::array<Offer, 2> last;
        std::uint32_t count = 0;
    };

    [[nodiscard]] CollectiveSlot& slot() const { return *member(me_).slot; }
    [[nodiscard]] std::vector<int> images() const;
    void check_digest(std::uint64_t digest) const;
    void await_taken(std::uint32_t round) const;

    Job& job_;
    const Team* parent_;
    std::int64_t number_;
    std::vector<Member> members_;
    int me_;
    int network_team_ = -1;
    std::optional<int> communicator_;
    std::uint32_t barriers_ = 0;
    std::uint32_t rounds_ = 0;
    std::shared_ptr<Offers> offers_;  ///< of all teams of this image
};

}  // namespace halocline::pgas
