#include "pgas/memory_size.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

#include "pgas/error.hpp"

namespace halocline::pgas {

std::int64_t bytes_of(std::string_view name, std::string_view text) {
    constexpr std::string_view units = "KMGT";
    constexpr int bits_of_unit = 10;
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::size_t unit = rest == end ? units.npos : units.find(*rest);
    const bool has_unit = unit != units.npos && rest + 1 == end;
    if (error != std::errc() || number <= 0 || (rest != end && !has_unit) ||
        number > (std::int64_t{1} << 20)) {
        throw JobError(std::string(name) + " is '" + std::string(text) +
                       "': expected a size as 8G or 500M.");
    }
    return has_unit ? number << (bits_of_unit * (static_cast<int>(unit) + 1)) : number;
}

std::int64_t reserved_bytes(std::int64_t usual) {
    const char* said = std::getenv(memory_variable);
    return said == nullptr ? usual : bytes_of(memory_variable, said);
}

}  // namespace halocline::pgas
