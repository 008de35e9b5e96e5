// Teams, and who an image is in them.

#include "caf/api14.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

pgas::Team& team_of(void** team) {
    if (team == nullptr || *team == nullptr) error("A team variable was never formed.");
    return *static_cast<pgas::Team*>(*team);
}

}  // namespace

int _gfortran_caf_this_image(int /*distance*/) {
    return images().team().me() + 1;
}

int _gfortran_caf_num_images(int /*distance*/, int failed) {
    const pgas::Team& team = images().team();
    if (failed < 0) return team.size();
    int count = 0;
    for (int i = 0; i < team.size(); ++i) {
        const bool has_failed = images().job().state(team.member(i).image) == pgas::State::failed;
        count += has_failed == (failed != 0) ? 1 : 0;
    }
    return count;
}

void _gfortran_caf_form_team(int number, void** team, int /*unused*/) {
    pgas::Team* formed = nullptr;
    const pgas::Outcome outcome = images().form_team(number, formed);
    // Images that go on without those that have failed form a team for it.
    if (outcome == pgas::Outcome::stopped) Answer{}.outcome(outcome, "FORM TEAM");
    *team = formed;
}

void _gfortran_caf_change_team(void** team, int /*unused*/) {
    pgas::Team& wanted = team_of(team);
    if (wanted.parent() != &images().team()) {
        error("CHANGE TEAM: the team was not formed by the current team.");
    }
    Answer{}.outcome(images().change_team(wanted), "CHANGE TEAM");
}

void _gfortran_caf_end_team(void** /*team*/) {
    forget_coarrays_of_team();
    Answer{}.outcome(images().end_team(), "END TEAM");
}

void _gfortran_caf_sync_team(void** team, int /*unused*/) {
    Answer{}.outcome(team_of(team).barrier(), "SYNC TEAM");
}

int _gfortran_caf_team_number(void* team) {
    const pgas::Team& wanted =
        team == nullptr ? images().team() : *static_cast<const pgas::Team*>(team);
    return static_cast<int>(wanted.number());
}

void* _gfortran_caf_get_team(int level) {
    // GET_TEAM(INITIAL_TEAM), (PARENT_TEAM), (CURRENT_TEAM), as ISO_FORTRAN_ENV numbers them.
    constexpr int initial = 0;
    constexpr int parent = 1;
    pgas::Images& all = images();
    if (level == initial) return &all.initial_team();
    const pgas::Team* above = all.team().parent();
    if (level == parent && above != nullptr) return const_cast<pgas::Team*>(above);
    return &all.team();
}
