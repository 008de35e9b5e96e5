#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <new>
#include <random>
#include <stdexcept>
#include <utility>

#include "device/device.hpp"
#include "pgas/align.hpp"
#include "pgas/arena.hpp"

namespace halocline {
namespace {

/// What a generated CUDA kernel is as C++: see 'codegen/emulation.py'.
using Function = void (*)(void** parameters, const std::uint32_t* grid, const std::uint32_t* block,
                          std::uint64_t seed);

/// Memory begins at multiples of so many bytes, as the driver's does.
constexpr std::int64_t unit_bytes = 256;

/// Memory at the lower or the upper end of pages that have others before and behind them which
/// nobody may use: what a kernel reads or writes beyond its fields is a fault, as on a device.
std::shared_ptr<std::byte> allocate_guarded(std::int64_t size_bytes, bool is_at_end) {
    const std::int64_t page = sysconf(_SC_PAGESIZE);
    const std::int64_t used = round_up(std::max(size_bytes, unit_bytes), unit_bytes);
    const std::int64_t open = round_up(used, page);
    const auto mapped = static_cast<std::size_t>(open + 2 * page);
    void* map = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    const auto unmap = [map, mapped](std::byte*) { munmap(map, mapped); };
    std::byte* const first = static_cast<std::byte*>(map) + page;
    std::shared_ptr<std::byte> memory(first + (is_at_end ? open - used : 0), unmap);
    if (mprotect(first, static_cast<std::size_t>(open), PROT_READ | PROT_WRITE) != 0) {
        throw std::bad_alloc();
    }
    // As on a device nothing is known of new memory; what reads it must show.
    std::fill_n(first, open, std::byte{0xFF});
    return memory;
}

using Task = std::function<void()>;

struct EmulatedRecording final : Recording {
    std::vector<Task> tasks;
};

class EmulatedDevice final : public Device {
public:
    explicit EmulatedDevice(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] std::string name() const override { return "emulated device"; }
    [[nodiscard]] bool is_host_memory() const override { return true; }

    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) override {
        is_at_end_ = !is_at_end_;
        return drained(allocate_guarded(size_bytes, is_at_end_));
    }
    [[nodiscard]] std::shared_ptr<std::byte> allocate_shared(std::int64_t size_bytes) override {
        return drained(arena_.allocate(std::max(size_bytes, line_bytes)));
    }
    [[nodiscard]] std::vector<std::int64_t> share(const std::byte* memory) override {
        return {getpid(), arena_.descriptor(), arena_.size_bytes(), arena_.offset_of(memory)};
    }
    [[nodiscard]] std::shared_ptr<std::byte> open(
        const std::vector<std::int64_t>& shared) override {
        const auto mapping = std::make_shared<pgas::Mapping>(
            shared.at(0), static_cast<int>(shared.at(1)), shared.at(2));
        return {mapping, mapping->at(shared.at(3))};
    }
    [[nodiscard]] std::shared_ptr<std::byte> allocate_staging(std::int64_t size_bytes) override {
        return allocate_guarded(size_bytes, true);
    }

    void launch(int stream, DeviceLaunch launch) override {
        put(stream, [this, launch = std::move(launch)] { run(launch); });
    }
    void launch_any_order(int stream, std::vector<DeviceLaunch> launches) override {
        put(stream, [this, launches = std::move(launches)]() mutable {
            std::ranges::shuffle(launches, random_);
            for (const DeviceLaunch& launch : launches) run(launch);
        });
    }

    void copy(int stream, std::byte* to, const std::byte* from, std::int64_t bytes) override {
        put(stream, [=] { std::memcpy(to, from, static_cast<std::size_t>(bytes)); });
    }

    void copy_box(int stream, const Rows& to, const Rows& from, const Index3& extent,
                  std::int64_t element_size) override {
        const BoxCopy box{from, to, extent, element_size};
        put(stream, [box] { copy_boxes({&box, 1}, 1); });
    }

    [[nodiscard]] Event record(int stream) override {
        refuse_while_recording();
        return {stream, at(stream).put};
    }

    void wait(int stream, Event event) override {
        refuse_while_recording();
        at(stream).waiting.push_back({[] {}, event});
        ++at(stream).put;
        progress();
    }

    [[nodiscard]] bool is_reached(Event event) override {
        progress();
        return at(event.stream).done >= event.position;
    }

    void synchronize(Event event) override {
        while (at(event.stream).done < event.position) {
            if (!step()) throw std::logic_error("Streams of a device wait for each other.");
        }
    }

    void begin_recording() override {
        refuse_while_recording();
        recording_ = std::make_shared<EmulatedRecording>();
    }
    [[nodiscard]] std::shared_ptr<Recording> end_recording() override {
        return std::exchange(recording_, nullptr);
    }
    void replay(const std::shared_ptr<Recording>& recording) override {
        for (const Task& task : static_cast<const EmulatedRecording&>(*recording).tasks) {
            put(plain, task);
        }
    }

private:
    struct Work {
        Task run;
        Event after;  // of any stream; position 0 has always been reached
    };
    struct Queue {
        std::deque<Work> waiting;
        std::uint64_t put = 0;
        std::uint64_t done = 0;
    };

    [[nodiscard]] Queue& at(int stream) { return queues_.at(static_cast<std::size_t>(stream)); }

    /// Memory that is kept, as by the driver, until all is done that was put into streams.
    [[nodiscard]] std::shared_ptr<std::byte> drained(std::shared_ptr<std::byte> memory) {
        std::byte* const first = memory.get();
        return {first, [this, memory = std::move(memory)](std::byte*) mutable {
                    while (step()) {
                    }
                    memory.reset();
                }};
    }

    void run(const DeviceLaunch& launch) {
        std::vector<void*> parameters;
        for (const std::size_t offset : launch.offsets) {
            // Kernels take them by value.
            parameters.push_back(const_cast<std::byte*>(launch.parameters.data()) + offset);
        }
        const auto function = reinterpret_cast<Function>(launch.function);
        function(parameters.data(), launch.grid.data(), launch.block.data(), random_());
    }

    /// As the driver, which refuses these too.
    void refuse_while_recording() const {
        if (recording_) throw std::logic_error("A device that records was told to wait.");
    }

    void put(int stream, Task run) {
        if (recording_) {
            if (stream != plain) throw std::logic_error("Only the plain stream is recorded.");
            recording_->tasks.push_back(std::move(run));
            return;
        }
        at(stream).waiting.push_back({std::move(run), {}});
        ++at(stream).put;
        progress();
    }

    /// Does some of what may be done, or nothing.
    void progress() {
        for (std::uint64_t steps = random_() % 3; steps > 0 && step(); --steps) {
        }
    }

    /// Does what is next in one of the streams that may go on. False if there is none.
    bool step() {
        std::vector<Queue*> ready;
        for (Queue& queue : queues_) {
            if (queue.waiting.empty()) continue;
            const Event after = queue.waiting.front().after;
            if (at(after.stream).done >= after.position) ready.push_back(&queue);
        }
        if (ready.empty()) return false;
        Queue& queue = *ready[random_() % ready.size()];
        queue.waiting.front().run();
        queue.waiting.pop_front();
        ++queue.done;
        return true;
    }

    pgas::Arena arena_;
    bool is_at_end_ = false;  // of its pages, the last piece of memory
    std::array<Queue, streams> queues_;
    std::shared_ptr<EmulatedRecording> recording_;  // while recording
    std::mt19937_64 random_;
};

}  // namespace

std::shared_ptr<Device> emulated_device(std::uint64_t seed) {
    return std::make_shared<EmulatedDevice>(seed);
}

}  // namespace halocline
