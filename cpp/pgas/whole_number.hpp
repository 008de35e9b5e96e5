#pragma once

#include <string_view>

namespace halocline::pgas {

/// What a number is, as "a number of images", and its bounds.
struct Expected {
    const char* what;
    int least;
    int most;
};

/// The whole number that a text says. Throws JobError, which names what has said it, for others.
[[nodiscard]] int whole_number(std::string_view name, std::string_view text,
                               const Expected& expected);

/// Likewise of an environment variable; 0 if it is not set, or empty.
[[nodiscard]] int number_in_environment(const char* variable, const char* what);

}  // namespace halocline::pgas
