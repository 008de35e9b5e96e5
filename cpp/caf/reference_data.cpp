// Values that a chain of references leads to, such as those of allocatable components.

#include <cstdlib>
#include <cstring>
#include <string>

#include "caf/api14.hpp"
#include "caf/reference.hpp"
#include "caf/report.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

std::string not_allocated(int image) {
    return "What image " + std::to_string(image) +
           " was to be asked for or given is not allocated there.";
}

bool has_shape(const Descriptor& array, const pgas::Section& section) {
    if (array.type.rank != section.rank) return false;
    for (int d = 0; d < section.rank; ++d) {
        if (array.dimensions[d].count() != section.axes[static_cast<std::size_t>(d)].count) {
            return false;
        }
    }
    return true;
}

/// Gives an array the shape of a section, with lower bounds 1, and this memory.
void shape(Descriptor& array, std::byte* memory, const pgas::Section& section,
           std::size_t element_bytes) {
    array.base = memory;
    array.type.element_bytes = element_bytes;
    array.type.rank = static_cast<signed char>(section.rank);
    array.span = static_cast<std::ptrdiff_t>(element_bytes);
    std::ptrdiff_t stride = 1;
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < section.rank; ++d) {
        const auto count =
            static_cast<std::ptrdiff_t>(section.axes[static_cast<std::size_t>(d)].count);
        array.dimensions[d] = {stride, 1, count};
        offset -= stride;
        stride *= count;
    }
    array.offset = static_cast<std::size_t>(offset);
}

/// gfortran leaves it to the library to give an allocatable array the shape of a value, but not to
/// give it to a component: a component that is allocated must have that shape.
void require_shape(const Descriptor& target, const pgas::Section& source) {
    const pgas::Section to = target.section(0);
    if (conforms(to, source)) return;
    error("An array of shape (" + shape_of(source) + ") was to be assigned to one of shape (" +
          shape_of(to) +
          "). gfortran does not let 'own%a = b[i]%a' give the component of a variable another "
          "shape: deallocate 'own%a' before.");
}

/// Allocates what a program wants a value in, where it leaves that to the library.
void prepare(Descriptor& target, const pgas::Section& source, bool is_reallocatable) {
    const bool is_missing = target.base == nullptr;
    if (!is_missing && !is_reallocatable) require_shape(target, source);
    const bool fits = source.rank == 0 || has_shape(target, source);
    if (!is_missing && (!is_reallocatable || fits)) return;
    std::size_t element_bytes = target.type.element_bytes;
    if (element_bytes == 0) element_bytes = source.element.bytes;
    const auto bytes = static_cast<std::size_t>(source.count()) * element_bytes;
    std::free(target.base);
    auto* memory = static_cast<std::byte*>(std::malloc(bytes == 0 ? 1 : bytes));
    if (memory == nullptr) error("Not enough memory for a value of another image.");
    shape(target, memory, source, element_bytes);
}

/// Whether an assignment is to a whole component, not to some of its elements.
bool is_whole(const Walk::Component& component) {
    if (component.rest == nullptr) return true;
    if (component.descriptor == nullptr || component.rest->next != nullptr) return false;
    const auto& elements = component.rest->elements;
    for (int d = 0; d < pgas::most_axes && elements.modes[d] != Reference::none; ++d) {
        // 'a(::2)' has no bounds either.
        if (elements.modes[d] != Reference::full || elements.subscripts[d].triplet.stride != 1) {
            return false;
        }
    }
    return true;
}

/// Allocates a component of another image, in that image's memory, as the assignment of this
/// value needs it. Returns whether it is allocated then.
bool allocate(const Walk::Component& component, const pgas::Section& source, std::size_t item_bytes,
              const Answer& answer) {
    if (component.pointer == nullptr || !is_whole(component)) return false;
    if (component.descriptor != nullptr && source.rank == 0) return false;
    pgas::Images& all = images();
    if (!all.job().is_near(component.image)) {
        answer.failure(stat_other, "A component of image " + std::to_string(component.image + 1) +
                                       " was to be allocated by an image of another node: let "
                                       "its own image allocate it.");
        return false;
    }
    pgas::SharedHeap& heap = all.components(component.image);
    if (*component.token == nullptr) *component.token = new_token(component.image);
    Token* token = *component.token;
    const std::size_t element_bytes = item_bytes != 0 ? item_bytes : source.element.bytes;
    const auto bytes = static_cast<std::size_t>(source.count()) * element_bytes;
    if (token != nullptr && token->memory != nullptr) heap.free(all.job(), token->memory);
    std::byte* memory =
        token == nullptr ? nullptr : heap.allocate(all.job(), static_cast<std::int64_t>(bytes));
    *component.pointer = memory;
    if (memory == nullptr) {
        answer.failure(stat_other, "Image " + std::to_string(component.image + 1) +
                                       " has no memory left for its component.");
        return false;
    }
    token->memory = memory;
    token->bytes = bytes;
    pgas::Heap::note_of(memory) = token;
    if (component.descriptor != nullptr) {
        const auto type = component.descriptor->type.type;
        shape(*component.descriptor, memory, source, element_bytes);
        component.descriptor->type.type = type;
    }
    return true;
}

