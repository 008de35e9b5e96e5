#include "pgas/transfer.hpp"

#include <memory>

#include "pgas/private_memory.hpp"

namespace halocline::pgas {
namespace {

/// A section that has been read, or is to be written: its elements without gaps.
class Buffer {
public:
    explicit Buffer(const Section& like)
        : bytes_(std::make_unique_for_overwrite<std::byte[]>(
              static_cast<std::size_t>(like.count()) * like.element.bytes)),
          section_(without_gaps(like, bytes_.get())) {}

    [[nodiscard]] std::byte* bytes() { return bytes_.get(); }
    [[nodiscard]] const Section& section() const { return section_; }

private:
    std::unique_ptr<std::byte[]> bytes_;
    Section section_;
};

std::ptrdiff_t place_in(const Job& job, int image, const std::byte* address) {
    return address - job.block().memory(image);
}

void require_coarray(const Job& job, const std::byte* address) {
    if (job.owner_of(address) >= 0) return;
    throw JobError(
        "A component of an image on another node has memory that is no coarray's: a pointer to it "
        "must be allocated as a component of the coarray, and an allocatable component not in a "
        "procedure for which its object is no coarray.");
}

/// Whether plain loads and stores reach elements: on this node, in memory of coarrays or of this
/// image. A component may have any memory of its image, as a pointer's target has.
bool is_reached(const Job& job, const Elements& elements) {
    if (!job.is_near(elements.image)) return false;
    return elements.image == job.me() || job.owner_of(elements.section.first) >= 0;
}

void get(const Job& job, const Elements& from, std::byte* packed) {
    const std::byte* first = from.section.first;
    if (job.is_near(from.image)) {
        read_private(job.block().image_record(from.image).process, from.section, packed);
    } else {
        require_coarray(job, first);
        job.network()->get(from.image, place_in(job, from.image, first), from.section, packed);
    }
}

void put(const Job& job, const Elements& to, const std::byte* packed) {
    const std::byte* first = to.section.first;
    if (job.is_near(to.image)) {
        write_private(job.block().image_record(to.image).process, to.section, packed);
    } else {
        require_coarray(job, first);
        job.network()->put(to.image, place_in(job, to.image, first), to.section, packed);
    }
}

}  // namespace

void transfer(Job& job, const Elements& to, const Elements& from) {
    if (to.section.count() == 0) return;
    if (!is_reached(job, from)) {
        Buffer buffer(from.section);
        get(job, from, buffer.bytes());
        transfer(job, to, {job.me(), buffer.section()});
    } else if (!is_reached(job, to)) {
        Buffer buffer(to.section);
        assign(buffer.section(), from.section);
        put(job, to, buffer.bytes());
    } else {
        assign(to.section, from.section);
    }
}

void read_bytes(Job& job, int image, const std::byte* address, std::byte* to, std::size_t bytes) {
    Section section;
    section.first = const_cast<std::byte*>(address);
    section.element = {Type::derived, 0, bytes};
    const Elements from{image, section};
    if (is_reached(job, from))
        std::memcpy(to, address, bytes);
    else
        get(job, from, to);
}

}  // namespace halocline::pgas
