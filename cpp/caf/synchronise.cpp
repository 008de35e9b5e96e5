// SYNC ALL, SYNC MEMORY, SYNC IMAGES.

#include <atomic>

#include "caf/api.hpp"
#include "caf/report.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

using pgas::Outcome;
using pgas::Team;

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

/// Tells all first, then waits for all: nobody waits for a pair that comes later.
template <class Index>
Outcome synchronise(const Team& team, int count, const Index& index) {
    for (int i = 0; i < count; ++i) tell(team, index(i));
    auto outcome = Outcome::done;
    for (int i = 0; i < count; ++i) outcome = graver(outcome, wait_for(team, index(i)));
    return outcome;
}

}  // namespace

void _gfortran_caf_sync_all(int* stat, char* message, std::size_t length) {
    pgas::Images& all = images();
    const Outcome outcome = guarded([&] { return all.team().barrier(all.digest()); });
    Answer{stat, message, length}.outcome(outcome, "SYNC ALL");
}

void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t length) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Answer{stat, message, length}.success();
}

void _gfortran_caf_sync_images(int count, int* others, int* stat, char* message,
                               std::size_t length) {
    const Answer answer{stat, message, length};
    const Team& team = images().team();
    Outcome outcome;
    if (count < 0) {
        const int me = team.me();
        outcome = synchronise(team, team.size() - 1, [&](int i) { return i < me ? i : i + 1; });
    } else {
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < i; ++j) {
                if (others[i] != others[j]) continue;
                answer.failure(stat_other,
                               "SYNC IMAGES names image " + std::to_string(others[i]) + " twice.");
                return;
            }
        }
        outcome = synchronise(team, count, [&](int i) { return index_of(others[i]); });
    }
    answer.outcome(outcome, "SYNC IMAGES");
}
