#include "caf/report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

// Of libgfortran: prints the lines in which the program is, if it was compiled with -g.
extern "C" __attribute__((weak)) void _gfortran_backtrace();

namespace halocline::caf {
namespace {

pgas::Images* joined = nullptr;

/// Called for an exception that nobody catches: the callers of entry points are in Fortran.
[[noreturn]] void end_with_exception() {
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::exception& problem) {
        error(problem.what());
    }
}

}  // namespace

void Answer::failure(int code, const std::string& text) const {
    if (stat == nullptr) error(text);
    *stat = code;
    if (message == nullptr) return;
    const std::size_t copied = std::min(length, text.size());
    std::memcpy(message, text.data(), copied);
    std::memset(message + copied, ' ', length - copied);
}

void Answer::outcome(pgas::Outcome outcome, const char* what) const {
    switch (outcome) {
        case pgas::Outcome::done:
            success();
            break;
        case pgas::Outcome::stopped:
            failure(stat_stopped_image, std::string(what) + ": another image has stopped.");
            break;
        case pgas::Outcome::failed:
            failure(stat_failed_image, std::string(what) + ": another image has failed.");
            break;
    }
}

Answer collective_answer(int* stat, char* message, std::size_t length) {
    const bool is_address =
        reinterpret_cast<std::uintptr_t>(message) >= static_cast<std::uintptr_t>(page_bytes);
    return {stat, is_address ? message : nullptr, length};
}

void error(const std::string& text) {
    static bool is_ending = false;
    if (is_ending) std::_Exit(EXIT_FAILURE);
    is_ending = true;
    if (joined == nullptr) {
        static_cast<void>(std::fprintf(stderr, "Halocline: %s\n", text.c_str()));
    } else {
        pgas::Job& job = joined->job();
        static_cast<void>(std::fprintf(stderr, "Image %d: %s\n", job.me() + 1, text.c_str()));
        job.end_all(EXIT_FAILURE);
    }
    std::exit(EXIT_FAILURE);
}

pgas::Images& images() {
    if (joined == nullptr) {
        std::set_terminate(end_with_exception);
        joined = &pgas::Images::get();
        joined->job().diagnosis().set_backtrace(_gfortran_backtrace);
    }
    return *joined;
}

pgas::Images* images_if_joined() {
    return joined;
}

int index_of(int image, const pgas::Team& team) {
    if (image >= 1 && image <= team.size()) return image - 1;
    error("Image " + std::to_string(image) + " was to be accessed, but there are images 1 to " +
          std::to_string(team.size()) + ".");
}

bool can_access(int index, const pgas::Team& team, int* stat) {
    const pgas::State state = images().job().state(team.member(index).image);
    if (state == pgas::State::failed) {
        Answer{stat}.failure(stat_failed_image,
                             "Image " + std::to_string(index + 1) + " has failed.");
        return false;
    }
    if (stat != nullptr) *stat = 0;
    return true;
}

}  // namespace halocline::caf
