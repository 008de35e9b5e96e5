#include "pgas/block.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "pgas/shared_file.hpp"

namespace halocline::pgas {
namespace {

constexpr std::int64_t least_heap_bytes = std::int64_t{1} << 24;

[[noreturn]] void fail(const std::string& what) {
    throw JobError(what + ": " + std::strerror(errno) + ".");
}

std::byte* map(int descriptor, std::int64_t bytes, void* address) {
    const int fixed = address == nullptr ? 0 : MAP_FIXED_NOREPLACE;
    void* first = mmap(address, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | fixed, descriptor, 0);
    if (first == MAP_FAILED || (address != nullptr && first != address)) return nullptr;
    return static_cast<std::byte*>(first);
}

[[noreturn]] void refuse(std::int64_t bytes) {
    constexpr std::int64_t mebi = std::int64_t{1} << 20;
    fail("The images need " + std::to_string(bytes / mebi) +
         " MiB of addresses, which the system refuses (a smaller --memory or HALOCLINE_MEMORY "
         "needs fewer; 'ulimit -v' shows a limit)");
}

}  // namespace

Block Block::create(int images, std::int64_t heap_bytes) {
    const Layout layout{images, round_up(std::max(heap_bytes, least_heap_bytes), huge_page_bytes)};
    if (layout.total() > most_bytes) {
        throw JobError(std::to_string(images) + " images of " +
                       std::to_string(layout.heap_bytes >> 20) +
                       " MiB each do not fit into the addresses of a process (at most " +
                       std::to_string((most_bytes / images / 2) >> 20) +
                       " MiB each): use a smaller --memory or HALOCLINE_MEMORY.");
    }
    const int descriptor = create_shared_file(true);
    if (descriptor < 0) fail("Memory that images can share was refused");
    if (ftruncate(descriptor, layout.total()) != 0) fail("Shared memory could not grow");
    std::byte* first = map(descriptor, layout.memory(), nullptr);
    if (first == nullptr) refuse(layout.memory());
    auto* control = new (first) Control{};
    control->mark = layout_mark;
    control->version = layout_version;
    control->images = images;
    control->heap_bytes = layout.heap_bytes;
    control->address = usual_address;
    control->processors = usable_processors();
    static_cast<void>(getrandom(&control->salt, sizeof control->salt, 0));
    return {descriptor, first, layout.memory(), layout};
}

Block Block::open(int descriptor) {
    std::byte* first = map(descriptor, page_bytes, nullptr);
    if (first == nullptr) fail("The memory of the images cannot be mapped");
    const auto& control = *reinterpret_cast<const Control*>(first);
    if (control.mark != layout_mark || control.version != layout_version) {
        throw JobError(
            "The program's coarray library and the launcher that has started it are of different "
            "versions of Halocline: build the program again.");
    }
    Block block(descriptor, first, page_bytes, {control.images, control.heap_bytes});
    block.move_to_its_address();
    return block;
}

void Block::move_to_its_address() {
    auto* address = reinterpret_cast<void*>(control().address);
    static_cast<void>(munmap(first_, static_cast<std::size_t>(mapped_bytes_)));
    mapped_bytes_ = layout_.total();
    first_ = map(descriptor_, mapped_bytes_, address);
    if (first_ == nullptr) refuse(mapped_bytes_);
}

ImageRecord& Block::image_record(int image) const {
    return reinterpret_cast<ImageRecord*>(first_ + layout_.image_records())[image];
}

LoneSignal& Block::pair(int from, int to) const {
    auto* pairs = reinterpret_cast<LoneSignal*>(first_ + layout_.pairs());
    return pairs[from + layout_.images * to];
}

std::byte* Block::memory(int image) const {
    return first_ + layout_.memory() + image * layout_.image_bytes();
}

std::int64_t machine_bytes() {
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

cpu_set_t usable_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_SET(0, &set);
    return set;
}

}  // namespace halocline::pgas
