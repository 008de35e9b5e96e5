// LOCK, UNLOCK, CRITICAL; EVENT POST, EVENT WAIT, EVENT_QUERY.

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"
#include "pgas/event.hpp"
#include "pgas/lock.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

using pgas::LockOutcome;

int member_of(int image) {
    return image == 0 ? images().team().me() : index_of(image);
}

bool has_failed(int member) {
    const pgas::Images& all = images();
    return all.job().state(all.team().member(member).image) == pgas::State::failed;
}

pgas::Event& event_of(void* token, std::size_t index, int member) {
    return object_of<pgas::Event>(token, index, images().team(), member);
}

void answer_lock(LockOutcome outcome, int* acquired, const Answer& answer) {
    const bool is_mine = outcome == LockOutcome::done || outcome == LockOutcome::holder_failed;
    if (acquired != nullptr) *acquired = is_mine ? 1 : 0;
    switch (outcome) {
        case LockOutcome::held_by_me:
            answer.failure(stat_locked, "LOCK: this image holds the lock already.");
            break;
        case LockOutcome::holder_failed:
            // Without STAT= it is an error, as everything that a failed image has left.
            answer.failure(stat_unlocked_failed_image, "LOCK: the image that held it has failed.");
            break;
        case LockOutcome::holder_stopped:
            answer.failure(stat_stopped_image, "LOCK: the image that holds it has stopped.");
            break;
        default:
            answer.success();
            break;
    }
}

void answer_critical(LockOutcome outcome, const Answer& answer) {
    if (outcome == LockOutcome::holder_stopped) {
        answer.failure(stat_stopped_image, "CRITICAL: an image has stopped in the construct.");
    } else {
        answer.success();
    }
}

}  // namespace

void _gfortran_caf_lock(void* token, std::size_t index, int image, int* acquired, int* stat,
                        char* message, std::size_t length) {
    pgas::Job& job = images().job();
    const int member = member_of(image);
    const Answer answer{stat, message, length};
    auto& lock = object_of<pgas::Lock>(token, index, images().team(), member);
    if (token_of(token).is_critical) {
        // An image that fails has left the construct, and image 1 that it has what it needs.
        answer_critical(lock.acquire(job), answer);
    } else if (has_failed(member)) {
        answer.failure(stat_failed_image, "LOCK: the image of the lock has failed.");
    } else {
        answer_lock(acquired == nullptr ? lock.acquire(job) : lock.try_acquire(job), acquired,
                    answer);
    }
}

void _gfortran_caf_unlock(void* token, std::size_t index, int image, int* stat, char* message,
                          std::size_t length) {
    const Answer answer{stat, message, length};
    auto& lock = object_of<pgas::Lock>(token, index, images().team(), member_of(image));
    switch (lock.release(images().job())) {
        case LockOutcome::not_locked:
            answer.failure(stat_not_locked, "UNLOCK: nobody holds the lock.");
            break;
        case LockOutcome::held_by_other:
            answer.failure(stat_locked_other_image, "UNLOCK: another image holds the lock.");
            break;
        default:
            answer.success();
            break;
    }
}

void _gfortran_caf_event_post(void* token, std::size_t index, int image, int* stat, char* message,
                              std::size_t length) {
    const int member = member_of(image);
    const Answer answer{stat, message, length};
    if (has_failed(member)) {
        answer.failure(stat_failed_image, "EVENT POST: that image has failed.");
        return;
    }
    event_of(token, index, member).post(images().job());
    answer.success();
}

void _gfortran_caf_event_wait(void* token, std::size_t index, int until, int* stat, char* message,
                              std::size_t length) {
    const auto wanted = static_cast<std::uint32_t>(until < 1 ? 1 : until);
    pgas::Event& event = event_of(token, index, images().team().me());
    const pgas::Outcome outcome = event.wait(images().job(), wanted);
    Answer{stat, message, length}.outcome(outcome, "EVENT WAIT");
}

void _gfortran_caf_event_query(void* token, std::size_t index, int image, int* count, int* stat) {
    const int member = member_of(image);
    *count = static_cast<int>(event_of(token, index, member).count(images().job()));
    if (stat != nullptr) *stat = 0;
}
