#include "caf15/form_team.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "pgas/collective.hpp"

namespace halocline::caf {
namespace {

using Members = std::vector<pgas::Team::Member>;

/// The teams of one FORM TEAM statement by their numbers, among them those of other images.
using Siblings = std::map<std::int64_t, std::unique_ptr<pgas::Team>>;

/// Teams live as long as the process.
std::vector<Siblings>& formed() {
    static auto& all = *new std::vector<Siblings>;
    return all;
}

/// What an image says in FORM TEAM.
struct Offer {
    std::int64_t number;
    bool has_index;
    int index;
    pgas::Team::Member member;
};

struct Offers {
    std::map<std::int64_t, std::vector<Offer>> by_number;
    pgas::Outcome outcome;
};

/// Tells the members of a team what this image says, and hears what they say.
Offers exchange(pgas::Team& team, const Offer& mine) {
    std::vector<Offer> said(static_cast<std::size_t>(team.size()));
    Offers all{};
    all.outcome = pgas::gather(team, reinterpret_cast<const std::byte*>(&mine), sizeof mine,
                               reinterpret_cast<std::byte*>(said.data()));
    for (int i = 0; i < team.size(); ++i) {
        const Offer& theirs = said[static_cast<std::size_t>(i)];
        const bool is_there = all.outcome == pgas::Outcome::done ||
                              team.job().outcome_of(team.member(i).image) == pgas::Outcome::done;
        if (is_there) all.by_number[theirs.number].push_back(theirs);
    }
    return all;
}

/// Who wants an index gets it, the others get what is left. Empty if that is impossible.
Members in_order(const std::vector<Offer>& offers) {
    constexpr pgas::Team::Member nobody{-1, nullptr};
    const auto size = static_cast<int>(offers.size());
    Members members(offers.size(), nobody);
    for (const Offer& offer : offers) {
        if (!offer.has_index) continue;
        if (offer.index < 1 || offer.index > size) return {};
        auto& place = members[static_cast<std::size_t>(offer.index - 1)];
        if (place.slot != nullptr) return {};
        place = offer.member;
    }
    auto place = members.begin();
    for (const Offer& offer : offers) {
        if (offer.has_index) continue;
        place = std::find_if(place, members.end(),
                             [](const auto& member) { return member.slot == nullptr; });
        *place = offer.member;
    }
    return members;
}

/// Where images have failed the indices of the others may have gaps, which are closed.
void close_gaps(std::vector<Offer>& offers) {
    std::stable_sort(offers.begin(), offers.end(), [](const Offer& one, const Offer& other) {
        return one.has_index && (!other.has_index || one.index < other.index);
    });
    for (Offer& offer : offers) offer.has_index = false;
}

pgas::CollectiveSlot* new_slot() {
    pgas::Images& all = images();
    std::byte* piece =
        all.components(all.job().me()).allocate(all.job(), sizeof(pgas::CollectiveSlot));
    if (piece == nullptr) error("There is no memory left for a team.");
    return new (piece) pgas::CollectiveSlot{};
}

}  // namespace

pgas::Team* form_team(std::int64_t number, std::optional<int> wanted_index, const Answer& answer) {
    pgas::Team& parent = images().team();
    pgas::Job& job = images().job();
    // Who is wrong takes part, too: others must not wait for it.
    Offers all = exchange(
        parent,
        {number, wanted_index.has_value(), wanted_index.value_or(0), {job.me(), new_slot()}});
    if (number < 1) {
        answer.failure(stat_other, "FORM TEAM: the number is " + std::to_string(number) +
                                       ", but numbers of teams are positive.");
        return nullptr;
    }
    if (all.outcome == pgas::Outcome::stopped) {
        answer.outcome(all.outcome, "FORM TEAM");
        return nullptr;
    }
    Siblings siblings;
    for (auto& [theirs, offers] : all.by_number) {
        if (all.outcome != pgas::Outcome::done) close_gaps(offers);
        Members members = in_order(offers);
        if (theirs < 1 || members.empty()) continue;
        siblings[theirs] = std::make_unique<pgas::Team>(job, &parent, theirs, std::move(members));
    }
    pgas::Team* mine = siblings.contains(number) ? siblings[number].get() : nullptr;
    if (mine == nullptr) {
        const std::size_t size = all.by_number[number].size();
        answer.failure(stat_other, "FORM TEAM: NEW_INDEX= must be 1 to " + std::to_string(size) +
                                       ", and different in each image of the new team.");
        return nullptr;
    }
    formed().push_back(std::move(siblings));
    answer.outcome(all.outcome, "FORM TEAM");
    return mine;
}

pgas::Team& team_of(void* handle) {
    return handle == nullptr ? images().team() : *static_cast<pgas::Team*>(handle);
}

const pgas::Team& numbered_team(int number) {
    const pgas::Team& current = images().team();
    if (number == images().initial_team().number()) return images().initial_team();
    if (number == current.number()) return current;
    for (const Siblings& siblings : formed()) {
        const auto own = siblings.find(current.number());
        if (own == siblings.end() || own->second.get() != &current) continue;
        if (const auto found = siblings.find(number); found != siblings.end()) {
            return *found->second;
        }
    }
    error("There is no team " + std::to_string(number) + " beside the current team, which is " +
          std::to_string(current.number()) + ".");
}

const pgas::Team& selected_team(void* const* handle, const int* number) {
    if (handle != nullptr) {
        if (*handle == nullptr) error("An image was named by a team that was never formed.");
        return team_of(*handle);
    }
    return number == nullptr ? images().team() : numbered_team(*number);
}

}  // namespace halocline::caf
