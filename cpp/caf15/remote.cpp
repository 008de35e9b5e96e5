#include "caf15/remote.hpp"

#include <cstddef>
#include <string>

#include "caf/report.hpp"
#include "caf15/form_team.hpp"

namespace halocline::caf {
namespace {

const Token& allocated(void* token) {
    if (token != nullptr && token_of(token).memory != nullptr) return token_of(token);
    error("A coarray was to be accessed that is not allocated.");
}

/// Where this image's data begin: a descriptor may begin within the coarray, but is never believed
/// where it does not.
std::byte* first_of(const Token& token, const Descriptor* descriptor) {
    if (descriptor == nullptr) return token.memory;
    const std::ptrdiff_t offset = descriptor->base - token.memory;
    const bool is_inside = offset >= 0 && offset < static_cast<std::ptrdiff_t>(token.bytes);
    return is_inside ? descriptor->base : token.memory;
}

}  // namespace

Remote::Remote(void* token, const Descriptor* descriptor)
    : first_(first_of(allocated(token), descriptor)), has_descriptor_(descriptor != nullptr) {
    if (has_descriptor_) descriptor_ = copy_of(*descriptor);
}

bool Remote::find(const Selector& selector, int* stat) {
    // What only this image has is meant wherever an accessor asks for it: see Extra.
    if (images().job().owner_of(first_) < 0) {
        Answer{stat}.success();
        return true;
    }
    const pgas::Team& team = selected_team(selector.team, selector.team_number);
    const int member = index_of(selector.image, team);
    if (!can_access(member, team, stat)) return false;
    // Accessors run here, on that image's memory.
    if (!images().job().is_near(team.member(member).image)) {
        error("Image " + std::to_string(selector.image) +
              " is on another node: programs of gfortran 15 must have all images on one.");
    }
    first_ = images().at(team, member, first_);
    descriptor_.base = first_;
    return true;
}

bool Remote::is_near(const void* address) const {
    const pgas::Job& job = images().job();
    return job.owner_of(address) >= 0 && job.owner_of(address) == job.owner_of(first_);
}

}  // namespace halocline::caf
