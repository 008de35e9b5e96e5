#pragma once

#include "caf/token.hpp"

namespace halocline::caf {

/// What an image selector says: an image, and in which team it has that index.
struct Selector {
    int image;
    void* const* team;
    const int* team_number;
};

/// A coarray on the image that a selector names, in the form in which accessors take it.
class Remote {
public:
    /// `descriptor` is the one of this image's array, or null where the compiler needs none.
    Remote(void* token, const Descriptor* descriptor);

    /// Goes to an image; false if that has failed. `stat` may be null.
    [[nodiscard]] bool find(const Selector& selector, int* stat);

    /// The descriptor of that image's array, or where its data begin.
    [[nodiscard]] void* data() {
        return has_descriptor_ ? &descriptor_ : static_cast<void*>(first_);
    }
    /// Whether something lies in that image's memory, and is perhaps what an accessor changes.
    [[nodiscard]] bool is_near(const void* address) const;

private:
    std::byte* first_;  ///< of this image's data, and of that image's once it is found
    bool has_descriptor_;
    Descriptor descriptor_{};
};

}  // namespace halocline::caf
