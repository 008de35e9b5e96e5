#include "pgas/whole_number.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

#include "pgas/error.hpp"

namespace halocline::pgas {

int whole_number(std::string_view name, std::string_view text, const Wanted& wanted) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && rest == end && number >= wanted.least && number <= wanted.most) {
        return number;
    }
    throw JobError(std::string(name) + " is '" + std::string(text) + "': " + wanted.what +
                   " from " + std::to_string(wanted.least) + " to " + std::to_string(wanted.most) +
                   " is wanted.");
}

int number_in_environment(const char* variable, const char* what) {
    const char* said = std::getenv(variable);
    if (said == nullptr || *said == '\0') return 0;
    return whole_number(std::string("Environment variable ") + variable, said,
                        {what, 0, std::numeric_limits<int>::max()});
}

}  // namespace halocline::pgas
