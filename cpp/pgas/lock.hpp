#pragma once

#include "pgas/job.hpp"

namespace halocline::pgas {

/// What came of an attempt to lock or unlock.
enum class LockOutcome {
    done,
    not_acquired,  ///< another image holds it, and nobody wanted to wait
    held_by_me,
    held_by_other,  ///< unlocking what another image holds
    not_locked,     ///< unlocking what nobody holds
    holder_failed,  ///< acquired; the image that held it has failed
};

/// Memory that one image at a time may use. Its number is the image that holds it, from 1; 0: none.
class Lock {
public:
    /// Waits until this image holds it.
    LockOutcome acquire(Job& job) { return acquire(job, true); }
    /// Takes it if nobody holds it.
    LockOutcome try_acquire(Job& job) { return acquire(job, false); }
    LockOutcome release(const Job& job);

private:
    LockOutcome acquire(Job& job, bool is_patient);

    LoneSignal holder_;
};

}  // namespace halocline::pgas
