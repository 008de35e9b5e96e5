// Beginning and end of an image.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "caf/api.hpp"
#include "caf/report.hpp"

using namespace halocline;
using namespace halocline::caf;

// Of libgfortran: FLUSH of a unit, or of all.
extern "C" __attribute__((weak)) void _gfortran_flush_i4(int* unit);

namespace {

/// Prints what a STOP statement says, and gives what lies in buffers.
void say(std::string_view statement, std::string_view text) {
    static_cast<void>(std::fprintf(stderr, "%.*s %.*s\n", static_cast<int>(statement.size()),
                                   statement.data(), static_cast<int>(text.size()), text.data()));
}

/// Others may go on long after this image has stopped, and end it with an error: what it has
/// printed goes out before.
void stop_image() {
    if (_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
    images().job().stop();
}

[[noreturn]] void stop(int code) {
    stop_image();
    std::exit(code);
}

[[noreturn]] void end_all(int code) {
    images().job().end_all(code);
    std::exit(code);
}

/// What is left of an exit code in a process.
constexpr int exit_bits = 0xFF;

}  // namespace

// Static coarrays have been registered, and have their initial values, before the main program
// begins on any image.
void _gfortran_caf_init(int* /*argc*/, char*** /*argv*/) {
    static_cast<void>(images().team().barrier());
}

void _gfortran_caf_finalize() {
    stop_image();
}

void _gfortran_caf_stop_numeric(int code, bool quiet) {
    if (!quiet) say("STOP", std::to_string(code));
    stop(code & exit_bits);
}

void _gfortran_caf_stop_str(const char* text, std::size_t length, bool quiet) {
    if (!quiet && text != nullptr && length > 0) say("STOP", {text, length});
    stop(EXIT_SUCCESS);
}

void _gfortran_caf_error_stop(int code, bool quiet) {
    if (!quiet) say("ERROR STOP", std::to_string(code));
    // A code of which nothing is left would look like success.
    end_all((code & exit_bits) == 0 && code != 0 ? EXIT_FAILURE : code & exit_bits);
}

void _gfortran_caf_error_stop_str(const char* text, std::size_t length, bool quiet) {
    if (!quiet) say("ERROR STOP", text == nullptr ? "" : std::string_view(text, length));
    end_all(EXIT_FAILURE);
}
