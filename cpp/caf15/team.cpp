// Teams, and who an image is in them, as gfortran 15 calls them.

#include "caf/token.hpp"
#include "caf15/api.hpp"
#include "caf15/form_team.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

pgas::Team& formed_team(void* handle) {
    if (handle == nullptr) error("A team variable was never formed.");
    return team_of(handle);
}

}  // namespace

int _gfortran_caf_this_image(void* team) {
    return team_of(team).me() + 1;
}

int _gfortran_caf_num_images(void* team, std::int32_t* team_number) {
    return team == nullptr ? selected_team(nullptr, team_number).size() : team_of(team).size();
}

void _gfortran_caf_form_team(int number, void** team, int* new_index, int* stat, char* message,
                             std::size_t length) {
    const auto wanted = new_index == nullptr ? std::nullopt : std::optional(*new_index);
    const Answer answer{stat, message, length};
    if (pgas::Team* mine = form_team(number, wanted, answer)) *team = mine;
}

void _gfortran_caf_change_team(void* team, int* stat, char* message, std::size_t length) {
    pgas::Team& wanted = formed_team(team);
    // An error even with STAT=: the END TEAM that follows would leave another team.
    if (wanted.parent() != &images().team()) {
        error("CHANGE TEAM: the team was not formed by the current team.");
    }
    Answer{stat, message, length}.outcome(images().change_team(wanted), "CHANGE TEAM");
}

void _gfortran_caf_end_team(int* stat, char* message, std::size_t length) {
    forget_coarrays_of_team();
    Answer{stat, message, length}.outcome(images().end_team(), "END TEAM");
}

void _gfortran_caf_sync_team(void* team, int* stat, char* message, std::size_t length) {
    Answer{stat, message, length}.outcome(formed_team(team).barrier(), "SYNC TEAM");
}

int _gfortran_caf_team_number(void* team) {
    return static_cast<int>(team_of(team).number());
}

void* _gfortran_caf_get_team(std::int32_t* level) {
    // INITIAL_TEAM, PARENT_TEAM, CURRENT_TEAM, as ISO_FORTRAN_ENV numbers them.
    enum Level { initial, parent, current };
    pgas::Images& all = images();
    if (level == nullptr || *level == current) return &all.team();
    if (*level == initial) return &all.initial_team();
    if (*level != parent) error("GET_TEAM: there is no level " + std::to_string(*level) + ".");
    const pgas::Team* above = all.team().parent();
    return above == nullptr ? &all.team() : const_cast<pgas::Team*>(above);
}
