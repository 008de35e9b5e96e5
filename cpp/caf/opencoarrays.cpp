// The procedures of the module in opencoarrays.f90, with the names that gfortran gives them.

#include <cstddef>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "caf/synchronise.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

/// The team of a variable; the current one if there is none.
pgas::Team& team_in(void** variable) {
    if (variable == nullptr) return images().team();
    if (*variable == nullptr) error("A team variable was never formed.");
    return *static_cast<pgas::Team*>(*variable);
}

int communicator_of(pgas::Team& team) {
    int number = 0;
    Answer{}.outcome(team.communicator(number), "GET_COMMUNICATOR");
    return number;
}

}  // namespace

HALOCLINE_CAF int halocline_caf_team_number_(void*** team) {
    return static_cast<int>(team_in(*team).number());
}

HALOCLINE_CAF int halocline_caf_communicator_(void** team) {
    return communicator_of(team_in(team));
}

HALOCLINE_CAF int halocline_caf_communicator_at_(void*** team) {
    return communicator_of(team_in(*team));
}

HALOCLINE_CAF void halocline_caf_sync_all_(int* stat, char* message, std::size_t length) {
    sync_all({stat, message, length});
}

HALOCLINE_CAF [[noreturn]] void halocline_caf_error_stop_(const int* code) {
    if (code == nullptr) _gfortran_caf_error_stop_str(nullptr, 0, false);
    _gfortran_caf_error_stop(*code, false);
}
