// Values of coarrays: read, written, and moved between two other images.

#include <cstring>
#include <deque>
#include <vector>

#include "caf/api14.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"
#include "pgas/transfer.hpp"

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
            axis = {step == 0 ? 0 : steps(lower, upper, step), step * stride, nullptr};
            continue;
        }
        const auto& offsets = result.offsets.emplace_back(offsets_of(
            chosen.vector.values, chosen.vector.kind, chosen.count, dimension.lower, stride));
        axis = {static_cast<std::int64_t>(offsets.size()), 0, offsets.data()};
    }
    return result;
}

/// A coarray as a member of the current team has it.
struct Remote {
    std::byte* first;
    std::size_t bytes;
    int image;
    bool is_mine;  ///< then a temporary of this image may stand for it, at any distance

    Remote(void* token, int member)
        : first(images().at(member, token_of(token).memory)),
          bytes(token_of(token).bytes),
          image(images().team().member(member).image),
          is_mine(member == images().team().me()) {}

    [[nodiscard]] bool is_near() const { return images().job().is_near(image); }

    /// A value that lies so many bytes behind the first.
    [[nodiscard]] std::byte* value(std::size_t offset, std::size_t size) const {
        if (!is_mine && (offset > bytes || offset + size > bytes)) refuse();
        return first + offset;
    }
    /// Elements of an array, whose first lies so many bytes behind the coarray's first.
    [[nodiscard]] pgas::Elements elements(const Selected& local, const Descriptor& array,
                                          std::size_t offset) const {
        pgas::Elements result{image, local.section};
        result.section.first = first + offset + (local.section.first - array.base);
        if (is_mine) return result;
        const auto [begin, end] = result.section.extent();
        if (begin < first || end > first + bytes) refuse();
        return result;
    }

private:
    [[noreturn]] static void refuse() {
        error(
            "Something outside a coarray was to be accessed. gfortran 12 compiles two things "
            "wrongly: a complex scalar (make it an array of one element, or allocatable), and a "
            "vector subscript in an expression (assign the elements to a variable first).");
    }
};

/// Whether a value goes to a value of the same type and kind: then that is all there is to do.
bool are_scalars(const Descriptor& one, const Descriptor& other, int kind, int other_kind) {
    return one.type.rank == 0 && other.type.rank == 0 && kind == other_kind &&
           one.type.type == other.type.type && one.type.element_bytes == other.type.element_bytes;
}

/// Elements of a variable of this image.
pgas::Elements here(const pgas::Section& section) {
    return {images().job().me(), section};
}

}  // namespace

void _gfortran_caf_get(void* token, std::size_t offset, int image, Descriptor* source,
                       Subscripts* source_subscripts, Descriptor* target, int source_kind,
                       int target_kind, bool /*may_overlap*/, int* stat) {
    const int member = index_of(image);
    if (!can_access(member, images().team(), stat)) return;
    const Remote remote(token, member);
    const std::size_t bytes = target->type.element_bytes;
    if (source_subscripts == nullptr && remote.is_near() &&
        are_scalars(*source, *target, source_kind, target_kind)) {
        std::memmove(target->base, remote.value(offset, bytes), bytes);
        return;
    }
    const pgas::Section to = target->section(target_kind);
    if (to.count() == 0) return;  // then a vector without elements looks like a triplet
    const Selected from = select(*source, source_subscripts, source_kind);
    transfer(images().job(), here(to), remote.elements(from, *source, offset));
}

void _gfortran_caf_send(void* token, std::size_t offset, int image, Descriptor* target,
                        Subscripts* target_subscripts, Descriptor* source, int target_kind,
                        int source_kind, bool /*may_overlap*/, int* stat, void* /*team*/) {
    const int member = index_of(image);
    if (!can_access(member, images().team(), stat)) return;
    const Remote remote(token, member);
    const std::size_t bytes = source->type.element_bytes;
    if (target_subscripts == nullptr && remote.is_near() &&
        are_scalars(*target, *source, target_kind, source_kind)) {
        std::memmove(remote.value(offset, bytes), source->base, bytes);
        return;
    }
    const pgas::Section from = source->section(source_kind);
    if (from.count() == 0) return;
    const Selected to = select(*target, target_subscripts, target_kind);
    if (to.section.count() == 0) return;
    transfer(images().job(), remote.elements(to, *target, offset), here(from));
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
    const Selected to = select(*target, target_subscripts, target_kind);
    const Selected from = select(*source, source_subscripts, source_kind);
    if (to.section.count() == 0 || from.section.count() == 0) return;
    transfer(images().job(), Remote(target_token, to_member).elements(to, *target, target_offset),
             Remote(source_token, from_member).elements(from, *source, source_offset));
}
