#include "pgas/transfer.hpp"

#include <memory>

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

void get(Job& job, const Elements& from, std::byte* packed) {
    job.network()->get(from.image, place_in(job, from.image, from.section.first), from.section,
                       packed);
}

}  // namespace

void transfer(Job& job, const Elements& to, const Elements& from) {
    if (to.section.count() == 0) return;
    if (!job.is_near(from.image)) {
        Buffer buffer(from.section);
        get(job, from, buffer.bytes());
        transfer(job, to, {job.me(), buffer.section()});
    } else if (!job.is_near(to.image)) {
        Buffer buffer(to.section);
        assign(buffer.section(), from.section);
        job.network()->put(to.image, place_in(job, to.image, to.section.first), to.section,
                           buffer.bytes());
    } else {
        assign(to.section, from.section);
    }
}

void read_bytes(Job& job, int image, const std::byte* address, std::byte* to, std::size_t bytes) {
    if (job.is_near(image)) {
        std::memcpy(to, address, bytes);
        return;
    }
    Section section;
    section.first = const_cast<std::byte*>(address);
    section.element = {Type::derived, 0, bytes};
    get(job, {image, section}, to);
}

}  // namespace halocline::pgas
