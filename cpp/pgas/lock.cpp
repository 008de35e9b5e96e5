#include "pgas/lock.hpp"

namespace halocline::pgas {

LockOutcome Lock::acquire(Job& job, bool is_patient) {
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

LockOutcome Lock::release(const Job& job) {
    const std::uint32_t holder = holder_.get();
    if (holder == 0) return LockOutcome::not_locked;
    if (holder != static_cast<std::uint32_t>(job.me() + 1)) return LockOutcome::held_by_other;
    holder_.set(0);
    return LockOutcome::done;
}

}  // namespace halocline::pgas
