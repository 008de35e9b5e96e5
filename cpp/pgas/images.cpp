#include "pgas/images.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace halocline::pgas {
namespace {

std::byte* coarrays_of(const Block& block, int image) {
    return block.memory(image) + slot_bytes;
}

}  // namespace

std::byte* SharedHeap::allocate(Job& job, std::int64_t bytes) {
    lock_.acquire_on_node(job);
    std::byte* piece = heap_.allocate(bytes);
    lock_.release_on_node();
    return piece;
}

void SharedHeap::free(Job& job, std::byte* piece) {
    lock_.acquire_on_node(job);
    heap_.free(piece);
    lock_.release_on_node();
}

Images& Images::get() {
    static Images& images = *new Images(Job::join());
    return images;
}

Images::Images(Job& job)
    : job_(job),
      image_bytes_(job.block().layout().image_bytes()),
      coarrays_(*reinterpret_cast<Heap*>(coarrays_of(job.block(), job.me()))) {
    const std::int64_t heap_bytes = job.block().layout().heap_bytes;
    coarrays_.begin(heap_bytes);
    components(job.me()).begin(heap_bytes - round_up(sizeof(SharedHeap), line_bytes));
    std::vector<Team::Member> all;
    for (int image = 0; image < job.images(); ++image) {
        all.push_back({image, &desk_of(job.block(), image).slot});
    }
    constexpr int number_of_initial_team = -1;
    formed_.push_back(std::make_unique<Team>(job, nullptr, number_of_initial_team, std::move(all)));
    teams_.push_back(formed_.back().get());
    allocated_.emplace_back();
}

SharedHeap& Images::components(int image) const {
    std::byte* first = coarrays_of(job_.block(), image) + job_.block().layout().heap_bytes;
    return *reinterpret_cast<SharedHeap*>(first);
}

std::byte* Images::allocate(std::int64_t bytes) {
    std::byte* piece = coarrays_.allocate(bytes);
    if (piece != nullptr) allocated_.back().push_back(piece);
    return piece;
}

void Images::free(std::byte* piece) {
    for (auto& pieces : allocated_) std::erase(pieces, piece);
    coarrays_.free(piece);
}

std::uint64_t Images::digest() const {
    return coarrays_.digest() + 1;
}

Outcome Images::form_team(std::int64_t number, Team*& formed) {
    std::byte* piece = components(job_.me()).allocate(job_, sizeof(CollectiveSlot));
    if (piece == nullptr) throw JobError("There is no memory left for a team.");
    auto* slot = new (piece) CollectiveSlot{};
    std::vector<Team::Member> members;
    const Outcome outcome = team().split(number, slot, members);
    formed = nullptr;
    if (outcome == Outcome::stopped) return outcome;
    formed_.push_back(std::make_unique<Team>(job_, &team(), number, std::move(members)));
    formed = formed_.back().get();
    return outcome;
}

Outcome Images::change_team(Team& team) {
    teams_.push_back(&team);
    allocated_.emplace_back();
    return team.barrier();
}

Outcome Images::end_team() {
    const Outcome outcome = team().barrier();
    leave_team();
    return outcome;
}

void Images::leave_team() {
    for (std::byte* piece : allocated_.back()) coarrays_.free(piece);
    allocated_.pop_back();
    teams_.pop_back();
}

}  // namespace halocline::pgas
