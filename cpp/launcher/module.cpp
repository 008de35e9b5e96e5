#include "launcher/module.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <string_view>
#include <system_error>

#include "pgas/error.hpp"

namespace halocline::launcher {
namespace {

constexpr std::array<std::string_view, 8> suffixes{".f90", ".F90", ".f08", ".F08",
                                                   ".f03", ".F03", ".f",   ".F"};

bool is_source(const std::filesystem::path& file) {
    return std::ranges::find(suffixes, file.extension().string()) != suffixes.end();
}

bool uses_opencoarrays(const std::filesystem::path& file) {
    static const std::regex statement(R"(\s*use\s*(::)?\s*opencoarrays\b)", std::regex::icase);
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        if (std::regex_search(line, statement, std::regex_constants::match_continuous)) return true;
    }
    return false;
}

}  // namespace

bool use_opencoarrays(const std::vector<std::string>& arguments) {
    return std::ranges::any_of(arguments, [](const std::string& argument) {
        return is_source(argument) && uses_opencoarrays(argument);
    });
}

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "halocline-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw pgas::JobError("No folder can be made as '" + name + "': " + std::strerror(errno) +
                             ". TMPDIR may name another place.");
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

}  // namespace halocline::launcher
