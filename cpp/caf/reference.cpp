#include "caf/reference.hpp"

#include <cstddef>
#include <string>

#include "caf/report.hpp"

namespace halocline::caf {

Descriptor descriptor_of(pgas::Job& job, int image, const Descriptor* address) {
    Descriptor descriptor{};
    auto* bytes = reinterpret_cast<std::byte*>(&descriptor);
    const auto* there = reinterpret_cast<const std::byte*>(address);
    constexpr std::size_t head = offsetof(Descriptor, dimensions);
    pgas::read_bytes(job, image, there, bytes, head);
    pgas::read_bytes(job, image, there + head, bytes + head, descriptor.bytes() - head);
    return descriptor;
}

Walk::Walk(const Token& token, int member)
    : image_(images().team().member(member).image),
      place_(images().at(member, token.memory)),
      descriptor_(token.descriptor == nullptr ? Descriptor{} : copy_of(*token.descriptor)),
      bytes_(token.bytes) {}

bool Walk::follow(const Reference* references) {
    for (const Reference* link = references; link != nullptr; link = link->next) {
        switch (link->kind) {
            case Reference::component:
                if (!enter(*link)) return false;
                break;
            case Reference::array:
                subscribe(*link);
                break;
            default:
                subscribe_static(*link);
                break;
        }
        if (link->item_bytes != 0) bytes_ = link->item_bytes;
    }
    return true;
}

bool Walk::enter(const Reference& reference) {
    place_ += reference.member.offset;
    if (reference.member.token_offset == 0) return true;
    std::byte* object = place_ - reference.member.offset;
    const bool is_array = reference.next != nullptr && reference.next->kind == Reference::array;
    auto* descriptor = is_array ? reinterpret_cast<Descriptor*>(place_) : nullptr;
    component_ = {image_, reinterpret_cast<std::byte**>(place_),
                  reinterpret_cast<Token**>(object + reference.member.token_offset), descriptor,
                  reference.next};
    place_ = value(component_.pointer);
    if (place_ == nullptr) return false;
    // Before an array is allocated its descriptor need not say a rank.
    if (is_array) descriptor_ = descriptor_of(images().job(), image_, descriptor);
    // A string of deferred length is as long as its memory.
    const Token* token = reference.item_bytes == 0 ? value(component_.token) : nullptr;
    if (token != nullptr) bytes_ = value(token).bytes;
    return true;
}

void Walk::subscribe(const Reference& reference) {
    const Descriptor& array = descriptor_;
    for (int d = 0; d < pgas::most_axes; ++d) {
        const unsigned char mode = reference.elements.modes[d];
        if (mode == Reference::none) break;
        const Reference::Subscript& subscript = reference.elements.subscripts[d];
        const Dimension& dimension = array.dimensions[d];
        const std::int64_t stride = dimension.stride * array.step();
        if (mode == Reference::vector) {
            add_vector(subscript, dimension.lower, stride);
            continue;
        }
        auto [start, end, step] = subscript.triplet;
        if (mode == Reference::single) end = start, step = 1;
        // Whatever the stride: 'a(::-1)' has no elements (Fortran 2018, 9.5.3.3.2).
        if (mode == Reference::full || mode == Reference::open_start) start = dimension.lower;
        if (mode == Reference::full || mode == Reference::open_end) end = dimension.upper;
        place_ += (start - dimension.lower) * stride;
        if (mode != Reference::single) add_axis(steps(start, end, step), step * stride);
    }
}

// Here subscripts count elements of the whole array from 0.
void Walk::subscribe_static(const Reference& reference) {
    const auto bytes = static_cast<std::int64_t>(reference.item_bytes);
    for (int d = 0; d < pgas::most_axes; ++d) {
        const unsigned char mode = reference.elements.modes[d];
        if (mode == Reference::none) break;
        const Reference::Subscript& subscript = reference.elements.subscripts[d];
        if (mode == Reference::vector) {
            add_vector(subscript, 0, bytes);
            continue;
        }
        const auto [start, end, step] = subscript.triplet;
        place_ += start * bytes;
        if (mode != Reference::single) add_axis(steps(start, end, step), step * bytes);
    }
}

void Walk::add_vector(const Reference::Subscript& subscript, std::int64_t lower,
                      std::int64_t stride) {
    const auto& offsets = offsets_.emplace_back(offsets_of(
        subscript.vector.values, subscript.vector.kind, subscript.vector.count, lower, stride));
    axes_.at(static_cast<std::size_t>(rank_++)) = {static_cast<std::int64_t>(offsets.size()), 0,
                                                   offsets.data()};
}

void Walk::add_axis(std::int64_t count, std::int64_t stride) {
    axes_.at(static_cast<std::size_t>(rank_++)) = {count, stride, nullptr};
}

pgas::Elements Walk::elements(int type, int kind) const {
    pgas::Section section;
    section.first = place_;
    section.element = element_of(type, kind, bytes_);
    section.rank = rank_;
    section.axes = axes_;
    return {image_, section};
}

}  // namespace halocline::caf
