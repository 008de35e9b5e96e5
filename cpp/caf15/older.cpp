// What only gfortran 11 to 14 calls. It is there so that such a program can be linked, and says
// what is wrong.

#include "caf/api.hpp"
#include "caf/report.hpp"

using namespace halocline::caf;

namespace {

[[noreturn]] void refuse() {
    error(
        "This program was compiled by gfortran 11 to 14, and linked with the library for gfortran "
        "15: link it with -lhalocline_caf, as 'halocline caf build' does.");
}

}  // namespace

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_get();
void _gfortran_caf_get() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_send();
void _gfortran_caf_send() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_sendget();
void _gfortran_caf_sendget() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_get_by_ref();
void _gfortran_caf_get_by_ref() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_send_by_ref();
void _gfortran_caf_send_by_ref() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_sendget_by_ref();
void _gfortran_caf_sendget_by_ref() {
    refuse();
}

HALOCLINE_CAF [[noreturn]] void _gfortran_caf_is_present();
void _gfortran_caf_is_present() {
    refuse();
}
