#include "pgas/job.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "pgas/bootstrap.hpp"
#include "pgas/memory_size.hpp"
#include "pgas/process.hpp"

namespace halocline::pgas {
namespace {

/// What a launcher has said: descriptor and image.
struct Place {
    int descriptor;
    int image;
};

std::optional<Place> place_by_launcher() {
    const char* said = std::getenv(place_variable);
    if (said == nullptr) return std::nullopt;
    const std::string_view text(said);
    const char* end = text.data() + text.size();
    Place place{};
    const auto first = std::from_chars(text.data(), end, place.descriptor);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == ':') {
        const auto second = std::from_chars(first.ptr + 1, end, place.image);
        if (second.ec == std::errc() && second.ptr == end) return place;
    }
    throw JobError(std::string("Environment variable ") + place_variable + " is '" + said +
                   "': only the launcher 'halocline caf run' may set it.");
}

Block block_of(const std::optional<Place>& place) {
    if (place) return Block::open(place->descriptor);
    Block block = Block::create(1, reserved_bytes(machine_bytes()));
    block.move_to_its_address();
    return block;
}

}  // namespace

Job& Job::join() {
    if (joined_ == nullptr) {
        const std::optional<Place> place = place_by_launcher();
        if (!place && processes_by_mpi() > 1) {
            joined_ = new Job(bootstrap_by_mpi());
            return *joined_;
        }
        // Programs that this one starts are no images.
        static_cast<void>(unsetenv(place_variable));
        joined_ = new Job(block_of(place), place ? place->image : 0, place.has_value());
    }
    return *joined_;
}

Job::Job(Block block, int me, bool has_launcher)
    : block_(block),
      control_(&block_.control()),
      me_(me),
      has_launcher_(has_launcher),
      awaited_(static_cast<std::size_t>(images())),
      spin_policy_(SpinPolicy::of(images(), CPU_COUNT(&control_->processors))) {
    ImageRecord& record = block_.image_record(me);
    auto expected = State::absent;
    if (!record.state.compare_exchange_strong(expected, State::running)) {
        throw JobError(
            "Two programs of one command want to be image " + std::to_string(me + 1) +
            ": 'halocline caf run' starts one coarray program on each image, and not a second "
            "one after it.");
    }
    const Process process = Process::current();
    record.started = process.started;
    record.process = static_cast<std::int32_t>(process.number);
    // The launcher has started each image on a processor of its own; from now on the system
    // decides.
    if (has_launcher) {
        static_cast<void>(sched_setaffinity(0, sizeof control_->processors, &control_->processors));
    }
    // The other images, which have the same parent, may look into this one's own memory.
    static_cast<void>(prctl(PR_SET_PTRACER, getppid(), 0, 0, 0));
    static_cast<void>(close(block_.descriptor()));
}

Job::Job(const Bootstrap& bootstrap) : Job(Block::open(bootstrap.descriptor), bootstrap.me, false) {
    end_ = bootstrap.end;
    abort_ = bootstrap.abort;
    communicator_ = bootstrap.communicator;
    if (bootstrap.network == nullptr) return;
    bootstrap.network->open(block_.memory(me_),
                            static_cast<std::size_t>(block_.layout().image_bytes()));
    network_ = bootstrap.network;
}

int Job::communicator(const std::vector<int>& images) const {
    if (communicator_ != nullptr) return communicator_(images);
    throw JobError(
        "Images that MPI has not started have no communicator: start the program as 'mpiexec -n " +
        std::to_string(this->images()) + " ./program'.");
}

int Job::owner_of(const void* address) const {
    const auto* byte = static_cast<const std::byte*>(address);
    const std::byte* first = block_.memory(0);
    const std::int64_t distance = byte - first;
    const Layout& layout = block_.layout();
    if (byte < first || distance >= layout.images * layout.image_bytes()) return -1;
    return static_cast<int>(distance / layout.image_bytes());
}

Outcome Job::outcome_of(int image) const {
    switch (state(image)) {
        case State::stopped:
            return Outcome::stopped;
        case State::failed:
            return Outcome::failed;
        default:
            return Outcome::done;
    }
}

