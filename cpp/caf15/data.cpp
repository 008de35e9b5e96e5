// Values of coarrays: read, written, and moved between two other images.

#include <cstdlib>
#include <string>
#include <vector>

#include "caf/report.hpp"
#include "caf15/accessor.hpp"
#include "caf15/api.hpp"
#include "caf15/remote.hpp"

using namespace halocline;
using namespace halocline::caf;

namespace {

bool have_same_shape(const Descriptor& one, const Descriptor& other) {
    if (one.type.rank != other.type.rank) return false;
    for (int d = 0; d < one.type.rank; ++d) {
        if (one.dimensions[d].count() != other.dimensions[d].count()) return false;
    }
    return true;
}

/// Copies elements of the same type, or strings of other lengths, with so many bytes a character.
void assign_elements(const Descriptor& target, const Descriptor& source, std::size_t bytes) {
    pgas::Section to = target.section(static_cast<int>(bytes));
    pgas::Section from = source.section(static_cast<int>(bytes));
    const bool are_strings = to.element.type == pgas::Type::character &&
                             from.element.type == pgas::Type::character && bytes > 0;
    if (!are_strings || to.element.bytes == from.element.bytes) {
        from.element = {pgas::Type::derived, 0, source.type.element_bytes};
        to.element = from.element;
    }
    assign(to, from);
}

/// A copy of an array, without gaps.
class Packed {
public:
    explicit Packed(const Descriptor& array) : descriptor_(copy_of(array)) {
        std::ptrdiff_t stride = 1;
        std::ptrdiff_t offset = 0;
        for (int d = 0; d < array.type.rank; ++d) {
            Dimension& dimension = descriptor_.dimensions[d];
            dimension.stride = stride;
            offset -= stride * dimension.lower;
            stride *= dimension.count();
        }
        memory_.resize(static_cast<std::size_t>(stride) * array.type.element_bytes);
        descriptor_.base = memory_.data();
        descriptor_.offset = static_cast<std::size_t>(offset);
        descriptor_.span = static_cast<std::ptrdiff_t>(array.type.element_bytes);
        assign_elements(descriptor_, array, 0);
    }
    [[nodiscard]] const Descriptor& descriptor() const { return descriptor_; }

private:
    Descriptor descriptor_;
    std::vector<std::byte> memory_;
};

/// How a getter is called, whatever its target.
struct Reading {
    int getter;
    int image;
    Remote& source;
    Extra extra;
    std::size_t* target_length;
    const std::size_t* source_length;

    /// Reads; says whether somebody must free what the target has then.
    bool into(void* target) {
        std::int32_t is_to_free = 0;
        accessor_as<Getter>(getter)(extra.data(), &image, target, &is_to_free, source.data(),
                                    extra.token(), Extra::sent_bytes, target_length, source_length);
        return is_to_free != 0;
    }
};

/// Reads into an array that keeps its memory. The getter allocates some, as if the target had
/// none: what it has need not be memory that can be allocated anew.
void read_into(Descriptor& target, Reading& reading, std::size_t bytes) {
    const Descriptor wanted = copy_of(target);
    target.base = nullptr;
    const bool is_to_free = reading.into(&target);
    const Descriptor read = copy_of(target);
    for (int d = 0; d < wanted.type.rank; ++d) target.dimensions[d] = wanted.dimensions[d];
    target.base = wanted.base;
    target.offset = wanted.offset;
    target.type = wanted.type;
    target.span = wanted.span;
    if (read.base == nullptr) return;
    if (!have_same_shape(wanted, read)) {
        error("A value of image " + std::to_string(reading.image) +
              " has another shape than the array that it is for.");
    }
    assign_elements(wanted, read, bytes);
    if (is_to_free) std::free(read.base);
}

/// How a receiver is called, whatever its source.
struct Writing {
    int receiver;
    int image;
    Remote& target;
    Extra extra;
    const std::size_t* target_length;
    const std::size_t* source_length;

