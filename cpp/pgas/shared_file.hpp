#pragma once

#include <cstdint>

namespace halocline::pgas {

/// A file without a name, in memory, that other processes of the machine can map. Its descriptor is
/// inherited or not; negative, with errno, if the system refuses.
[[nodiscard]] int create_shared_file(bool is_inherited);

/// Opens such a file of another process; negative, with errno, if the system refuses.
[[nodiscard]] int open_shared_file(std::int64_t process, int descriptor);

}  // namespace halocline::pgas
