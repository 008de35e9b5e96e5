// Coarrays and components: registering and freeing them.

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "caf/token.hpp"
#include "pgas/event.hpp"
#include "pgas/lock.hpp"

namespace halocline::caf {
namespace {

/// What gfortran wants registered (caf_register_t).
enum Kind {
    coarray_static,
    coarray_allocatable,
    lock_static,
    lock_allocatable,
    critical,
    event_static,
    event_allocatable,
    component_register,
    component_allocate,
    coarray_alias,  ///< gfortran 15 only: an associate name of CHANGE TEAM
};

std::int64_t bytes_of(int kind, std::size_t size) {
    const auto count = static_cast<std::int64_t>(size);
    switch (kind) {
        case lock_static:
        case lock_allocatable:
        case critical:
            return count * static_cast<std::int64_t>(sizeof(pgas::Lock));
        case event_static:
        case event_allocatable:
            return count * static_cast<std::int64_t>(sizeof(pgas::Event));
        default:
            return count;
    }
}

bool is_object(int kind) {
    return kind >= lock_static && kind <= event_allocatable;
}

/// The coarrays of this image that are allocated, with the team in which they were.
struct Allocated {
    Token* token;
    const pgas::Team* team;
};
std::vector<Allocated>& allocated() {
    static auto& list = *new std::vector<Allocated>;
    return list;
}

bool is_allocated_with_stat = false;

std::string mebibytes(std::int64_t bytes) {
    constexpr std::int64_t mebi = std::int64_t{1} << 20;
    return std::to_string((bytes + mebi - 1) / mebi) + " MiB";
}

std::string refusal(std::int64_t bytes, const pgas::Heap& heap) {
    return "Not enough memory for " + mebibytes(bytes) + ": " + mebibytes(heap.bytes()) +
           " are reserved for an image, of which " + mebibytes(heap.used_bytes()) +
           " are in use. 'halocline caf run --memory 64G', or HALOCLINE_MEMORY=64G, reserves more.";
}

/// The image in whose memory a component lies. gfortran 15 allocates other images' components.
int image_of(const void* component) {
    const pgas::Job& job = images().job();
    const int owner = job.owner_of(component);
    return owner < 0 ? job.me() : owner;
}

/// gfortran 12 asks for a coarray where it allocates a component of one upon assignment or
/// copies one with its components: then the token lies in an image's memory.
bool is_component(int kind, void* const* token) {
    if (kind == component_register || kind == component_allocate) return true;
    if (kind != coarray_allocatable) return false;
    return images().job().owner_of(token) >= 0;
}

void allocate_component(Token& token, int image, std::size_t size, const Answer& answer) {
    pgas::Images& all = images();
    pgas::SharedHeap& heap = all.components(image);
    const auto bytes = static_cast<std::int64_t>(size);
    token.memory = heap.allocate(all.job(), bytes);
    token.bytes = size;
    if (token.memory == nullptr) {
        answer.failure(stat_other, refusal(bytes, heap.heap()));
    } else {
        pgas::Heap::note_of(token.memory) = &token;
        answer.success();
    }
}

void register_component(std::size_t size, int kind, void** place, Descriptor* descriptor,
                        const Answer& answer) {
    Token* token = token_at(place);
    const bool is_fresh = token == nullptr || !token->is_component;
    const int image = image_of(place);
    if (is_fresh) token = new_token(image);
    if (token == nullptr) {
        answer.failure(stat_other, "There is no memory left for components.");
        return;
    }
    token->is_component = true;
    *place = token;
    if (kind == component_register) {
        if (is_fresh) token->memory = nullptr;
        descriptor->base = nullptr;
        answer.success();
        return;
    }
    allocate_component(*token, image, size, answer);
    descriptor->base = token->memory;
}

void register_coarray(std::size_t size, int kind, void** place, Descriptor* descriptor,
                      const Answer& answer) {
    pgas::Images& all = images();
    const std::int64_t bytes = bytes_of(kind, size);
    std::byte* memory = all.allocate(bytes);
    Token* token = memory == nullptr ? nullptr : new_token(all.job().me());
    if (token == nullptr) {
        answer.failure(stat_other, refusal(bytes, all.coarrays()));
        return;
    }
    if (is_object(kind)) std::fill_n(memory, bytes, std::byte{0});
    const bool is_array = kind == coarray_allocatable && descriptor->type.rank > 0;
    *token = {
        Token::right_mark, false, kind == critical, memory, size, is_array ? descriptor : nullptr};
    if (kind == coarray_allocatable) allocated().push_back({token, &all.team()});
    *place = token;
    descriptor->base = memory;
    is_allocated_with_stat = answer.stat != nullptr;
    answer.success();
}

/// Gives memory of a coarray another name. Such a token stays, since nothing says when it is needed
/// no more: there is one for each place in memory.
void register_alias(void** place, Descriptor* descriptor, const Answer& answer) {
    static auto& aliases = *new std::vector<Token*>;
    if (token_at(place) == nullptr) error("CHANGE TEAM: what is associated is no coarray.");
    const Token& coarray = token_of(*place);
    std::byte* memory = descriptor->base == nullptr ? coarray.memory : descriptor->base;
    descriptor->base = memory;
    const auto known = std::find_if(aliases.begin(), aliases.end(), [&](const Token* alias) {
        return alias->memory == memory && alias->bytes == coarray.bytes;
    });
    Token* alias = known == aliases.end() ? new_token(images().job().me()) : *known;
    if (alias == nullptr) {
        answer.failure(stat_other, "There is no memory left for an associate name.");
        return;
    }
    if (known == aliases.end()) aliases.push_back(alias);
    *alias = {Token::right_mark,
              false,
              false,
              memory,
              coarray.bytes,
              descriptor->type.rank > 0 && coarray.descriptor != nullptr ? descriptor : nullptr,
              true};
    *place = alias;
    answer.success();
}

}  // namespace

Token& token_of(void* token) {
    return *static_cast<Token*>(token);
}

Token* token_at(void* const* place) {
    // A pointer component that was never touched may hold anything.
    auto* token = static_cast<Token*>(*place);
    if (token == nullptr || images().job().owner_of(token) < 0) return nullptr;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(token) % line_bytes == 0;
    return is_aligned && token->mark == Token::right_mark ? token : nullptr;
}

Token* new_token(int image) {
    pgas::Images& all = images();
    std::byte* memory = all.components(image).allocate(all.job(), sizeof(Token));
    if (memory == nullptr) return nullptr;
    return new (memory) Token{Token::right_mark, true, false, nullptr, 0, nullptr};
}

bool has_just_allocated_with_stat() {
    return std::exchange(is_allocated_with_stat, false);
}

void forget_coarrays_of_team() {
    std::erase_if(allocated(), [](const Allocated& one) {
        if (one.team != &images().team()) return false;
        if (one.token->descriptor != nullptr) one.token->descriptor->base = nullptr;
        return true;
    });
}

}  // namespace halocline::caf

