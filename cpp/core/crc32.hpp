#pragma once

#include <cstdint>
#include <span>

namespace halocline {

/// The checksum that zip archives have of bytes (CRC-32, ISO 3309).
[[nodiscard]] std::uint32_t crc32(std::span<const char> bytes);

}  // namespace halocline
