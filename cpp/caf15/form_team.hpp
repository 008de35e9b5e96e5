#pragma once

#include <cstdint>
#include <optional>

#include "caf/report.hpp"

namespace halocline::caf {

/// FORM TEAM: splits the current team; images that give the same number are together, in the order
/// of the indices that they want. Collective. Null, and an answer, if that is impossible.
[[nodiscard]] pgas::Team* form_team(std::int64_t number, std::optional<int> wanted_index,
                                    const Answer& answer);

/// The team of a handle that a program has; null means the current team.
[[nodiscard]] pgas::Team& team_of(void* handle);

/// The team with a number: the initial one, or one of those into which FORM TEAM has split the
/// current team's parent, also if this image is not in it.
[[nodiscard]] const pgas::Team& numbered_team(int number);

/// The team that an image selector means; both may be null.
[[nodiscard]] const pgas::Team& selected_team(void* const* handle, const int* number);

}  // namespace halocline::caf
