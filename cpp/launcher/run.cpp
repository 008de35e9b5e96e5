#include "launcher/run.hpp"

#include <signal.h>
#include <unistd.h>

#include "launcher/children.hpp"
#include "launcher/program_file.hpp"
#include "pgas/block.hpp"

namespace halocline::launcher {
namespace {

// What a signal handler can see.
volatile sig_atomic_t received = 0;

void note(int signal) {
    received = signal;
}

/// Has signals interrupt waiting, instead of ending the launcher before its images.
void catch_signals() {
    struct sigaction action {};
    action.sa_handler = note;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) {
        static_cast<void>(sigaction(signal, &action, nullptr));
    }
}

/// Ends images that are not wanted any more: first those that heed it, then all.
class Ending {
public:
    explicit Ending(const Children& children) : children_(children) {}

    void begin() {
        if (has_begun_) return;
        has_begun_ = true;
        children_.kill_all(SIGTERM);
        constexpr unsigned grace_s = 2;
        static_cast<void>(alarm(grace_s));
    }
    void finish() const { children_.kill_all(SIGKILL); }

private:
    const Children& children_;
    bool has_begun_ = false;
};

}  // namespace

int run(const Run& wanted) {
    require_our_images(wanted.command[0], wanted.images);
    catch_signals();
    const pgas::Block block = pgas::Block::create(wanted.images, wanted.heap_bytes);
    Children children(block, wanted.command);
    Ending ending(children);
    int signal = 0;
    while (children.wait_for_one()) {
        if (received == SIGALRM) {
            ending.finish();
        } else if (received != 0 || block.control().is_ending != 0) {
            if (received != 0) signal = received;
            ending.begin();
        }
        received = 0;
    }
    constexpr int killed_code = 128;
    return signal != 0 ? killed_code + signal : children.exit_code();
}

}  // namespace halocline::launcher
