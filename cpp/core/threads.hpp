#pragma once

#include <cstdint>

namespace halocline {

/// Loops that read and write less memory than this [bytes] run on one thread: that takes some 60
/// us, and starting threads takes 0.6 us if they spin, 10 us if they sleep, and more beside a
/// program that wants the same cores: two threads then take twice the time of one.
inline constexpr std::int64_t parallel_bytes = std::int64_t{1} << 21;

/// How many of `threads` share a loop over so much memory.
[[nodiscard]] constexpr int threads_for(std::int64_t bytes, int threads) {
    return bytes < parallel_bytes ? 1 : threads;
}

}  // namespace halocline
