#pragma once

#include <optional>
#include <span>
#include <string>

namespace halocline {

/// Fewer than 80 bytes that have the CRC-32 of `bytes` (ISO 3309, as in zip archives) if the
/// remainder begins with 0. Nothing for fewer than 64 bytes, or without carry-less products.
[[nodiscard]] std::optional<std::string> folded_for_crc32(std::span<const char> bytes);

}  // namespace halocline
