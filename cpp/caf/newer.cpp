// What only gfortran 15 calls.

#include "caf/api.hpp"
#include "caf/report.hpp"

using namespace halocline::caf;

namespace {

[[noreturn]] void refuse() {
    error(
        "This program was compiled by gfortran 15, and linked with the library for gfortran 11 to "
        "14: link it with -lhalocline_caf15, as 'halocline caf build' does.");
}

}  // namespace

// A program that accesses other images calls this before anything else.
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_register_accessor();
void _gfortran_caf_register_accessor() {
    refuse();
}

// These are there so that such a program can be linked, and says what is wrong.
HALOCLINE_CAF [[noreturn]] void _gfortran_caf_register_accessors_finish();
void _gfortran_caf_register_accessors_finish() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_get_remote_function_index();
void _gfortran_caf_get_remote_function_index() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_get_from_remote();
void _gfortran_caf_get_from_remote() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_send_to_remote();
void _gfortran_caf_send_to_remote() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_transfer_between_remotes();
void _gfortran_caf_transfer_between_remotes() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_is_present_on_remote();
void _gfortran_caf_is_present_on_remote() {
    refuse();
}
