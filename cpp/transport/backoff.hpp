#pragma once

#include <cstdint>

namespace halocline {

/// What a rank does while it waits: first it spins, then it lets others have the processor, and
/// if it knows that nothing can come for long it sleeps.
class Backoff {
public:
    /// Waits a little; `due_ns` is when the next message arrives, if that is known.
    void pause(std::int64_t due_ns);
    /// True about once a second of waiting: time to see whether the others still live.
    [[nodiscard]] bool is_long();

private:
    int pauses_ = 0;
    std::int64_t next_check_ns_ = 0;
};

}  // namespace halocline
