#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pgas/event.hpp"
#include "pgas/images.hpp"
#include "pgas/lock.hpp"

/// What programs in C++ and Python do with images besides reading and writing coarrays. Images are
/// counted from 1 here, in the current team. Everything throws JobError, or one of its two kinds
/// below, where it cannot be done.
namespace halocline::pgas {

/// Something needs an image that has failed; what other images have to do with it is done.
class FailedImage : public JobError {
public:
    using JobError::JobError;
};

/// Something needs an image that has initiated normal termination.
class StoppedImage : public JobError {
public:
    using JobError::JobError;
};

/// All of them. The first call makes this process an image, which ends in good order with main.
[[nodiscard]] inline Images& images() {
    static Images& all = []() -> Images& {
        // First, so that this image stops before what it stands on ends.
        Images& joined = Images::get();
        static_cast<void>(std::atexit([] {
            Job& job = Images::get().job();
            // A copy of this process is no image.
            if (job.block().image_record(job.me()).process == getpid()) job.stop();
        }));
        return joined;
    }();
    return all;
}

[[nodiscard]] inline int this_image() {
    return images().team().me() + 1;
}
[[nodiscard]] inline int num_images() {
    return images().team().size();
}

/// The index in the current team, from 0, of an image that a user has named.
[[nodiscard]] inline int index_of(int image) {
    if (image >= 1 && image <= num_images()) return image - 1;
    throw JobError("There is no image " + std::to_string(image) +
                   ": images are numbered from 1 to " + std::to_string(num_images()) + ".");
}

/// Whether an image runs, has stopped, or has failed.
[[nodiscard]] inline State state_of(int image) {
    const Images& all = images();
    all.job().look_around();
    return all.job().state(all.team().member(index_of(image)).image);
}

/// The images in a state.
[[nodiscard]] inline std::vector<int> images_in(State state) {
    std::vector<int> found;
    for (int image = 1; image <= num_images(); ++image) {
        if (state_of(image) == state) found.push_back(image);
    }
    return found;
}

/// Throws what an outcome means, if it is not done.
inline void check(Outcome outcome, std::string_view what) {
    if (outcome == Outcome::done) return;
    const bool has_failed = outcome == Outcome::failed;
    std::string names;
    for (const int image : images_in(has_failed ? State::failed : State::stopped)) {
        names += (names.empty() ? "" : ", ") + std::to_string(image);
    }
    const std::string text = std::string(what) + " needs an image that has " +
                             (has_failed ? "failed" : "stopped") +
                             " (of this team: " + (names.empty() ? "none" : names) + ").";
    if (has_failed) throw FailedImage(text);
    throw StoppedImage(text);
}

/// The index of an image whose memory can be accessed: it has not failed.
[[nodiscard]] inline int accessible(int image) {
    const Images& all = images();
    const int index = index_of(image);
    if (all.job().changes() != 0 &&
        all.job().state(all.team().member(index).image) == State::failed) {
        throw FailedImage("Image " + std::to_string(image) + " has failed.");
    }
    return index;
}

/// Waits for all images of the current team.
inline void sync_all() {
    Images& all = images();
    check(all.team().barrier(all.digest()), "sync_all");
}

/// What this image has written is seen by others before what it writes afterwards.
inline void sync_memory() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Waits for some images, each of which must call this with the number of this one.
inline void sync_images(std::span<const int> named) {
    const Images& all = images();
    std::vector<int> others;
    for (const int image : named) {
        others.push_back(all.team().member(index_of(image)).image);
        if (std::find(others.begin(), others.end() - 1, others.back()) != others.end() - 1) {
            throw JobError("sync_images names image " + std::to_string(image) + " twice.");
        }
    }
    check(all.job().synchronise(others), "sync_images");
}
inline void sync_images(int image) {
    sync_images(std::span(&image, 1));
}

/// A counter of one image that others raise and that this image waits for. It lies in a coarray.
class EventVariable {
public:
    void post() { event_.post(images().job()); }
    /// Waits until it has been posted so often since, and counts down by that.
    void wait(int until_count = 1) {
        const auto wanted = static_cast<std::uint32_t>(std::max(until_count, 1));
        check(event_.wait(images().job(), wanted), "Waiting for an event");
    }
    [[nodiscard]] int query() { return static_cast<int>(event_.count(images().job())); }

private:
    Event event_;
};

/// A lock that lies in a coarray; std::scoped_lock and its relatives take it. One that a failed
/// image held passes on to the next.
class LockVariable {
public:
    void lock() { static_cast<void>(is_held(lock_.acquire(images().job()))); }
    [[nodiscard]] bool try_lock() { return is_held(lock_.try_acquire(images().job())); }
    void unlock() {
        switch (lock_.release(images().job())) {
            case LockOutcome::not_locked:
                throw JobError("The lock cannot be released: nobody holds it.");
            case LockOutcome::held_by_other:
                throw JobError("The lock cannot be released: another image holds it.");
            default:
                return;
        }
    }

private:
    static bool is_held(LockOutcome outcome) {
        if (outcome == LockOutcome::held_by_me) {
            throw JobError("This image holds the lock already.");
        }
        if (outcome == LockOutcome::holder_stopped) {
            throw StoppedImage("The lock is held by an image that has stopped.");
        }
        return outcome != LockOutcome::not_acquired;
    }

    Lock lock_;
};

/// Splits the current team: images that give the same number, from 1, are together, without those
/// that have failed. Collective.
[[nodiscard]] inline Team& form_team(std::int64_t number) {
    if (number < 1) {
        throw JobError("A team cannot have the number " + std::to_string(number) +
                       ": numbers of teams are positive.");
    }
    Team* formed = nullptr;
    const Outcome outcome = images().form_team(number, formed);
    if (outcome == Outcome::stopped) check(outcome, "form_team");
    return *formed;
}

inline void change_team(Team& team) {
    Images& all = images();
    if (team.parent() != &all.team()) {
        throw JobError("The team was not formed by the current team.");
    }
    check(all.change_team(team), "change_team");
}

/// A team is the current one as long as this lives; coarrays that were made meanwhile end with it.
class ChangeTeam {
public:
    explicit ChangeTeam(Team& team) : exceptions_(std::uncaught_exceptions()) { change_team(team); }
    ChangeTeam(const ChangeTeam&) = delete;
    ChangeTeam& operator=(const ChangeTeam&) = delete;
    ~ChangeTeam() {
        // Where something has gone wrong, others may not come here.
        if (std::uncaught_exceptions() > exceptions_)
            images().leave_team();
        else
            static_cast<void>(images().end_team());
    }

private:
    int exceptions_;
};

/// Memory filled with zeros at the same place in all images of the current team. Collective.
[[nodiscard]] inline std::byte* allocate(std::int64_t bytes) {
    Images& all = images();
    std::byte* piece = all.allocate(bytes);
    if (piece == nullptr) {
        throw JobError("There is no memory for a coarray of " + std::to_string(bytes) +
                       " bytes: of the " + std::to_string(all.coarrays().bytes()) +
                       " bytes of an image " + std::to_string(all.coarrays().used_bytes()) +
                       " are in use. 'halocline caf run --memory 64G', or HALOCLINE_MEMORY=64G, "
                       "reserves more.");
    }
    std::memset(piece, 0, static_cast<std::size_t>(bytes));
    check(all.team().barrier(all.digest()), "allocate");
    return piece;
}

/// Gives it back once all images of the team have come here.
inline void free(std::byte* piece) {
    Images& all = images();
    const Outcome outcome = all.team().barrier(all.digest());
    all.free(piece);
    check(outcome, "free");
}

}  // namespace halocline::pgas