Outcome Job::outcome_of_others() {
    int failures = 0;
    bool has_others = false;
    for (int image = 0; image < images(); ++image) {
        if (image == me_) continue;
        const Outcome outcome = outcome_of(image);
        if (outcome == Outcome::failed) ++failures;
        if (outcome == Outcome::done) has_others = true;
    }
    const bool is_news = failures > failures_reported_;
    failures_reported_ = failures;
    if (is_news) return Outcome::failed;
    return has_others ? Outcome::done : Outcome::stopped;
}

void Job::look_around() {
    if (control_->is_ending != 0) std::_Exit(control_->exit_code);
    if (has_launcher_) return;
    // One after the other: all who wait look.
    looked_at_ = (looked_at_ + 1) % images();
    for (int image = 0; image < images(); ++image) {
        ImageRecord& record = block_.image_record(image);
        auto expected = State::running;
        const Process process{record.process, record.started};
        if (record.state != expected || process.number == 0) continue;
        if (image == looked_at_ ? !process.has_ended() : !process.is_gone()) continue;
        if (record.state.compare_exchange_strong(expected, State::failed)) control_->changes.add(1);
    }
}

Outcome Job::synchronise(std::span<const int> others) {
    // Notifies all first, then waits for all: nobody waits for a pair that comes later.
    for (const int other : others) {
        if (is_near(other))
            block_.pair(me_, other).add(1);
        else
            network_->notify(other);
    }
    auto outcome = Outcome::done;
    for (const int other : others) outcome = graver(outcome, await_notification(other, others));
    // Each such statement counts, also one in which nobody was waited for.
    for (const int other : others) ++awaited_[static_cast<std::size_t>(other)];
    return outcome;
}

bool Job::has_notified(int image) const {
    const std::uint32_t notifications =
        is_near(image) ? block_.pair(image, me_).get() : network_->notifications(image);
    return static_cast<std::int32_t>(notifications - awaited_[static_cast<std::size_t>(image)]) > 0;
}

/// Waits until an image has notified this one, or until one of those that do not has stopped.
Outcome Job::await_notification(int image, std::span<const int> others) {
    const auto has_left = [&] {
        return changes() != 0 && std::ranges::any_of(others, [&](int other) {
                   return state(other) == State::stopped && !has_notified(other);
               });
    };
    const Outcome outcome =
        await(image, block_.pair(image, me_), [&] { return has_notified(image) || has_left(); });
    return has_left() ? Outcome::stopped : outcome;
}

void Job::stop() {
    auto expected = State::running;
    if (!block_.image_record(me_).state.compare_exchange_strong(expected, State::stopped)) return;
    static_cast<void>(std::fflush(nullptr));
    control_->changes.add(1);
    // Others may use this image's memory, private memory included, until they have come here.
    if (network_ == nullptr) await_end_of_all();
    if (end_ != nullptr) end_();
}

void Job::await_end_of_all() {
    diagnosis_.end();
    wait(any_image, control_->changes, [&] {
        for (int image = 0; image < images(); ++image) {
            if (outcome_of(image) == Outcome::done) return false;
        }
        return true;
    });
}

void Job::fail() {
    if (network_ != nullptr) {
        throw JobError(
            "FAIL IMAGE: images on several nodes do not go on without one that has failed.");
    }
    auto expected = State::running;
    if (block_.image_record(me_).state.compare_exchange_strong(expected, State::failed)) {
        control_->changes.add(1);
    }
    if (end_ != nullptr) {
        // MPI's launchers end all processes if one ends without MPI.
        await_end_of_all();
        end_();
        std::exit(EXIT_SUCCESS);
    }
    std::_Exit(EXIT_SUCCESS);
}

void Job::end_all(int exit_code) {
    if (abort_ != nullptr) abort_(exit_code);
    std::uint32_t expected = 0;
    std::int32_t no_code = 0;
    static_cast<void>(control_->exit_code.compare_exchange_strong(no_code, exit_code));
    if (control_->is_ending.compare_exchange_strong(expected, 1)) control_->changes.add(1);
}

}  // namespace halocline::pgas