/// What one image gives to another's component, which may have to be allocated for it.
class Target {
public:
    Target(void* token, int member, const Reference* references)
        : token_(token_of(token)),
          member_(member),
          references_(references),
          walk_(token_, member) {}

    /// The elements, once they are there; without them the answer says why.
    bool find(const pgas::Section& source, int type, int kind, bool is_reallocatable,
              const Answer& answer) {
        bool is_there = follow();
        if (is_reallocatable && must_change(walk_.component(), source, is_there, type)) {
            const std::size_t item = type == character_type ? 0 : last().item_bytes;
            if (!allocate(walk_.component(), source, item, answer)) {
                if (answer.stat == nullptr || *answer.stat == 0) fail(answer);
                return false;
            }
            is_there = follow();
        }
        if (!is_there) {
            fail(answer);
            return false;
        }
        elements_ = walk_.elements(type, kind);
        return true;
    }
    [[nodiscard]] const pgas::Elements& elements() const { return elements_; }

private:
    bool follow() {
        walk_ = Walk(token_, member_);
        return walk_.follow(references_);
    }
    void fail(const Answer& answer) const {
        answer.failure(stat_other, not_allocated(member_ + 1));
    }
    [[nodiscard]] const Reference& last() const {
        const Reference* link = references_;
        while (link->next != nullptr) link = link->next;
        return *link;
    }
    static bool must_change(const Walk::Component& component, const pgas::Section& source,
                            bool is_there, int type) {
        if (!is_there) return true;
        if (component.pointer == nullptr || !is_whole(component)) return false;
        if (component.descriptor != nullptr) {
            const Descriptor array =
                descriptor_of(images().job(), component.image, component.descriptor);
            return source.rank > 0 && !has_shape(array, source);
        }
        if (type != character_type) return false;
        pgas::Job& job = images().job();
        const auto* token = pgas::read_value<Token*>(job, component.image, component.token);
        return token != nullptr &&
               pgas::read_value<Token>(job, component.image, token).bytes != source.element.bytes;
    }

    const Token& token_;
    int member_;
    const Reference* references_;
    Walk walk_;
    pgas::Elements elements_;
};

}  // namespace

void _gfortran_caf_get_by_ref(void* token, int image, Descriptor* target, Reference* references,
                              int target_kind, int source_kind, bool /*may_overlap*/,
                              bool is_reallocatable, int* stat, int source_type) {
    const int member = index_of(image);
    if (!can_access(member, images().team(), stat)) return;
    Walk walk(token_of(token), member);
    if (!walk.follow(references)) {
        Answer{stat}.failure(stat_other, not_allocated(image));
        return;
    }
    const pgas::Elements source = walk.elements(source_type, source_kind);
    prepare(*target, source.section, is_reallocatable);
    pgas::Job& job = images().job();
    transfer(job, {job.me(), target->section(target_kind)}, source);
}

void _gfortran_caf_send_by_ref(void* token, int image, Descriptor* source, Reference* references,
                               int target_kind, int source_kind, bool /*may_overlap*/,
                               bool is_reallocatable, int* stat, int target_type) {
    const int member = index_of(image);
    if (!can_access(member, images().team(), stat)) return;
    const pgas::Section from = source->section(source_kind);
    Target target(token, member, references);
    if (!target.find(from, target_type, target_kind, is_reallocatable, Answer{stat})) return;
    pgas::Job& job = images().job();
    transfer(job, target.elements(), {job.me(), from});
}

void _gfortran_caf_sendget_by_ref(void* target_token, int target_image,
                                  Reference* target_references, void* source_token,
                                  int source_image, Reference* source_references, int target_kind,
                                  int source_kind, bool /*may_overlap*/, int* target_stat,
                                  int* source_stat, int target_type, int source_type) {
    const int to_member = index_of(target_image);
    const int from_member = index_of(source_image);
    if (!can_access(to_member, images().team(), target_stat)) return;
    if (!can_access(from_member, images().team(), source_stat)) return;
    Walk walk(token_of(source_token), from_member);
    if (!walk.follow(source_references)) {
        Answer{source_stat}.failure(stat_other, not_allocated(source_image));
        return;
    }
    const pgas::Elements from = walk.elements(source_type, source_kind);
    Target target(target_token, to_member, target_references);
    if (!target.find(from.section, target_type, target_kind, true, Answer{target_stat})) return;
    transfer(images().job(), target.elements(), from);
}

int _gfortran_caf_is_present(void* token, int image, Reference* references) {
    Walk walk(token_of(token), index_of(image));
    return walk.follow(references) ? 1 : 0;
}
