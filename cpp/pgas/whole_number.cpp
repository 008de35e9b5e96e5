#include "pgas/whole_number.hpp"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

#include "pgas/error.hpp"

namespace halocline::pgas {

int whole_number(std::string_view name, std::string_view text, const Expected& expected) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && rest == end && number >= expected.least &&
        number <= expected.most) {
        return number;
    }
    throw JobError(std::string(name) + " is '" + std::string(text) + "': expected " +
                   expected.what + " from " + std::to_string(expected.least) + " to " +
                   std::to_string(expected.most) + ".");
}

int number_in_environment(const char* variable, const char* what) {
    const char* said = std::getenv(variable);
    if (said == nullptr || *said == '\0') return 0;
    return whole_number(std::string("Environment variable ") + variable, said,
                        {what, 0, std::numeric_limits<int>::max()});
}

}  // namespace halocline::pgas
