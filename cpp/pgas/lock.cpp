#include "pgas/lock.hpp"

namespace halocline::pgas {

Atomic Lock::number(Job& job) {
    return {job, job.owner_of(this), &holder_.value, sizeof holder_.value};
}

LockOutcome Lock::acquire(Job& job, bool is_patient) {
    return job.network() == nullptr ? acquire_on_node(job, is_patient)
                                    : acquire_over_network(job, is_patient);
}

LockOutcome Lock::acquire_over_network(Job& job, bool is_patient) {
    const auto mine = static_cast<std::uint64_t>(job.me()) + 1;
    std::uint64_t stopped_holder = 0;
    auto outcome = LockOutcome::not_acquired;
    job.await(holder_, [&] {
        const std::uint64_t holder = number(job).compare_and_swap(0, mine);
        if (holder == 0) {
            outcome = LockOutcome::done;
        } else if (holder == mine) {
            outcome = LockOutcome::held_by_me;
        } else if (holder == stopped_holder) {
            outcome = LockOutcome::holder_stopped;
        } else if (job.state(static_cast<int>(holder) - 1) == State::stopped) {
            // It may have released it before it stopped: this looks again.
            stopped_holder = holder;
        }
        return outcome != LockOutcome::not_acquired || !is_patient;
    });
    return outcome;
}

LockOutcome Lock::acquire_on_node(Job& job, bool is_patient) {
    const auto mine = static_cast<std::uint32_t>(job.me() + 1);
    while (true) {
        std::uint32_t holder = 0;
        if (holder_.value.compare_exchange_strong(holder, mine)) return LockOutcome::done;
        if (holder == mine) return LockOutcome::held_by_me;
        const int other = static_cast<int>(holder) - 1;
        if (job.state(other) == State::failed) {
            if (holder_.value.compare_exchange_strong(holder, mine)) {
                return LockOutcome::holder_failed;
            }
            continue;
        }
        if (!is_patient) return LockOutcome::not_acquired;
        static_cast<void>(job.await(other, holder_, [&] { return holder_.get() != holder; }));
        // Who has stopped with it will not give it back: only one that fails loses it.
        if (job.state(other) == State::stopped && holder_.get() == holder) {
            return LockOutcome::holder_stopped;
        }
    }
}

LockOutcome Lock::release(Job& job) {
    const bool is_near = job.network() == nullptr;
    const std::uint64_t holder = is_near ? holder_.get() : number(job).read();
    if (holder == 0) return LockOutcome::not_locked;
    if (holder != static_cast<std::uint64_t>(job.me()) + 1) return LockOutcome::held_by_other;
    if (is_near)
        release_on_node();
    else
        static_cast<void>(number(job).fetch(Operation::replace, 0));
    return LockOutcome::done;
}

}  // namespace halocline::pgas
