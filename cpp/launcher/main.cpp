// halocline-caf: builds and runs coarray programs.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "launcher/build.hpp"
#include "launcher/hosts.hpp"
#include "launcher/run.hpp"
#include "pgas/block.hpp"
#include "pgas/diagnosis.hpp"
#include "pgas/memory_size.hpp"
#include "pgas/whole_number.hpp"

namespace halocline::launcher {
namespace {

using pgas::JobError;
using Words = std::vector<std::string>;

constexpr const char* help =
    "Build and run coarray programs of GNU Fortran (gfortran 11 to 15).\n"
    "\n"
    "  halocline caf build heat.f90 -o heat    compile and link; takes all options of gfortran\n"
    "  halocline caf run -n 4 ./heat           run with 4 images on this machine\n"
    "  halocline caf run --hosts node1:2,node2:2 ./heat\n"
    "                                          run on two nodes, which MPI connects\n"
    "  halocline caf flags                     options for a Makefile: all, or those of\n"
    "                                          --compile, --link; --prefix: the folder for\n"
    "                                          CMAKE_PREFIX_PATH, and lib/pkgconfig in it for\n"
    "                                          PKG_CONFIG_PATH\n"
    "  halocline caf names ~/bin               links 'caf', which builds, and 'cafrun', which\n"
    "                                          runs, in a folder\n"
    "\n"
    "Options of run, before the program:\n"
    "  -n, -np, --images N\n"
    "                     images; as many as processors, or as --hosts take, if not given\n"
    "  --hosts NODES      nodes, with how many images each takes; those without a number share\n"
    "                     the other images; started by the mpiexec that environment variable\n"
    "                     HALOCLINE_MPIEXEC names\n"
    "  --memory SIZE      memory that an image may use for coarrays, and as much again for\n"
    "                     components, as 8G or 500M; if not given, what environment variable\n"
    "                     HALOCLINE_MEMORY says, or the machine's memory. What is not used is\n"
    "                     not taken.\n"
    "  --diagnose SECONDS an image that waits longer reports for whom, and in which line (if the\n"
    "                     program is built with -g); or environment variable HALOCLINE_DIAGNOSE\n";

// The names of OpenCoarrays.
constexpr const char* build_name = "caf";
constexpr const char* run_name = "cafrun";

int images_of(const std::string& text) {
    constexpr int most_images = 4096;
    return pgas::whole_number("-n", text, {"a number of images", 1, most_images});
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

/// Passes on an option by the environment variable that stands for it.
void set(const char* variable, const std::string& value) {
    static_cast<void>(setenv(variable, value.c_str(), 1));
}

int run_program(std::span<const std::string> words) {
    std::optional<int> images;
    std::optional<std::string> hosts;
    while (!words.empty() && words.front().starts_with('-')) {
        if (words.front() == "--") {
            words = words.subspan(1);
            break;
        }
        if (auto many = take(words, "--images")) {
            images = images_of(*many);
        } else if (auto list = take(words, "--hosts")) {
            hosts = list;
        } else if (auto memory = take(words, "--memory")) {
            static_cast<void>(pgas::bytes_of("--memory", *memory));
            set(pgas::memory_variable, *memory);
        } else if (auto seconds = take(words, "--diagnose")) {
            static_cast<void>(pgas::seconds_of("--diagnose", seconds->c_str()));
            set(pgas::diagnosis_variable, *seconds);
        } else if (auto processes = take(words, "-np")) {
            images = images_of(*processes);
        } else if (auto number = take(words, "-n")) {
            images = images_of(*number);
        } else {
            throw JobError("'run' has no option '" + words.front() +
                           "': 'halocline caf --help' shows those that it has.");
        }
    }
    if (words.empty()) throw JobError("'run' needs a program: halocline caf run -n 4 ./heat");
    const Words command(words.begin(), words.end());
    if (hosts) run_on_hosts(hosts_of(*hosts, images), images, command);
    return run(
        {images.value_or(processors()), pgas::reserved_bytes(pgas::machine_bytes()), command});
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

bool asks_for_help(const std::string& word) {
    return word == "--help" || word == "-h";
}

/// Lets a folder have this program under the names that scripts for OpenCoarrays use.
void link_names(std::span<const std::string> words) {
    if (words.size() != 1) throw JobError("'names' takes a folder: halocline caf names ~/bin");
    const std::filesystem::path folder = words.front();
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    for (const char* name : {build_name, run_name}) {
        std::error_code error;
        std::filesystem::create_symlink(program, folder / name, error);
        if (error) {
            throw JobError("'" + (folder / name).string() + "' cannot be made: " + error.message() +
                           ".");
        }
    }
}

int execute(const Words& words) {
    const std::string command = words.empty() ? "--help" : words.front();
    const auto rest = std::span(words).subspan(words.empty() ? 0 : 1);
    const bool is_help = !rest.empty() && asks_for_help(rest.front()) && command != "build";
    if (asks_for_help(command) || is_help) {
        std::printf("%s", help);
        return EXIT_SUCCESS;
    }
    if (command == "run") return run_program(rest);
    if (command == "build") return build({rest.begin(), rest.end()});
    if (command == "flags") {
        print_flags(rest);
    } else if (command == "names") {
        link_names(rest);
    } else {
        throw JobError("There is no command '" + command + "': build, run, flags and names are.");
    }
    return EXIT_SUCCESS;
}

/// The words of the command, which a name of this program may stand for.
Words command_of(int argc, char** argv) {
    Words words(argv + 1, argv + argc);
    const std::string name = std::filesystem::path(argv[0]).filename();
    if (name == build_name) words.insert(words.begin(), "build");
    if (name == run_name) words.insert(words.begin(), "run");
    return words;
}

}  // namespace
}  // namespace halocline::launcher

int main(int argc, char** argv) {
    constexpr int wrong_use = 2;
    try {
        return halocline::launcher::execute(halocline::launcher::command_of(argc, argv));
    } catch (const std::exception& error) {
        static_cast<void>(std::fprintf(stderr, "halocline caf: %s\n", error.what()));
        return wrong_use;
    }
}
