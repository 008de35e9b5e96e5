#include "launcher/hosts.hpp"

#include <netdb.h>
#include <unistd.h>
#include <wordexp.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>

#include "launcher/program_file.hpp"
#include "pgas/diagnosis.hpp"
#include "pgas/memory_size.hpp"
#include "pgas/whole_number.hpp"

namespace halocline::launcher {
namespace {

using pgas::JobError;

constexpr const char* launcher_variable = "HALOCLINE_MPIEXEC";

[[noreturn]] void refuse(const std::string& list) {
    throw JobError("--hosts is '" + list + "': expected hosts as node1:2,node2:2.");
}

/// Throws JobError if this machine finds no address: launchers would try to reach it for long.
void require_address(const std::string& host) {
    addrinfo* addresses = nullptr;
    const int error = getaddrinfo(host.c_str(), nullptr, nullptr, &addresses);
    if (error != 0) {
        throw JobError("--hosts names '" + host + "', which has no address (" +
                       gai_strerror(error) + "): expected hosts as node1:2,node2:2.");
    }
    freeaddrinfo(addresses);
}

/// The command that starts ranks, as a shell would read it.
std::vector<std::string> launcher_words() {
    const char* named = std::getenv(launcher_variable);
    const std::string text = named == nullptr ? "" : named;
    wordexp_t words{};
    if (wordexp(text.c_str(), &words, WRDE_NOCMD) != 0) {
        throw JobError(
            std::string(launcher_variable) + " is '" + text +
            "', which is no command: write the launcher and its options, as in a shell.");
    }
    std::vector<std::string> found(words.we_wordv, words.we_wordv + words.we_wordc);
    wordfree(&words);
    if (found.empty()) found = {"mpiexec"};
    return found;
}

/// Variables that concern all images, as a command that sets them: not every launcher passes them
/// on to other nodes.
std::vector<std::string> with_variables() {
    std::vector<std::string> words{"env"};
    for (const char* variable : {pgas::memory_variable, pgas::diagnosis_variable}) {
        const char* value = std::getenv(variable);
        if (value != nullptr) words.push_back(std::string(variable) + "=" + value);
    }
    return words.size() > 1 ? words : std::vector<std::string>{};
}

/// The nodes as they stand in a list; those without a number have 0 images.
std::vector<Host> named_hosts(const std::string& list) {
    constexpr int most_images = 4096;
    std::vector<Host> hosts;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        const auto colon = word.find(':');
        const std::string name = word.substr(0, colon);
        if (name.empty()) refuse(list);
        for (const Host& other : hosts) {
            if (other.name == name) {
                throw JobError("--hosts is '" + list + "', which names '" + name +
                               "' twice: write how many images it takes, as " + name + ":2.");
            }
        }
        int images = 0;
        if (colon != std::string::npos) {
            images =
                pgas::whole_number("The number of images on '" + name + "'", word.substr(colon + 1),
                                   {"a number of images", 1, most_images});
        }
        require_address(name);
        hosts.push_back({name, images});
    }
    if (hosts.empty()) refuse(list);
    return hosts;
}

/// How many images all of them take.
int images_on(const std::vector<Host>& hosts) {
    return std::accumulate(hosts.begin(), hosts.end(), 0,
                           [](int sum, const Host& host) { return sum + host.images; });
}

/// The nodes as launchers read them.
std::string list_of(const std::vector<Host>& hosts) {
    std::string list;
    for (const Host& host : hosts) {
        list += (list.empty() ? "" : ",") + host.name + ":" + std::to_string(host.images);
    }
    return list;
}

}  // namespace

std::vector<Host> hosts_of(const std::string& list, std::optional<int> images) {
    std::vector<Host> hosts = named_hosts(list);
    auto left = static_cast<int>(
        std::count_if(hosts.begin(), hosts.end(), [](const Host& h) { return h.images == 0; }));
    int shared = std::max(images.value_or(0) - images_on(hosts), left);
    for (Host& host : hosts) {
        if (host.images > 0) continue;
        // The first ones take what does not divide.
        host.images = (shared + left - 1) / left;
        shared -= host.images;
        --left;
    }
    const int places = images_on(hosts);
    if (images && *images > places) {
        throw JobError("--hosts '" + list + "' takes " + std::to_string(places) + " images, but " +
                       std::to_string(*images) +
                       " were asked for: name more hosts, or more images of one as node1:4.");
    }
    return hosts;
}

void run_on_hosts(const std::vector<Host>& hosts, std::optional<int> images,
                  const std::vector<std::string>& command) {
    // Programs that call MPI may have several images here.
    require_our_images(command[0], 1);
    std::vector<std::string> words = launcher_words();
    const std::string launcher = words.front();
    // Both MPICH and Open MPI have these options.
    const int count = images.value_or(images_on(hosts));
    words.insert(words.end(), {"-host", list_of(hosts), "-n", std::to_string(count)});
    for (const std::string& word : with_variables()) words.push_back(word);
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    static_cast<void>(execvp(arguments[0], arguments.data()));
    throw JobError("The launcher '" + launcher + "' cannot be started: " + std::strerror(errno) +
                   ". Name that of the MPI that Halocline was built with in " + launcher_variable +
                   ".");
}

}  // namespace halocline::launcher
