#include "launcher/children.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace halocline::launcher {
namespace {

using pgas::JobError;
using pgas::State;

constexpr int killed_code = 128;

/// Moves this process to the processor that is an image's turn. Else two images may begin on one,
/// and the system may leave them there as long as each of them waits for the other.
void move_to_processor(int image, const cpu_set_t& usable) {
    int turns = image % CPU_COUNT(&usable);
    int processor = 0;
    while (!CPU_ISSET(processor, &usable) || turns-- > 0) ++processor;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    static_cast<void>(sched_setaffinity(0, sizeof one, &one));
}

/// The rest of a child's life until it is the program; reports why it is not.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& place,
                         bool has_input, int report) {
    // Images must not outlive the launcher, whatever ends it.
    static_cast<void>(prctl(PR_SET_PDEATHSIG, SIGKILL));
    static_cast<void>(setenv(pgas::place_variable, place.c_str(), 1));
    if (!has_input) {
        const int nothing = open("/dev/null", O_RDONLY);
        static_cast<void>(dup2(nothing, STDIN_FILENO));
    }
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    static_cast<void>(execvp(arguments[0], arguments.data()));
    const int error = errno;
    static_cast<void>(write(report, &error, sizeof error));
    _exit(killed_code - 1);
}

}  // namespace

Children::Children(const pgas::Block& block, const std::vector<std::string>& command)
    : block_(block),
      processes_(static_cast<std::size_t>(block.layout().images)),
      codes_(processes_.size(), EXIT_SUCCESS) {
    for (int image = 0; image < static_cast<int>(processes_.size()); ++image) {
        start(image, command);
    }
}

void Children::start(int image, const std::vector<std::string>& command) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) throw JobError("No pipe could be made.");
    const std::string place = std::to_string(block_.descriptor()) + ":" + std::to_string(image);
    const pid_t process = fork();
    if (process == 0) {
        move_to_processor(image, block_.control().processors);
        become(command, place, image == 0, report[1]);
    }
    static_cast<void>(close(report[1]));
    int error = errno;
    const bool is_refused = process < 0 || read(report[0], &error, sizeof error) > 0;
    static_cast<void>(close(report[0]));
    if (is_refused) {
        kill_all(SIGKILL);
        throw JobError("'" + command[0] + "' cannot be started: " + std::strerror(error) + ".");
    }
    processes_[static_cast<std::size_t>(image)] = process;
}

bool Children::wait_for_one() {
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    if (process < 0) return errno == EINTR;
    const auto found = std::ranges::find(processes_, process);
    if (found != processes_.end()) {
        *found = 0;
        ended(static_cast<int>(found - processes_.begin()), status);
    }
    return true;
}

void Children::ended(int image, int status) {
    pgas::Control& control = block_.control();
    std::atomic<State>& state = block_.image_record(image).state;
    const bool is_killed = WIFSIGNALED(status);
    const int code = is_killed ? killed_code + WTERMSIG(status) : WEXITSTATUS(status);
    const State before = state;
    has_joined_ = has_joined_ || before != State::absent;
    if (before == State::running || before == State::absent) {
        // Others that wait for it must not wait in vain.
        const bool has_stopped = !is_killed && code == 0;
        state = has_stopped ? State::stopped : State::failed;
        control.changes.add(1);
    }
    if (control.is_ending != 0) return;
    if (is_killed) {
        say(image, std::string("was killed by signal ") + std::to_string(WTERMSIG(status)) + " (" +
                       strsignal(WTERMSIG(status)) + ").");
    } else if (code != 0 && (before == State::running || before == State::absent)) {
        // Error termination that no statement has initiated, as libgfortran's own.
        control.exit_code = code;
        control.is_ending = 1;
        control.changes.add(1);
    }
    codes_[static_cast<std::size_t>(image)] = code;
}

void Children::say(int image, const std::string& what) const {
    static_cast<void>(std::fprintf(stderr, "Image %d %s\n", image + 1, what.c_str()));
}

void Children::kill_all(int signal) const {
    for (const pid_t process : processes_) {
        if (process > 0) static_cast<void>(kill(process, signal));
    }
}

int Children::exit_code() const {
    if (block_.control().is_ending != 0) return block_.control().exit_code;
    const auto first = std::ranges::find_if(codes_, [](int code) { return code != 0; });
    const int code = first == codes_.end() ? EXIT_SUCCESS : *first;
    if (!has_joined_ && code == EXIT_SUCCESS) {
        throw JobError(
            "The program has no part in this job: each of its " +
            std::to_string(processes_.size()) +
            " processes was alone. Build it with 'halocline caf build', or with "
            "'-fcoarray=lib' and what 'halocline caf flags' prints; with '-fcoarray=single' a "
            "program has one image.");
    }
    return code;
}

}  // namespace halocline::launcher