using namespace halocline;
using namespace halocline::caf;

void _gfortran_caf_register(std::size_t size, int kind, void** token, Descriptor* descriptor,
                            int* stat, char* message, std::size_t length) {
    const Answer answer{stat, message, length};
    if (kind == coarray_alias) {
        register_alias(token, descriptor, answer);
    } else if (is_component(kind, token)) {
        register_component(size, kind, token, descriptor, answer);
    } else {
        register_coarray(size, kind, token, descriptor, answer);
    }
}

void _gfortran_caf_deregister(void** place, int kind, int* stat, char* message,
                              std::size_t length) {
    const Answer answer{stat, message, length};
    pgas::Images& all = images();
    Token& token = token_of(*place);
    auto outcome = pgas::Outcome::done;
    if (token.is_alias) {
        *place = nullptr;
        answer.success();
        return;
    }
    if (token.is_component) {
        pgas::SharedHeap& heap = all.components(image_of(token.memory));
        if (token.memory != nullptr) heap.free(all.job(), token.memory);
        token.memory = nullptr;
    } else {
        // Nobody frees what another image may still use.
        outcome = all.team().barrier(all.digest());
        all.free(token.memory);
        std::erase_if(allocated(), [&](const Allocated& one) { return one.token == &token; });
    }
    constexpr int keeps_token = 1;
    if (kind != keeps_token) {
        auto* memory = reinterpret_cast<std::byte*>(&token);
        all.components(image_of(memory)).free(all.job(), memory);
        *place = nullptr;
    }
    answer.outcome(outcome, "DEALLOCATE");
}
