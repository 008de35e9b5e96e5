// SYNC ALL, SYNC MEMORY, SYNC IMAGES.

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "caf/synchronise.hpp"
#include "caf/token.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

using pgas::Outcome;
using pgas::Team;

char* text_at(char** message) {
    return message == nullptr ? nullptr : *message;
}

/// How often this image has waited for each of the others, by image of the initial team.
std::vector<std::uint32_t>& waited() {
    static auto& counts =
        *new std::vector<std::uint32_t>(static_cast<std::size_t>(images().job().images()));
    return counts;
}

void tell(const Team& team, int index) {
    pgas::Job& job = images().job();
    job.block().pair(job.me(), team.member(index).image).add(1);
}

Outcome wait_for(const Team& team, int index) {
    pgas::Job& job = images().job();
    const int other = team.member(index).image;
    const std::uint32_t number = waited()[static_cast<std::size_t>(other)] + 1;
    const Outcome outcome = job.await(other, job.block().pair(other, job.me()), number);
    if (outcome == Outcome::done) waited()[static_cast<std::size_t>(other)] = number;
    return outcome;
}

/// What is wrong with a list of images; empty if nothing is.
std::string problem_of(std::span<const int> others) {
    const int size = images().team().size();
    for (auto other = others.begin(); other != others.end(); ++other) {
        const std::string name = "image " + std::to_string(*other);
        if (*other < 1 || *other > size) {
            return name + ", but there are images 1 to " + std::to_string(size);
        }
        if (std::find(others.begin(), other, *other) != other) return name + " twice";
    }
    return {};
}

/// Tells all first, then waits for all: nobody waits for a pair that comes later.
template <class Index>
Outcome synchronise(const Team& team, int count, const Index& index) {
    for (int i = 0; i < count; ++i) tell(team, index(i));
    auto outcome = Outcome::done;
    for (int i = 0; i < count; ++i) outcome = graver(outcome, wait_for(team, index(i)));
    return outcome;
}

}  // namespace

void _gfortran_caf_sync_all(int* stat, char** message, std::size_t length) {
    pgas::Images& all = images();
    const Outcome outcome = guarded([&] { return all.team().barrier(all.digest()); });
    // What follows an ALLOCATE with STAT=, which cannot be told: the next statement will be.
    const bool is_forgiven = stat == nullptr && has_just_allocated_with_stat();
    if (is_forgiven && outcome == Outcome::failed) return;
    Answer{stat, text_at(message), length}.outcome(outcome, "SYNC ALL");
}

void _gfortran_caf_sync_memory(int* stat, char** message, std::size_t length) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Answer{stat, text_at(message), length}.success();
}

void _gfortran_caf_sync_images(int count, int* others, int* stat, char** message,
                               std::size_t length) {
    const Answer answer{stat, text_at(message), length};
    const Team& team = images().team();
    Outcome outcome;
    if (count < 0) {
        const int me = team.me();
        outcome = synchronise(team, team.size() - 1, [&](int i) { return i < me ? i : i + 1; });
    } else {
        if (const std::string problem = problem_of({others, static_cast<std::size_t>(count)});
            !problem.empty()) {
            answer.failure(stat_other, "SYNC IMAGES names " + problem + ".");
            return;
        }
        outcome = synchronise(team, count, [&](int i) { return others[i] - 1; });
    }
    answer.outcome(outcome, "SYNC IMAGES");
}
