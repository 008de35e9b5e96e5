#pragma once

#include "caf/token.hpp"
#include "caf15/api.hpp"

namespace halocline::caf {

/// Gives a value of the source: a pointer to a scalar, or the elements of an array in a descriptor,
/// for which it allocates memory if it has none. Says whether somebody must free that.
using Getter = void (*)(void* extra, const int* image, void* target, std::int32_t* is_to_free,
                        const void* source, void* extra_token, std::size_t extra_bytes,
                        std::size_t* target_length, const std::size_t* source_length);
/// Assigns a value to the target.
using Receiver = void (*)(void* extra, const int* image, void* target, const void* source,
                          void* extra_token, std::size_t extra_bytes,
                          const std::size_t* target_length, const std::size_t* source_length);
/// Whether something in the source is allocated.
using Presence = void (*)(void* extra, const int* image, std::int32_t* result, void* source,
                          void* extra_token, std::size_t extra_bytes);

/// The accessor with an index that the program was given for its hash value.
[[nodiscard]] Accessor accessor(int index);
template <class Function>
[[nodiscard]] Function accessor_as(int index) {
    return reinterpret_cast<Function>(accessor(index));
}

/// What an accessor needs of the image that calls it, such as subscripts. It may access that by a
/// token, as if it were a coarray: see Remote.
class Extra {
public:
    Extra(void* data, std::size_t bytes)
        : token_{Token::right_mark, false, false, static_cast<std::byte*>(data), bytes,
                 nullptr,           false} {}

    [[nodiscard]] void* data() { return token_.memory; }
    [[nodiscard]] void* token() { return &token_; }
    /// The bytes of what was sent along: nothing was.
    static constexpr std::size_t sent_bytes = 0;

private:
    Token token_;
};

}  // namespace halocline::caf
