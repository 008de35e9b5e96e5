#include "launcher/build.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <sstream>

#include "launcher/module.hpp"
#include "pgas/block.hpp"

namespace halocline::launcher {
namespace {

using pgas::JobError;

constexpr int oldest_gfortran = 11;
constexpr int newest_gfortran = 15;
/// The first that calls the library as 'caf15/api.hpp' says.
constexpr int first_with_accessors = 15;

using Words = std::vector<std::string>;

/// Says to programs that this one starts that the compiler which FC names has been called.
constexpr const char* calls_variable = "HALOCLINE_CAF_CALLS_FC";

Words words_of(const std::string& text) {
    if (access(text.c_str(), X_OK) == 0) return {text};
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

/// The compiler with the options that FC has, as 'ccache gfortran -O2'. If FC names this program,
/// as in 'make FC="halocline caf build"', it calls itself once and then finds that it has.
Words found_compiler() {
    const char* chosen = std::getenv("FC");
    const bool has_called = std::getenv(calls_variable) != nullptr;
    Words words = chosen == nullptr || has_called ? Words{} : words_of(chosen);
    if (words.empty()) return {"gfortran"};
    static_cast<void>(setenv(calls_variable, "1", 1));
    return words;
}

const Words& compiler() {
    static const Words words = found_compiler();
    return words;
}

std::string joined(const Words& words, const std::string& quote) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + quote + word + quote;
    return text;
}

std::string library_folder() {
    return prefix() + "/lib";
}

std::string said_by(const std::string& command) {
    std::string text;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return text;
    constexpr std::size_t most = 64;
    std::array<char, most> part{};
    while (std::fgets(part.data(), most, pipe) != nullptr) text += part.data();
    static_cast<void>(pclose(pipe));
    return text;
}

/// The first number of the version of the compiler. Throws JobError if it says none.
int version() {
    const std::string name = joined(compiler(), "");
    std::string said = said_by(joined(compiler(), "'") + " -dumpversion 2> /dev/null");
    said = said.substr(0, said.find('\n'));
    if (said.empty()) {
        throw JobError("The compiler '" + name +
                       "' cannot be run: install gfortran, or name another one by the "
                       "environment variable FC.");
    }
    int number = 0;
    if (std::from_chars(said.data(), said.data() + said.size(), number).ec == std::errc()) {
        return number;
    }
    throw JobError("'" + name + "' is not gfortran: it prints '" + said +
                   "' instead of its version. Name another one by the environment variable "
                   "FC.");
}

void require_known_version() {
    const std::string name = joined(compiler(), "");
    const int number = version();
    if (number < oldest_gfortran || number > newest_gfortran) {
        throw JobError("'" + name + "' is gfortran " + std::to_string(number) +
                       "; this coarray library is for gfortran " + std::to_string(oldest_gfortran) +
                       " to " + std::to_string(newest_gfortran) + ".");
    }
}

/// Runs the compiler with these arguments; returns its exit status.
int run_compiler(std::initializer_list<Words> arguments) {
    Words words = compiler();
    for (const Words& part : arguments) words.insert(words.end(), part.begin(), part.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ);
    if (error != 0) {
        throw JobError("'" + words[0] + "' cannot be started: " + std::strerror(error) + ".");
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

}  // namespace

std::string prefix() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    return program.parent_path().parent_path().string();
}

std::vector<std::string> compile_flags() {
    return {"-fcoarray=lib"};
}

std::vector<std::string> link_flags() {
    const std::string folder = library_folder();
    const bool has_accessors = version() >= first_with_accessors;
    return {"-L" + folder, "-Wl,-rpath," + folder,
            has_accessors ? "-lhalocline_caf15" : "-lhalocline_caf"};
}

int build(const std::vector<std::string>& arguments) {
    require_known_version();
    if (!use_opencoarrays(arguments))
        return run_compiler({compile_flags(), arguments, link_flags()});
    // What a compiler writes of a module only this compiler reads.
    const TemporaryFolder folder;
    const std::string module = prefix() + "/modules/opencoarrays.f90";
    const int code =
        run_compiler({compile_flags(), {"-fsyntax-only", "-J", folder.path(), module}});
    if (code != EXIT_SUCCESS) return code;
    // A program's own module of the name is found before those of this path.
    const Words found = {"-fintrinsic-modules-path", folder.path()};
    return run_compiler({compile_flags(), arguments, found, link_flags()});
}

}  // namespace halocline::launcher
