#pragma once

#include <cstdint>

namespace halocline {

/// Loops that read and write less memory than this [bytes] run on one thread: that takes some 60
/// us, and starting threads takes 0.6 us if they spin, 10 us and more if they sleep.
inline constexpr std::int64_t parallel_bytes = std::int64_t{1} << 21;

/// How many of `threads` share a loop over so much memory; one below the least that is shared.
[[nodiscard]] constexpr int threads_for(std::int64_t bytes, int threads,
                                        std::int64_t least_bytes = parallel_bytes) {
    return bytes < least_bytes ? 1 : threads;
}

/// Kernels, of which some compute much: below the first of these [bytes] they run on one thread,
/// above the second all threads share them, and between them a trial tells which is faster.
inline constexpr std::int64_t alone_bytes = std::int64_t{1} << 17;
inline constexpr std::int64_t shared_bytes = std::int64_t{1} << 23;

}  // namespace halocline
