#pragma once

#include <cstdint>
#include <string_view>

namespace halocline::pgas {

/// The environment variable that says how much memory an image may use for coarrays.
inline constexpr const char* memory_variable = "HALOCLINE_MEMORY";

/// A size as 8G or 500M [bytes]. Throws JobError, which names what has said it, for others.
[[nodiscard]] std::int64_t bytes_of(std::string_view name, std::string_view text);

/// The memory that an image may use for coarrays [bytes]: what HALOCLINE_MEMORY says, or else as
/// much as is usual.
[[nodiscard]] std::int64_t reserved_bytes(std::int64_t usual);

}  // namespace halocline::pgas
