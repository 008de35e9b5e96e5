// Failed and stopped images.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "caf/api.hpp"
#include "caf/report.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

using pgas::State;

const pgas::Team& team_of(void** team) {
    // Where no team was given gfortran 12 passes an integer of four bytes to IMAGE_STATUS.
    const bool is_missing = static_cast<int>(reinterpret_cast<std::intptr_t>(team)) == -1;
    if (team == nullptr || is_missing || *team == nullptr) return images().team();
    return *static_cast<const pgas::Team*>(*team);
}

State state_of(const pgas::Team& team, int member) {
    return images().job().state(team.member(member).image);
}

/// Allocates the result of an array function: the images of a team in a state.
void list(Descriptor& result, const pgas::Team& team, State state, const int* kind) {
    std::vector<std::int64_t> found;
    for (int i = 0; i < team.size(); ++i) {
        if (state_of(team, i) == state) found.push_back(i + 1);
    }
    const std::size_t bytes = kind == nullptr ? sizeof(int) : static_cast<std::size_t>(*kind);
    const std::size_t all = found.size() * bytes;
    auto* memory = static_cast<std::byte*>(std::malloc(all == 0 ? 1 : all));
    if (memory == nullptr) error("Not enough memory for a list of images.");
    // The lowest bytes of a small positive number come first on the processors we know.
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::memset(memory + i * bytes, 0, bytes);
        std::memcpy(memory + i * bytes, &found[i], std::min(bytes, sizeof found[i]));
    }
    result.base = memory;
    // As gfortran wants results of array functions.
    result.offset = 0;
    result.type = {bytes, 0, 1, integer_type, 0};
    result.span = static_cast<std::ptrdiff_t>(bytes);
    result.dimensions[0] = {1, 0, static_cast<std::ptrdiff_t>(found.size()) - 1};
}

}  // namespace

void _gfortran_caf_fail_image() {
    images().job().fail();
}

void _gfortran_caf_failed_images(Descriptor* array, void** team, int* kind) {
    list(*array, team_of(team), State::failed, kind);
}

void _gfortran_caf_stopped_images(Descriptor* array, void** team, int* kind) {
    list(*array, team_of(team), State::stopped, kind);
}

int _gfortran_caf_image_status(int image, void** team) {
    const pgas::Team& wanted = team_of(team);
    // An image that does not exist does not run; gfortran's own tests want to hear so.
    if (image > wanted.size()) return stat_stopped_image;
    switch (state_of(wanted, index_of(image, wanted))) {
        case State::failed:
            return stat_failed_image;
        case State::stopped:
            return stat_stopped_image;
        default:
            return 0;
    }
}
