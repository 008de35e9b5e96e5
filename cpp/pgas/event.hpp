#pragma once

#include "pgas/job.hpp"

namespace halocline::pgas {

/// What images post and the one in whose memory it lies waits for; counts what is not yet taken.
class Event {
public:
    void post(Job& job);
    /// Waits until so many are there, and takes them.
    Outcome wait(Job& job, std::uint32_t count);
    [[nodiscard]] std::uint32_t count(Job& job);

private:
    LoneSignal posted_;
};

}  // namespace halocline::pgas
