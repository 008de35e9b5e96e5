#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pgas/align.hpp"
#include "pgas/signal.hpp"

/// What the images of a node share, from its first byte on: the control block, a signal for each
/// pair of images, then the memory of each image. Launcher and images map it; both are of one
/// version.
namespace halocline::pgas {

enum class State : std::uint32_t {
    absent,  ///< has not joined yet
    running,
    stopped,  ///< has initiated normal termination
    failed,   ///< has been killed, has crashed, or has executed FAIL IMAGE
};

/// What is known of one image.
struct alignas(line_bytes) ImageRecord {
    std::atomic<State> state;
    std::atomic<std::int32_t> process;
    std::atomic<std::int64_t> started;  ///< when the process was, see 'Process'
};

inline constexpr std::uint64_t layout_mark = 0x48434C2D50474153;  // "HCL-PGAS"
inline constexpr std::uint32_t layout_version = 4;

struct Control {
    std::uint64_t mark;
    std::uint32_t version;
    std::int32_t images;
    std::int64_t heap_bytes;  ///< for the coarrays of one image; as much again for components
    std::uint64_t address;    ///< at which all images map this block
    cpu_set_t processors;     ///< that the images may use
    std::uint64_t salt;       ///< a random number of this job
    /// How often an image has stopped or failed, or all are to end.
    alignas(line_bytes) Signal changes;
    std::atomic<std::uint32_t> is_ending;  ///< an image has executed ERROR STOP
    std::atomic<std::int32_t> exit_code;   ///< its code
    std::atomic<std::uint32_t> reporter;   ///< the image that reports a long wait, from 1; 0: none
};

/// Room before the heaps of an image, for what its team members ask of it.
inline constexpr std::int64_t slot_bytes = std::int64_t{1} << 20;

/// Where everything lies in the block.
struct Layout {
    std::int64_t images;
    std::int64_t heap_bytes;

    [[nodiscard]] constexpr std::int64_t image_records() const {
        return round_up(static_cast<std::int64_t>(sizeof(Control)), line_bytes);
    }
    [[nodiscard]] constexpr std::int64_t pairs() const {
        return image_records() + images * static_cast<std::int64_t>(sizeof(ImageRecord));
    }
    [[nodiscard]] constexpr std::int64_t memory() const {
        return round_up(pairs() + images * images * static_cast<std::int64_t>(sizeof(LoneSignal)),
                        huge_page_bytes);
    }
    /// Bytes from one image's memory to the next.
    [[nodiscard]] constexpr std::int64_t image_bytes() const {
        return round_up(slot_bytes + 2 * heap_bytes, huge_page_bytes);
    }
    [[nodiscard]] constexpr std::int64_t total() const { return memory() + images * image_bytes(); }
};

/// The first address of the block, far from where systems put programs, libraries and stacks.
inline constexpr std::uint64_t usual_address = 0x200000000000;
/// The addresses that are free there.
inline constexpr std::int64_t most_bytes = 0x300000000000;

/// The environment variable by which a launcher tells a process the block's descriptor and which
/// image it is, as "5:2".
inline constexpr const char* place_variable = "HALOCLINE_IMAGE";

}  // namespace halocline::pgas
