// free and realloc of a program with coarrays. A procedure that knows nothing of coarrays may get
// an allocatable component of one as an argument and deallocate it, or allocate it anew: gfortran
// then calls these functions of C for memory that is ours. All other memory is that of the C
// library.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "caf/report.hpp"
#include "caf/token.hpp"
#include "pgas/error.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's
extern "C" void __libc_free(void* piece);
extern "C" void* __libc_realloc(void* piece, std::size_t bytes);
// NOLINTEND(bugprone-reserved-identifier)

namespace halocline::caf {
namespace {

/// The image in whose memory for components a piece lies, or -1. Before there are images nothing
/// lies there.
int owner_of_component(void* piece) {
    const pgas::Images* all = images_if_joined();
    if (all == nullptr) return -1;
    const int owner = all->job().owner_of(piece);
    return owner >= 0 && all->components(owner).has(piece) ? owner : -1;
}

/// Frees memory of a component, of which its token then knows.
void release(int owner, std::byte* piece) {
    auto* token = static_cast<Token*>(pgas::Heap::note_of(piece));
    if (token != nullptr && token->memory == piece) token->memory = nullptr;
    const pgas::Images& all = images();
    all.components(owner).free(all.job(), piece);
}

/// How many bytes a component's piece has for its program.
std::size_t bytes_of(std::byte* piece) {
    const auto* token = static_cast<const Token*>(pgas::Heap::note_of(piece));
    return token == nullptr ? 0 : token->bytes;
}

}  // namespace
}  // namespace halocline::caf

using namespace halocline::caf;

extern "C" HALOCLINE_EXPORT void free(void* piece) {
    const int owner = piece == nullptr ? -1 : owner_of_component(piece);
    if (owner < 0)
        __libc_free(piece);
    else
        release(owner, static_cast<std::byte*>(piece));
}

extern "C" HALOCLINE_EXPORT void* realloc(void* piece, std::size_t bytes) {
    const int owner = piece == nullptr ? -1 : owner_of_component(piece);
    if (owner < 0) return __libc_realloc(piece, bytes);
    void* moved = std::malloc(bytes);
    if (moved == nullptr) return nullptr;
    auto* old = static_cast<std::byte*>(piece);
    std::memcpy(moved, old, std::min(bytes, bytes_of(old)));
    release(owner, old);
    return moved;
}
