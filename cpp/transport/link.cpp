#include "transport/link.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace halocline {
namespace {

constexpr std::int64_t ns_per_s = 1000000000;

}  // namespace

std::int64_t now_ns() {
    timespec time{};
    static_cast<void>(clock_gettime(CLOCK_MONOTONIC, &time));
    return time.tv_sec * ns_per_s + time.tv_nsec;
}

Link::Link(double latency_s, double seconds_per_byte)
    : latency_ns_(latency_s * static_cast<double>(ns_per_s)),
      ns_per_byte_(seconds_per_byte * static_cast<double>(ns_per_s)) {}

std::int64_t Link::send(std::int64_t bytes, int crossings) {
    const auto busy = std::llround(static_cast<double>(bytes) * ns_per_byte_);
    free_ns_ = std::max(now_ns(), free_ns_) + busy;
    return free_ns_ + std::llround(latency_ns_ * crossings);
}

}  // namespace halocline
