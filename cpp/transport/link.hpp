#pragma once

#include <cstdint>

namespace halocline {

/// The time of a clock that all processes of a machine share [ns].
[[nodiscard]] std::int64_t now_ns();

/// An emulated link between nodes: a message of N bytes arrives L + N G after it was sent, or
/// later if the rank still sends others. Used by one thread.
class Link {
public:
    /// Latency L [s] and time per byte G [s].
    Link(double latency_s, double seconds_per_byte);

    /// When a message sent now arrives [ns]; it has to cross the link so many times before and
    /// with its data.
    [[nodiscard]] std::int64_t send(std::int64_t bytes, int crossings = 1);

private:
    double latency_ns_;
    double ns_per_byte_;
    std::int64_t free_ns_ = 0;
};

}  // namespace halocline
