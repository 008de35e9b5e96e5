#pragma once

#include <cstdint>

namespace halocline {

/// What a rank does while it waits: first it spins, then it lets others have the processor. It does
/// not sleep, even if nothing can come for long: processors that wake up compute slower at first.
/// Only where more ranks than processors wait for each other sleep gives processors to who works.
class Backoff {
public:
    explicit Backoff(bool may_sleep = false) : may_sleep_(may_sleep) {}

    /// Waits a little.
    void pause();
    /// True about once a second of waiting: time to see whether the others still live.
    [[nodiscard]] bool is_long();

private:
    bool may_sleep_;
    std::int64_t pauses_ = 0;
    std::int64_t next_check_ns_ = 0;
};

}  // namespace halocline
