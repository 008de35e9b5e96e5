// Values of coarrays: read, written, and moved between two other images.

#include <cstring>
#include <deque>
#include <vector>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

/// A section with the memory that its vector subscripts need.
struct Selected {
    pgas::Section section;
    std::deque<std::vector<std::int64_t>> offsets;
};

/// The elements of an array with these bounds that subscripts select.
Selected select(const Descriptor& array, const Subscripts* subscripts, int kind) {
    Selected result{array.section(kind), {}};
    if (subscripts == nullptr) return result;
    for (int d = 0; d < array.type.rank; ++d) {
        const Subscripts& chosen = subscripts[d];
        const Dimension& dimension = array.dimensions[d];
        const std::int64_t stride = dimension.stride * array.step();
        pgas::Axis& axis = result.section.axes[static_cast<std::size_t>(d)];
        if (chosen.count == 0) {
            const auto& [lower, upper, step] = chosen.triplet;
            result.section.first += (lower - dimension.lower) * stride;
            // Such is a vector without elements, too, of which only the lower bound is set.
            const std::ptrdiff_t count = step == 0 ? 0 : (upper - lower + step) / step;
            axis = {count < 0 ? 0 : count, step * stride, nullptr};
            continue;
        }
        auto& offsets = result.offsets.emplace_back();
        for (std::size_t i = 0; i < chosen.count; ++i) {
            const auto value = subscript(chosen.vector.values, chosen.vector.kind, i);
            offsets.push_back((value - dimension.lower) * stride);
        }
        axis = {static_cast<std::int64_t>(offsets.size()), 0, offsets.data()};
    }
    return result;
}

/// Where elements of a coarray begin in the memory of a member of the current team.
std::byte* remote(void* token, std::size_t offset, int member) {
    const Token& coarray = token_of(token);
    if (offset > coarray.bytes) {
        error(
            "Something outside a coarray was to be accessed. gfortran 12 compiles two things "
            "wrongly: a complex scalar (make it an array of one element, or allocatable), and a "
            "vector subscript in an expression (assign the elements to a variable first).");
    }
    return images().at(member, coarray.memory + offset);
}

/// Whether a value goes to a value of the same type and kind: then that is all there is to do.
bool are_scalars(const Descriptor& one, const Descriptor& other, int kind, int other_kind) {
    return one.type.rank == 0 && other.type.rank == 0 && kind == other_kind &&
           one.type.type == other.type.type && one.type.element_bytes == other.type.element_bytes;
}

}  // namespace

void _gfortran_caf_get(void* token, std::size_t offset, int image, Descriptor* source,
                       Subscripts* source_subscripts, Descriptor* target, int source_kind,
                       int target_kind, bool /*may_overlap*/, int* stat) {
    const int member = index_of(image);
    if (!can_access(member, images().team(), stat)) return;
    const bool is_scalar =
        source_subscripts == nullptr && are_scalars(*source, *target, source_kind, target_kind);
    if (is_scalar) {
        std::memmove(target->base, remote(token, offset, member), target->type.element_bytes);
        return;
    }
    const pgas::Section to = target->section(target_kind);
    if (to.count() == 0) return;  // then a vector without elements looks like a triplet
    const std::byte* first = remote(token, offset, member);
    Selected from = select(*source, source_subscripts, source_kind);
    from.section.first += first - source->base;
    assign(to, from.section);
}

void _gfortran_caf_send(void* token, std::size_t offset, int image, Descriptor* target,
                        Subscripts* target_subscripts, Descriptor* source, int target_kind,
                        int source_kind, bool /*may_overlap*/, int* stat, void* /*team*/) {
    const int member = index_of(image);
    if (!can_access(member, images().team(), stat)) return;
    const bool is_scalar =
        target_subscripts == nullptr && are_scalars(*target, *source, target_kind, source_kind);
    if (is_scalar) {
        std::memmove(remote(token, offset, member), source->base, source->type.element_bytes);
        return;
    }
    const pgas::Section from = source->section(source_kind);
    if (from.count() == 0) return;
    const std::byte* first = remote(token, offset, member);
    Selected to = select(*target, target_subscripts, target_kind);
    to.section.first += first - target->base;
    assign(to.section, from);
}

void _gfortran_caf_sendget(void* target_token, std::size_t target_offset, int target_image,
                           Descriptor* target, Subscripts* target_subscripts, void* source_token,
                           std::size_t source_offset, int source_image, Descriptor* source,
                           Subscripts* source_subscripts, int target_kind, int source_kind,
                           bool /*may_overlap*/, int* stat) {
    const int to_member = index_of(target_image);
    const int from_member = index_of(source_image);
    if (!can_access(to_member, images().team(), stat)) return;
    if (!can_access(from_member, images().team(), stat)) return;
    Selected to = select(*target, target_subscripts, target_kind);
    Selected from = select(*source, source_subscripts, source_kind);
    if (to.section.count() == 0) return;
    to.section.first += remote(target_token, target_offset, to_member) - target->base;
    from.section.first += remote(source_token, source_offset, from_member) - source->base;
    assign(to.section, from.section);
}
