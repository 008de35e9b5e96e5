#pragma once

#include <memory>

#include "transport/transport.hpp"

namespace halocline {

/// Messages between processes that map each other's fields: one copy from the owner's cells into
/// the reader's halo, made by the reader, or with `is_push` by the owner. What the reader would
/// have to take from a cache line a value, the owner gathers for it.
[[nodiscard]] std::unique_ptr<Channel> shared_channel(const Memory& memory,
                                                      const Messages& messages, bool is_push);

}  // namespace halocline
