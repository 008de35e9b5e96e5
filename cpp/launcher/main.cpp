// halocline-caf: builds and runs coarray programs.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/build.hpp"
#include "launcher/run.hpp"
#include "pgas/block.hpp"
#include "pgas/memory_size.hpp"

namespace halocline::launcher {
namespace {

using pgas::JobError;
using Words = std::vector<std::string>;

constexpr const char* help =
    "Coarray programs of GNU Fortran (gfortran 11 to 15).\n"
    "\n"
    "  halocline caf build heat.f90 -o heat    compile and link; takes all options of gfortran\n"
    "  halocline caf run -n 4 ./heat           run with 4 images on this machine\n"
    "  halocline caf flags                     options for a Makefile: all, or those of\n"
    "                                          --compile, --link; --prefix: the folder for\n"
    "                                          CMAKE_PREFIX_PATH, and lib/pkgconfig in it for\n"
    "                                          PKG_CONFIG_PATH\n"
    "\n"
    "Options of run, before the program:\n"
    "  -n, --images N     images; as many as processors if not given\n"
    "  --memory SIZE      memory that an image may use for coarrays, and as much again for\n"
    "                     components, as 8G or 500M; if not given, what environment variable\n"
    "                     HALOCLINE_MEMORY says, or the machine's memory. What is not used is\n"
    "                     not taken.\n";

int images_of(const std::string& text) {
    constexpr int most_images = 4096;
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 1 || number > most_images) {
        throw JobError("-n is '" + text + "': a number of images from 1 to " +
                       std::to_string(most_images) + " is wanted.");
    }
    return number;
}

/// Takes an option with its value, as '-n 4', '-n4' or '--images=4', off the words.
std::optional<std::string> take(std::span<const std::string>& words, std::string_view name) {
    const std::string& word = words.front();
    if (!word.starts_with(name)) return std::nullopt;
    std::string value = word.substr(name.size());
    const bool is_long = name.starts_with("--");
    if (!value.empty() && is_long && value[0] != '=') return std::nullopt;
    if (!value.empty() && value[0] == '=') value.erase(0, 1);
    words = words.subspan(1);
    if (!value.empty()) return value;
    if (words.empty()) throw JobError(std::string(name) + " needs a value.");
    value = words.front();
    words = words.subspan(1);
    return value;
}

int processors() {
    const cpu_set_t usable = pgas::usable_processors();
    return CPU_COUNT(&usable);
}

Run run_of(std::span<const std::string> words) {
    Run run{processors(), 0, {}};
    while (!words.empty() && words.front().starts_with('-')) {
        if (words.front() == "--") {
            words = words.subspan(1);
            break;
        }
        if (auto images = take(words, "--images")) {
            run.images = images_of(*images);
        } else if (auto memory = take(words, "--memory")) {
            run.heap_bytes = pgas::bytes_of("--memory", *memory);
        } else if (auto number = take(words, "-n")) {
            run.images = images_of(*number);
        } else {
            throw JobError("'run' has no option '" + words.front() +
                           "': 'halocline caf --help' shows those that it has.");
        }
    }
    if (words.empty()) throw JobError("A program is wanted: halocline caf run -n 4 ./heat");
    if (run.heap_bytes == 0) run.heap_bytes = pgas::reserved_bytes(pgas::machine_bytes());
    run.command.assign(words.begin(), words.end());
    return run;
}

void print_flags(std::span<const std::string> words) {
    const std::string which = words.empty() ? "" : words.front();
    Words flags;
    if (which == "--prefix") {
        flags = {prefix()};
    } else if (which == "--compile") {
        flags = compile_flags();
    } else if (which == "--link") {
        flags = link_flags();
    } else if (which.empty()) {
        flags = compile_flags();
        for (const std::string& flag : link_flags()) flags.push_back(flag);
    }
    if (flags.empty() || words.size() > 1) {
        throw JobError("'flags' takes --compile, --link, --prefix or nothing.");
    }
    for (std::size_t i = 0; i < flags.size(); ++i) {
        std::printf("%s%s", i == 0 ? "" : " ", flags[i].c_str());
    }
    std::printf("\n");
}

int execute(const Words& words) {
    const std::string command = words.empty() ? "--help" : words.front();
    const auto rest = std::span(words).subspan(words.empty() ? 0 : 1);
    if (command == "run") return run(run_of(rest));
    if (command == "build") build({rest.begin(), rest.end()});
    if (command == "flags") {
        print_flags(rest);
        return EXIT_SUCCESS;
    }
    if (command == "--help" || command == "-h") {
        std::printf("%s", help);
        return EXIT_SUCCESS;
    }
    throw JobError("There is no command '" + command + "': build, run and flags are.");
}

}  // namespace
}  // namespace halocline::launcher

int main(int argc, char** argv) {
    constexpr int wrong_use = 2;
    try {
        return halocline::launcher::execute({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        static_cast<void>(std::fprintf(stderr, "halocline caf: %s\n", error.what()));
        return wrong_use;
    }
}
