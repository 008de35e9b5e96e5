#pragma once

#include <cstddef>
#include <string>

#include "pgas/images.hpp"

/// What an image control statement answers: STAT= and ERRMSG=, or the end of the program.
namespace halocline::caf {

/// The values of ISO_FORTRAN_ENV in gfortran.
inline constexpr int stat_locked = 1;
inline constexpr int stat_locked_other_image = 2;
inline constexpr int stat_stopped_image = 6000;
inline constexpr int stat_failed_image = 6001;
/// Those that have no name: an unlocked lock was to be unlocked (gfortran's STAT_UNLOCKED is 0,
/// which is success), and whatever else is wrong.
inline constexpr int stat_not_locked = 3;
/// An image that SYNC IMAGES names twice; the number of other coarray libraries.
inline constexpr int stat_image_twice = 3;
inline constexpr int stat_unlocked_failed_image = 6002;
inline constexpr int stat_other = 5014;

/// Where STAT= and ERRMSG= are to go; null where the statement has none.
struct Answer {
    int* stat = nullptr;
    char* message = nullptr;
    std::size_t length = 0;

    void success() const {
        if (stat != nullptr) *stat = 0;
    }
    /// Says what went wrong; without STAT= ends all images.
    void failure(int code, const std::string& text) const;
    /// Likewise what other images have to do with it, in the statement that `what` names.
    void outcome(pgas::Outcome outcome, const char* what) const;
};

/// The answer of a collective procedure. gfortran 12 passes a character variable of fixed length
/// itself where its address belongs: then its length lies there, and there is no message.
[[nodiscard]] Answer collective_answer(int* stat, char* message, std::size_t length);

/// Ends all images with a message of this one.
[[noreturn]] void error(const std::string& text);

/// All images, joined when this is first asked. From then on an exception that leaves an entry
/// point, as pgas::JobError, ends all images with its message.
[[nodiscard]] pgas::Images& images();
/// Likewise, or null before.
[[nodiscard]] pgas::Images* images_if_joined();

/// The index from 0 of an image number of the current team, or of another one. An image that does
/// not exist is an error.
[[nodiscard]] int index_of(int image, const pgas::Team& team);
[[nodiscard]] inline int index_of(int image) {
    return index_of(image, images().team());
}

/// Whether an image can be accessed; if it has failed that is the answer. `stat` may be null.
[[nodiscard]] bool can_access(int index, const pgas::Team& team, int* stat);

}  // namespace halocline::caf
