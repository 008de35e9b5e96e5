#include "pgas/lock.hpp"

namespace halocline::pgas {

Atomic Lock::number(Job& job) {
    return {job, job.owner_of(this), &holder_.value, sizeof holder_.value};
}

LockOutcome Lock::acquire(Job& job, bool is_patient) {
    if (job.network() == nullptr) return acquire_on_node(job, is_patient);
    const auto mine = static_cast<std::uint64_t>(job.me() + 1);
    while (true) {
        const std::uint64_t holder = number(job).compare_and_swap(0, mine);
        if (holder == 0) return LockOutcome::done;
        if (holder == mine) return LockOutcome::held_by_me;
        if (!is_patient) return LockOutcome::not_acquired;
        job.network()->progress();
    }
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
            job.await(holder_, [&] { return holder_.get() != holder; });
        }
    }
}

Outcome Lock::await_change(Job& job) {
    if (job.network() != nullptr) {
        job.network()->progress();
        return Outcome::done;
    }
    const std::uint32_t holder = holder_.get();
    if (holder == 0) return Outcome::done;
    const int other = static_cast<int>(holder) - 1;
    return job.await(other, holder_, [&] { return holder_.get() != holder; });
}

LockOutcome Lock::release(Job& job) {
    const bool is_near = job.network() == nullptr;
    const std::uint64_t holder = is_near ? holder_.get() : number(job).read();
    if (holder == 0) return LockOutcome::not_locked;
    if (holder != static_cast<std::uint64_t>(job.me() + 1)) return LockOutcome::held_by_other;
    if (is_near)
        release_on_node();
    else
        static_cast<void>(number(job).fetch(Operation::replace, 0));
    return LockOutcome::done;
}

}  // namespace halocline::pgas