    void from(const void* source) {
        accessor_as<Receiver>(receiver)(extra.data(), &image, target.data(), source, extra.token(),
                                        Extra::sent_bytes, target_length, source_length);
    }
    /// The compiler takes for granted that source and target do not overlap.
    void from(const Descriptor& source) {
        if (target.is_near(source.base)) {
            from(static_cast<const void*>(&Packed(source).descriptor()));
        } else {
            from(static_cast<const void*>(&source));
        }
    }
};

void transfer_scalar(Reading& reading, Writing& writing, std::size_t bytes) {
    // A getter makes the pointer point elsewhere, or writes where it points to.
    const std::size_t length = reading.target_length == nullptr ? 1 : *reading.target_length;
    std::vector<std::byte> room(length * bytes);
    void* value = room.data();
    const bool is_to_free = reading.into(&value);
    writing.from(static_cast<const void*>(value));
    if (is_to_free && value != room.data()) std::free(value);
}

void transfer_array(Reading& reading, Writing& writing) {
    Descriptor value{};
    const bool is_to_free = reading.into(&value);
    writing.from(value);
    if (is_to_free) std::free(value.base);
}

}  // namespace

void _gfortran_caf_get_from_remote(void* token, const Descriptor* source,
                                   const std::size_t* source_length, int image, std::size_t bytes,
                                   void** target, std::size_t* target_length,
                                   Descriptor* target_descriptor, bool is_reallocatable, int getter,
                                   void* extra, std::size_t extra_bytes, int* stat, void** team,
                                   int* team_number) {
    Remote remote(token, source);
    if (!remote.find({image, team, team_number}, stat)) return;
    Reading reading{getter, image, remote, {extra, extra_bytes}, target_length, source_length};
    if (target_descriptor == nullptr) {
        static_cast<void>(
            reading.into(target));  // a pointer to the value, which is nobody's to free
    } else if (is_reallocatable || target_descriptor->base == nullptr) {
        static_cast<void>(reading.into(target_descriptor));  // the program frees it
    } else {
        read_into(*target_descriptor, reading, bytes);
    }
}

std::int32_t _gfortran_caf_is_present_on_remote(void* token, int image, int presence, void* extra,
                                                std::size_t extra_bytes) {
    if (token == nullptr || token_of(token).memory == nullptr) return 0;
    Remote remote(token, token_of(token).descriptor);
    if (!remote.find({image, nullptr, nullptr}, nullptr)) return 0;
    Extra data(extra, extra_bytes);
    std::int32_t result = 0;
    accessor_as<Presence>(presence)(data.data(), &image, &result, remote.data(), data.token(),
                                    Extra::sent_bytes);
    return result;
}

void _gfortran_caf_send_to_remote(void* token, Descriptor* target, const std::size_t* target_length,
                                  int image, std::size_t /*bytes*/, const void* source,
                                  const std::size_t* source_length,
                                  const Descriptor* source_descriptor, int receiver, void* extra,
                                  std::size_t extra_bytes, int* stat, void** team,
                                  int* team_number) {
    Remote remote(token, target);
    if (!remote.find({image, team, team_number}, stat)) return;
    Writing writing{receiver, image, remote, {extra, extra_bytes}, target_length, source_length};
    if (source_descriptor == nullptr) {
        writing.from(source);
    } else {
        writing.from(*source_descriptor);
    }
}

void _gfortran_caf_transfer_between_remotes(
    void* target_token, Descriptor* target, std::size_t* target_length, int target_image,
    int receiver, void* target_extra, std::size_t target_extra_bytes, void* source_token,
    const Descriptor* source, const std::size_t* source_length, int source_image, int getter,
    void* source_extra, std::size_t source_extra_bytes, std::size_t bytes, bool is_scalar,
    int* target_stat, int* source_stat, void** target_team, int* target_team_number,
    void** source_team, int* source_team_number) {
    Remote to(target_token, target);
    Remote from(source_token, source);
    if (!to.find({target_image, target_team, target_team_number}, target_stat)) return;
    if (!from.find({source_image, source_team, source_team_number}, source_stat)) return;
    Reading reading{getter,        source_image, from, {source_extra, source_extra_bytes},
                    target_length, source_length};
    Writing writing{receiver,      target_image, to, {target_extra, target_extra_bytes},
                    target_length, source_length};
    if (is_scalar) {
        transfer_scalar(reading, writing, bytes);
    } else {
        transfer_array(reading, writing);
    }
}
