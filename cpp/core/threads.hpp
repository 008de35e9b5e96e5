#pragma once

#include <cstdint>

namespace halocline {

/// Loops that read and write less memory than this [bytes] run on one thread: that takes some 15 us
/// out of caches, and starting threads takes 0.6 us if they spin, 10 us if they sleep.
inline constexpr std::int64_t parallel_bytes = std::int64_t{1} << 19;

/// How many of `threads` share a loop over so much memory.
[[nodiscard]] constexpr int threads_for(std::int64_t bytes, int threads) {
    return bytes < parallel_bytes ? 1 : threads;
}

}  // namespace halocline
