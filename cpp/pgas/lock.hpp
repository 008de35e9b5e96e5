#pragma once

#include "pgas/atomic.hpp"
#include "pgas/job.hpp"

namespace halocline::pgas {

/// What came of an attempt to lock or unlock.
enum class LockOutcome {
    done,
    not_acquired,  ///< another image holds it, and nobody wanted to wait
    held_by_me,
    held_by_other,   ///< unlocking what another image holds
    not_locked,      ///< unlocking what nobody holds
    holder_failed,   ///< acquired; the image that held it has failed
    holder_stopped,  ///< not acquired; the image that holds it has stopped: it stays locked
};

/// Memory that one image at a time may use. Its number is the image that holds it, from 1; 0: none.
class Lock {
public:
    /// Waits until this image holds it.
    LockOutcome acquire(Job& job) { return acquire(job, true); }
    /// Takes it if nobody holds it.
    LockOutcome try_acquire(Job& job) { return acquire(job, false); }
    LockOutcome release(Job& job);
    /// Likewise for a lock that only images of this node use.
    void acquire_on_node(Job& job) { static_cast<void>(acquire_on_node(job, true)); }
    void release_on_node() { holder_.set(0); }

private:
    LockOutcome acquire(Job& job, bool is_patient);
    LockOutcome acquire_on_node(Job& job, bool is_patient);
    LockOutcome acquire_over_network(Job& job, bool is_patient);
    [[nodiscard]] Atomic number(Job& job);

    LoneSignal holder_;
};

}  // namespace halocline::pgas
