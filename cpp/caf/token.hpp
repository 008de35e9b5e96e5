#pragma once

#include <cstddef>
#include <cstdint>

#include "caf/descriptor.hpp"
#include "pgas/images.hpp"

namespace halocline::caf {

/// What gfortran keeps for a coarray or for an allocatable or pointer component, and hands back
/// with each access. It lies where other images can change it, too.
struct Token {
    static constexpr std::uint64_t right_mark = 0x48434C2D544F4B4E;  // "HCL-TOKN"

    std::uint64_t mark;
    bool is_component;
    bool is_critical;        ///< the lock of a CRITICAL construct
    std::byte* memory;       ///< null while a component is not allocated
    std::size_t bytes;       ///< as the program wanted them
    Descriptor* descriptor;  ///< of an allocatable array, or null
    bool is_alias = false;   ///< another name for memory that a coarray has already
};

/// A token of this process' program.
[[nodiscard]] Token& token_of(void* token);

/// The token at an address where gfortran has one or has written nothing yet; null if none.
[[nodiscard]] Token* token_at(void* const* place);

/// A new token in the memory of an image, or null if there is no memory.
[[nodiscard]] Token* new_token(int image);

/// Coarrays that were allocated in the current team are not allocated any more.
void forget_coarrays_of_team();

/// Whether the last that happened to coarrays is an ALLOCATE with STAT=. gfortran synchronises
/// after it without STAT=, and gives a coarray no bounds if its STAT= is not 0. True once.
[[nodiscard]] bool has_just_allocated_with_stat();

/// Locks and events: where the one with an index lies in the memory of a member of the team.
template <class Object>
[[nodiscard]] Object& object_of(void* token, std::size_t index, const pgas::Team& team,
                                int member) {
    std::byte* mine = token_of(token).memory + index * sizeof(Object);
    return *reinterpret_cast<Object*>(pgas::Images::get().at(team, member, mine));
}

}  // namespace halocline::caf
