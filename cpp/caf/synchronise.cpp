// SYNC ALL, SYNC MEMORY, SYNC IMAGES.

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "caf/synchronise.hpp"
#include "caf/token.hpp"

namespace halocline::caf {
namespace {

using pgas::Outcome;
using pgas::Team;

/// Whether a list of images is right; if not that is the answer.
bool can_synchronise(std::span<const int> others, const Answer& answer) {
    const int size = images().team().size();
    for (auto other = others.begin(); other != others.end(); ++other) {
        const std::string name = "SYNC IMAGES names image " + std::to_string(*other);
        if (*other < 1 || *other > size) {
            const std::string images_there = "there are images 1 to " + std::to_string(size);
            answer.failure(stat_other, name + ", but " + images_there + ".");
            return false;
        }
        if (std::find(others.begin(), other, *other) != other) {
            answer.failure(stat_image_twice, name + " twice.");
            return false;
        }
    }
    return true;
}

/// With members of the current team, by their indices.
template <class Index>
void synchronise(int count, const Index& index, const Answer& answer) {
    const Team& team = images().team();
    std::vector<int> others;
    for (int i = 0; i < count; ++i) others.push_back(team.member(index(i)).image);
    answer.outcome(team.job().synchronise(others), "SYNC IMAGES");
}

}  // namespace

void sync_all(const Answer& answer) {
    pgas::Images& all = images();
    const Outcome outcome = all.team().barrier(all.digest());
    // What follows an ALLOCATE with STAT=, which cannot be told: the next statement will be.
    const bool is_forgiven = answer.stat == nullptr && has_just_allocated_with_stat();
    if (is_forgiven && outcome == Outcome::failed) return;
    answer.outcome(outcome, "SYNC ALL");
}

void sync_memory(const Answer& answer) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    answer.success();
}

void sync_images(std::span<const int> others, const Answer& answer) {
    if (!can_synchronise(others, answer)) return;
    const auto index = [&](int i) { return others[static_cast<std::size_t>(i)] - 1; };
    const auto count = static_cast<int>(others.size());
    synchronise(count, index, answer);
}

void sync_other_images(const Answer& answer) {
    const Team& team = images().team();
    const int me = team.me();
    const auto index = [me](int i) { return i < me ? i : i + 1; };
    synchronise(team.size() - 1, index, answer);
}

}  // namespace halocline::caf
