#include "launcher/build.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "pgas/block.hpp"

namespace halocline::launcher {
namespace {

using pgas::JobError;

constexpr int oldest_gfortran = 11;
constexpr int newest_gfortran = 15;
/// The first that calls the library as 'caf15/api.hpp' says.
constexpr int first_with_accessors = 15;

std::string compiler() {
    const char* chosen = std::getenv("FC");
    return chosen == nullptr || *chosen == '\0' ? "gfortran" : chosen;
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

/// The version of a compiler; 0 if it cannot be run.
int version_of(const std::string& name) {
    return std::atoi(said_by(name + " -dumpversion 2> /dev/null").c_str());
}

void require_known_version(const std::string& name) {
    const int number = version_of(name);
    if (number == 0) {
        throw JobError("The compiler '" + name +
                       "' cannot be run: install gfortran, or name another one by the "
                       "environment variable FC.");
    }
    if (number < oldest_gfortran || number > newest_gfortran) {
        throw JobError("'" + name + "' is gfortran " + std::to_string(number) +
                       "; this coarray library is for gfortran " + std::to_string(oldest_gfortran) +
                       " to " + std::to_string(newest_gfortran) + ".");
    }
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
    const bool has_accessors = version_of(compiler()) >= first_with_accessors;
    return {"-L" + folder, "-Wl,-rpath," + folder,
            has_accessors ? "-lhalocline_caf15" : "-lhalocline_caf"};
}

void build(const std::vector<std::string>& arguments) {
    const std::string name = compiler();
    require_known_version(name);
    std::vector<std::string> words{name};
    for (const auto& part : {compile_flags(), arguments, link_flags()}) {
        words.insert(words.end(), part.begin(), part.end());
    }
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    static_cast<void>(execvp(pointers[0], pointers.data()));
    throw JobError("'" + name + "' cannot be started: " + std::strerror(errno) + ".");
}

}  // namespace halocline::launcher
