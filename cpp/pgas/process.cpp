#include "pgas/process.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace halocline::pgas {
namespace {

/// What the system says of a process (proc(5), /proc/PID/stat).
struct Entry {
    char state;
    std::int64_t started;
};

std::optional<Entry> entry_of(std::int64_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    // A program's name may have anything in it, also parentheses and blanks.
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream rest(text.substr(name_end + 1));
    Entry entry{};
    constexpr int between = 18;
    rest >> entry.state;
    std::string word;
    for (int i = 0; i < between; ++i) rest >> word;
    rest >> entry.started;
    return rest ? std::optional(entry) : std::nullopt;
}

}  // namespace

Process Process::current() {
    const std::int64_t number = getpid();
    const auto entry = entry_of(number);
    return {number, entry ? entry->started : 0};
}

bool Process::is_gone() const {
    return kill(static_cast<pid_t>(number), 0) != 0 && errno == ESRCH;
}

bool Process::has_ended() const {
    if (is_gone()) return true;
    const auto entry = entry_of(number);
    if (!entry) return false;
    const bool is_zombie = entry->state == 'Z' || entry->state == 'X';
    return is_zombie || (started != 0 && entry->started != started);
}

}  // namespace halocline::pgas
