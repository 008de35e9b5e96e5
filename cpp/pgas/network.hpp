#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pgas/section.hpp"

namespace halocline::pgas {

/// What an atomic operation does with a number in memory.
enum class Operation { add, bitwise_and, bitwise_or, bitwise_xor, replace };

/// How a meeting of all members of a team stands.
enum class Meeting {
    open,
    met,   ///< all have come
    left,  ///< a member has stopped and will not come
};

/// Images on other nodes: their memory, and what is done together with them. Images are those of
/// the initial team, from 0; addresses are those that the images have themselves. All calls come
/// from one thread. Where images are on several nodes all atomic operations go this way, those of
/// one node among themselves, too: a network and a processor do not wait for each other.
class Network {
public:
    Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    virtual ~Network() = default;

    /// The node of each image.
    [[nodiscard]] virtual const std::vector<int>& nodes() const = 0;
    /// Lets the other images reach this one's memory, once it is mapped. Collective.
    virtual void open(std::byte* memory, std::size_t bytes) = 0;

    /// Writes elements without gaps to a section of an image; returns when they are there.
    virtual void put(int image, std::ptrdiff_t place, const Section& to,
                     const std::byte* packed) = 0;
    /// Reads a section of an image. `place` is the distance of its first element from the
    /// beginning of the image's memory [bytes].
    virtual void get(int image, std::ptrdiff_t place, const Section& from, std::byte* packed) = 0;
    /// Combines a number of 4 or 8 bytes with another one; returns what it was.
    virtual std::uint64_t fetch(int image, std::ptrdiff_t place, Operation operation,
                                std::uint64_t value, std::size_t bytes) = 0;
    /// Replaces a number if it is the expected one; returns what it was.
    virtual std::uint64_t compare_and_swap(int image, std::ptrdiff_t place, std::uint64_t expected,
                                           std::uint64_t value, std::size_t bytes) = 0;
    /// What another image has written to this one's memory is seen after this; and operations
    /// of others on it go on.
    virtual void progress() = 0;

    /// Notifies an image; how many times an image has notified this one, as far as 'progress' has
    /// seen.
    virtual void notify(int image) = 0;
    [[nodiscard]] virtual std::uint32_t notifications(int image) const = 0;

    /// How many images have stopped, and whether one has, as far as 'progress' has seen.
    [[nodiscard]] virtual std::uint32_t stopped() const = 0;
    [[nodiscard]] virtual bool has_stopped(int image) const = 0;

    /// The team of these images in this order, which all of them form, and to which all give the
    /// same key. Equal teams are one.
    [[nodiscard]] virtual int form_team(const std::vector<int>& images, std::int64_t key) = 0;
    /// Comes to a meeting of a team, and says how the last one that was begun stands.
    virtual void begin_meeting(int team) = 0;
    [[nodiscard]] virtual Meeting meeting(int team) = 0;

    // What follows waits for all members, so they must have met before.

    /// Gives the bytes of the member with this index to all.
    virtual void broadcast(int team, int source, std::byte* bytes, std::size_t count) = 0;
    /// Gives what each member has to all, in the order of their indices.
    virtual void gather(int team, const std::byte* mine, std::size_t count, std::byte* all) = 0;
    /// Gives each member so many bytes of what this one has for it, and takes what each has for
    /// this one, in the order of their indices.
    virtual void exchange(int team, const std::byte* mine, std::size_t count, std::byte* all) = 0;
};

/// How processes that another launcher has started find each other.
struct Bootstrap {
    int me;
    int descriptor;    ///< of the file with the memory of this node's images
    Network* network;  ///< null if all images are on one node
    void (*end)();     ///< to be called at a normal end; waits for all images
    /// Ends all images; returns if that is not possible any more.
    void (*abort)(int exit_code);
    /// The communicator of images of the initial team, as MPI numbers it in Fortran. Collective
    /// over them.
    int (*communicator)(const std::vector<int>& images);
};

/// The function of the library for MPI, with this name, that makes one. Collective over all
/// processes; throws nothing, but ends all of them with a message.
using BootstrapFunction = Bootstrap (*)();
inline constexpr const char* bootstrap_name = "halocline_bootstrap";

}  // namespace halocline::pgas
