#include "pgas/team.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "pgas/collective.hpp"

namespace halocline::pgas {

Team::Team(Job& job, const Team* parent, std::int64_t number, std::vector<Member> members)
    : job_(job),
      parent_(parent),
      number_(number),
      members_(std::move(members)),
      me_(0),
      offers_(parent == nullptr ? std::make_shared<Offers>() : parent->offers_) {
    me_ = index_of(job.me());
    const bool are_near = std::ranges::all_of(
        members_, [&](const Member& member) { return job.is_near(member.image); });
    // Of teams of one FORM TEAM statement this image may know those of others, too.
    const bool is_member = me_ >= 0;
    if (is_member && !are_near) {
        const auto* key = reinterpret_cast<const std::byte*>(members_[0].slot);
        network_team_ = job.network()->form_team(images(), key - job.block().memory(0));
    }
}

std::vector<int> Team::images() const {
    std::vector<int> images;
    for (const Member& member : members_) images.push_back(member.image);
    return images;
}

Outcome Team::communicator(int& number) {
    if (!communicator_) {
        // MPI waits for all of them.
        if (const Outcome outcome = barrier(); outcome != Outcome::done) return outcome;
        communicator_ = job_.communicator(images());
    }
    number = *communicator_;
    return Outcome::done;
}

int Team::index_of(int image) const {
    for (int i = 0; i < size(); ++i) {
        if (member(i).image == image) return i;
    }
    return -1;
}

// Every member looks at every other one's number: cache misses that overlap, where a tree or a
// dissemination would have some that follow each other; and one that fails breaks nothing.
Outcome Team::barrier(std::uint64_t digest) {
    ++barriers_;
    if (spans_nodes()) return meet();
    CollectiveSlot& mine = slot();
    mine.digests[barriers_ % 2].store(digest, std::memory_order_relaxed);
    mine.barrier.set(barriers_);
    // If one has stopped before, nobody is waited for (Fortran 2018, 11.6.11).
    const auto has_left = [&] {
        return job_.changes() != 0 && std::ranges::any_of(members_, [&](const Member& one) {
                   return job_.state(one.image) == State::stopped &&
                          !one.slot->barrier.has(barriers_);
               });
    };
    auto outcome = Outcome::done;
    for (int i = 0; i < size(); ++i) {
        if (i == me_) continue;
        const Member& other = member(i);
        const auto holds = [&] { return other.slot->barrier.has(barriers_) || has_left(); };
        outcome = graver(outcome, job_.await(other.image, other.slot->barrier, holds));
        if (has_left()) return Outcome::stopped;
    }
    if (digest != no_digest && outcome == Outcome::done) check_digest(digest);
    return outcome;
}

Outcome Team::meet() {
    if (!spans_nodes()) return Outcome::done;
    Network& network = *job_.network();
    network.begin_meeting(network_team_);
    auto meeting = Meeting::open;
    job_.await(slot().barrier, [&] {
        meeting = network.meeting(network_team_);
        return meeting != Meeting::open;
    });
    return meeting == Meeting::met ? Outcome::done : Outcome::stopped;
}

void Team::check_digest(std::uint64_t digest) const {
    for (int i = 0; i < size(); ++i) {
        const CollectiveSlot& other = *member(i).slot;
        if (other.digests[barriers_ % 2].load(std::memory_order_relaxed) == digest) continue;
        throw JobError("Image " + std::to_string(i + 1) + " and image " + std::to_string(me_ + 1) +
                       " have allocated or deallocated different coarrays: all images must do so "
                       "with the same sizes in the same order.");
    }
}

Team::Round::Round(Team& team) : team_(team), number_(++team.rounds_) {}

void Team::await_taken(std::uint32_t round) const {
    for (int i = 0; i < size(); ++i) {
        const Member& other = member(i);
        if (i == me_) continue;
        // A member that has gone needs nothing; that is reported where its piece is missed.
        static_cast<void>(job_.await(other.image, other.slot->taken, round));
    }
}

std::byte* Team::Round::mine() {
    Offers& offers = *team_.offers_;
    const std::uint32_t piece = offers.count++ % 2;
    const Offers::Offer before = offers.last[piece];
    if (before.team != nullptr && before.team != &team_) before.team->await_taken(before.round);
    team_.await_taken(number_ - 2);
    offers.last[piece] = {&team_, number_};
    team_.slot().pieces[number_ % 2] = piece;
    return desk_of(team_.job_.block(), team_.job_.me()).pieces[piece].data();
}

void Team::Round::offer() {
    team_.slot().offered.set(number_);
}

const std::byte* Team::Round::of(int index) {
    const Member& other = team_.member(index);
    const Outcome outcome = team_.job_.await(other.image, other.slot->offered, number_);
    outcome_ = graver(outcome_, outcome);
    if (outcome != Outcome::done) return nullptr;
    const std::uint32_t piece = other.slot->pieces[number_ % 2];
    return desk_of(team_.job_.block(), other.image).pieces[piece].data();
}

Outcome Team::Round::end() {
    team_.slot().taken.set(number_);
    if (team_.job_.changes() == 0) return outcome_;
    // All have a result, but the program is to hear that it lacks what others would have had to
    // say, even if only others needed that. Who stops after this round has taken part.
    for (const Member& member : team_.members_) {
        const bool has_taken = member.slot->taken.has(number_);
        const Outcome outcome = team_.job_.outcome_of(member.image);
        if (outcome == Outcome::failed || !has_taken) outcome_ = graver(outcome_, outcome);
    }
    return outcome_;
}

Outcome Team::split(std::int64_t number, CollectiveSlot* slot, std::vector<Member>& together) {
    struct Offer {
        std::int64_t number;
        CollectiveSlot* slot;
    };
    const Offer offer{number, slot};
    std::vector<Offer> offers(members_.size());
    const Outcome outcome = gather(*this, reinterpret_cast<const std::byte*>(&offer), sizeof offer,
                                   reinterpret_cast<std::byte*>(offers.data()));
    for (int i = 0; i < size(); ++i) {
        const Offer& theirs = offers[static_cast<std::size_t>(i)];
        const bool is_there =
            outcome == Outcome::done || job_.outcome_of(member(i).image) == Outcome::done;
        if (is_there && theirs.number == number) {
            together.push_back({member(i).image, theirs.slot});
        }
    }
    return outcome;
}

}  // namespace halocline::pgas
