#include "pgas/private_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "pgas/error.hpp"

namespace halocline::pgas {
namespace {

/// How many runs of bytes the system takes at once.
constexpr std::size_t most_runs = 1024;

/// Adds the runs of bytes of a section, in the order of its elements; those that follow each other
/// are one.
void add_runs(const Section& section, int axis, std::byte* first, std::vector<iovec>& runs) {
    if (axis >= 0) {
        const Axis& along = section.axes[static_cast<std::size_t>(axis)];
        for (std::int64_t i = 0; i < along.count; ++i) {
            add_runs(section, axis - 1, first + along.offset(i), runs);
        }
    } else if (!runs.empty() &&
               static_cast<std::byte*>(runs.back().iov_base) + runs.back().iov_len == first) {
        runs.back().iov_len += section.element.bytes;
    } else {
        runs.push_back({first, section.element.bytes});
    }
}

/// Moves runs of another process' memory from or to a buffer.
template <class Move>
void move(int process, const Section& section, std::byte* packed, const Move& system_call) {
    std::vector<iovec> runs;
    add_runs(section, section.rank - 1, section.first, runs);
    for (std::size_t at = 0; at < runs.size(); at += most_runs) {
        const std::size_t count = std::min(most_runs, runs.size() - at);
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i) bytes += runs[at + i].iov_len;
        const iovec here{packed, bytes};
        const ssize_t moved = system_call(process, &here, 1, runs.data() + at, count, 0);
        if (moved != static_cast<ssize_t>(bytes)) {
            throw JobError(std::string("Memory of another image that is no coarray's, as that of "
                                       "a pointer's target, cannot be accessed: ") +
                           std::strerror(errno) + ".");
        }
        packed += bytes;
    }
}

}  // namespace

void read_private(int process, const Section& from, std::byte* packed) {
    move(process, from, packed, process_vm_readv);
}

void write_private(int process, const Section& to, const std::byte* packed) {
    move(process, to, const_cast<std::byte*>(packed), process_vm_writev);
}

}  // namespace halocline::pgas
