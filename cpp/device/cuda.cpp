#include "device/cuda.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "device/cuda_box.hpp"
#include "device/cuda_driver.hpp"
#include "pgas/align.hpp"

namespace halocline {
namespace {

/// A handle of the driver that is given back with its owner.
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cuda::Function<Handle>>;

/// The context of a device that all libraries of a process share, kept as long as anything is in
/// it.
class Context {
public:
    explicit Context(int wanted) : driver(cuda::driver()), ordinal(wanted) {
        const int count = cuda_device_count();
        if (ordinal >= count) {
            throw DeviceError("there is no device " + std::to_string(ordinal) +
                              "; the last one is " + std::to_string(count - 1));
        }
        driver.check(driver.device_get(&number_, ordinal), "asking for a device");
        std::array<char, 256> name{};
        driver.check(driver.device_get_name(name.data(), name.size(), number_),
                     "asking for the name of a device");
        name_ = std::string(name.data()) + " (cuda:" + std::to_string(ordinal) + ")";
        check(driver.device_primary_ctx_retain(&context_, number_), "opening it");
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { driver.device_primary_ctx_release(number_); }

    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] int attribute(int which) const {
        int value = 0;
        check(driver.device_get_attribute(&value, which, number_), "asking for its properties");
        return value;
    }

    /// Makes it the one that this thread's calls mean. Each of our calls does so: a simulation may
    /// run in another thread than the one that made it, and other libraries choose theirs.
    void enter() const { check(enter_if_it_can(), "entering its context"); }
    /// The same for destructors; what they give back is gone with a device that was lost.
    cuda::Result enter_if_it_can() const { return driver.ctx_set_current(context_); }

    void check(cuda::Result result, const std::string& doing) const {
        if (result != cuda::success) driver.check(result, name_ + ": " + doing);
    }

    const cuda::Driver& driver;
    const int ordinal;

private:
    cuda::DeviceNumber number_ = 0;
    std::string name_;
    cuda::Context context_ = nullptr;
};

/// A stream and the points in it that others may wait for.
class Queue {
public:
    Queue(const Context& context, int priority) : context_(context), stream_(nullptr, nullptr) {
        cuda::Stream made = nullptr;
        context.check(
            context.driver.stream_create_with_priority(&made, cuda::non_blocking, priority),
            "making a stream");
        stream_ = {made, context.driver.stream_destroy};
    }

    [[nodiscard]] cuda::Stream stream() const { return stream_.get(); }

    /// Counts what has been put into the stream.
    void count() { ++put_; }

    /// Returns the position of the last work, with an event there.
    std::uint64_t record() {
        while (!marks_.empty() && is_reached(marks_.front().position)) {
        }
        if (put_ > done_ && (marks_.empty() || marks_.back().position < put_)) {
            marks_.push_back({put_, event()});
            context_.check(context_.driver.event_record(marks_.back().event.get(), stream()),
                           "recording an event");
        }
        return put_;
    }

    [[nodiscard]] bool is_reached(std::uint64_t position) {
        if (position <= done_) return true;
        const cuda::Result result = context_.driver.event_query(event_at(position));
        if (result == cuda::not_ready) return false;
        context_.check(result, "asking how far it is");
        reach(position);
        return true;
    }

    void synchronize(std::uint64_t position) {
        if (position <= done_) return;
        context_.check(context_.driver.event_synchronize(event_at(position)), "waiting for it");
        reach(position);
    }

    /// Lets another stream do nothing more before a position of this one.
    void hold(Queue& other, std::uint64_t position) {
        if (&other == this || position <= done_) return;
        context_.check(context_.driver.stream_wait_event(other.stream(), event_at(position), 0),
                       "letting streams wait");
        other.count();
    }

private:
    struct Mark {
        std::uint64_t position;
        Owned<cuda::Event> event;
    };

    [[nodiscard]] cuda::Event event_at(std::uint64_t position) const {
        const auto mark = std::ranges::lower_bound(marks_, position, {}, &Mark::position);
        if (mark == marks_.end()) throw std::logic_error("An event was never recorded.");
        return mark->event.get();
    }

    /// An event that nobody uses.
    [[nodiscard]] Owned<cuda::Event> event() {
        if (!unused_.empty()) {
            Owned<cuda::Event> last = std::move(unused_.back());
            unused_.pop_back();
            return last;
        }
        cuda::Event made = nullptr;
        context_.check(context_.driver.event_create(&made, cuda::without_timing),
                       "making an event");
        return {made, context_.driver.event_destroy};
    }

    /// Notes that the stream has got to a position.
    void reach(std::uint64_t position) {
        done_ = position;
        for (; !marks_.empty() && marks_.front().position <= position; marks_.pop_front()) {
            unused_.push_back(std::move(marks_.front().event));
        }
    }

    const Context& context_;
    Owned<cuda::Stream> stream_;
    std::uint64_t put_ = 0;
    std::uint64_t done_ = 0;
    std::deque<Mark> marks_;  // beyond 'done_', in order
    std::vector<Owned<cuda::Event>> unused_;
};

struct CudaRecording final : Recording {
    explicit CudaRecording(Owned<cuda::GraphExec> made) : graph(std::move(made)) {}
    Owned<cuda::GraphExec> graph;
};

class DriverDevice final : public CudaDevice {
public:
    explicit DriverDevice(int ordinal) : context_(std::make_shared<Context>(ordinal)) {
        context_->enter();
        int least = 0;
        int greatest = 0;
        context_->check(driver().ctx_get_stream_priority_range(&least, &greatest),
                        "asking for priorities");
        static_assert(urgent == 0 && plain == 1);
        for (const int priority : {greatest, least}) queues_.emplace_back(*context_, priority);
    }

    ~DriverDevice() override {
        // What is still running uses what is given back now.
        context_->enter_if_it_can();
        driver().ctx_synchronize();
    }

    [[nodiscard]] std::string name() const override { return context_->name(); }

    [[nodiscard]] int ordinal() const override { return context_->ordinal; }

    [[nodiscard]] std::string architecture() const override {
        return "sm_" + std::to_string(context_->attribute(cuda::capability_major)) +
               std::to_string(context_->attribute(cuda::capability_minor));
    }

    [[nodiscard]] Memory memory() const override {
        context_->enter();
        std::size_t free = 0;
        std::size_t total = 0;
        context_->check(driver().mem_get_info(&free, &total), "asking for its memory");
        return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
    }

    [[nodiscard]] std::vector<void*> load(const std::string& image,
                                          const std::vector<std::string>& names) override {
        context_->enter();
        int version = 0;
        context_->check(driver().driver_get_version(&version), "asking for the driver's version");
        cuda::Module module = nullptr;
        context_->check(driver().module_load_data(&module, image.data()),
                        "loading kernels with a driver for CUDA " + std::to_string(version / 1000) +
                            "." + std::to_string(version % 1000 / 10));
        modules_.emplace_back(module, driver().module_unload);
        std::vector<void*> found;
        for (const std::string& name : names) {
            cuda::Kernel kernel = nullptr;
            context_->check(driver().module_get_function(&kernel, module, name.c_str()),
                            "looking for kernel '" + name + "'");
            found.push_back(kernel);
        }
        return found;
    }

    [[nodiscard]] std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) override {
        context_->enter();
        cuda::Address first = 0;
        context_->check(driver().mem_alloc(&first, at_least_one(size_bytes)), taking(size_bytes));
        return {reinterpret_cast<std::byte*>(first), [context = context_](std::byte* memory) {
                    context->enter_if_it_can();
                    context->driver.mem_free(reinterpret_cast<cuda::Address>(memory));
                }};
    }

    [[nodiscard]] std::shared_ptr<std::byte> allocate_shared(std::int64_t size_bytes) override {
        // Others see whole pages of the device: they shall hold nothing else.
        return allocate(round_up(std::max<std::int64_t>(size_bytes, 1), huge_page_bytes));
    }

    [[nodiscard]] std::vector<std::int64_t> share(const std::byte* memory) override {
        context_->enter();
        cuda::IpcHandle handle{};
        context_->check(
            driver().ipc_get_mem_handle(&handle, reinterpret_cast<cuda::Address>(memory)),
            "sharing memory with other processes");
        return {handle.words.begin(), handle.words.end()};
    }

    [[nodiscard]] std::shared_ptr<std::byte> open(
        const std::vector<std::int64_t>& shared) override {
        context_->enter();
        cuda::IpcHandle handle{};
        std::copy_n(shared.begin(), handle.words.size(), handle.words.begin());
        cuda::Address first = 0;
        context_->check(driver().ipc_open_mem_handle(&first, handle, cuda::lazy_peer_access),
                        "opening memory of another process");
        return {reinterpret_cast<std::byte*>(first), [context = context_](std::byte* memory) {
                    context->enter_if_it_can();
                    context->driver.ipc_close_mem_handle(reinterpret_cast<cuda::Address>(memory));
                }};
    }

    [[nodiscard]] std::shared_ptr<std::byte> allocate_staging(std::int64_t size_bytes) override {
        context_->enter();
        void* first = nullptr;
        context_->check(driver().mem_host_alloc(&first, at_least_one(size_bytes), 0),
                        taking(size_bytes) + " of the host");
        return {static_cast<std::byte*>(first), [context = context_](std::byte* memory) {
                    context->enter_if_it_can();
                    context->driver.mem_free_host(memory);
                }};
    }

    void launch(int stream, DeviceLaunch launch) override {
        context_->enter();
        std::vector<void*> parameters;
        for (const std::size_t offset : launch.offsets) {
            parameters.push_back(launch.parameters.data() + offset);
        }
        const auto& grid = launch.grid;
        const auto& block = launch.block;
        // The driver copies the parameters before it returns.
        context_->check(driver().launch_kernel(static_cast<cuda::Kernel>(launch.function), grid[0],
                                               grid[1], grid[2], block[0], block[1], block[2], 0,
                                               at(stream).stream(), parameters.data(), nullptr),
                        "launching a kernel");
        at(stream).count();
    }

    void copy(int stream, std::byte* to, const std::byte* from, std::int64_t bytes) override {
        context_->enter();
        context_->check(driver().memcpy_async(reinterpret_cast<cuda::Address>(to),
                                              reinterpret_cast<cuda::Address>(from),
                                              static_cast<std::size_t>(bytes), at(stream).stream()),
                        "copying " + std::to_string(bytes) + " bytes");
        at(stream).count();
    }

    void copy_box(int stream, const Rows& to, const Rows& from, const Index3& extent,
                  std::int64_t element_size) override {
        context_->enter();
        for (const cuda::BoxCopy& copy : cuda::box_copies(to, from, extent, element_size)) {
            context_->check(driver().memcpy_3d_async(&copy, at(stream).stream()),
                            "copying a box of " + std::to_string(extent[0]) + " x " +
                                std::to_string(extent[1]) + " x " + std::to_string(extent[2]) +
                                " values");
            at(stream).count();
        }
    }

    [[nodiscard]] Event record(int stream) override {
        context_->enter();
        return {stream, at(stream).record()};
    }

    void wait(int stream, Event event) override {
        context_->enter();
        at(event.stream).hold(at(stream), event.position);
    }

    [[nodiscard]] bool is_reached(Event event) override {
        context_->enter();
        return at(event.stream).is_reached(event.position);
    }

    void synchronize(Event event) override {
        context_->enter();
        at(event.stream).synchronize(event.position);
    }

    void begin_recording() override {
        context_->enter();
        context_->check(driver().stream_begin_capture(at(plain).stream(), cuda::relaxed_capture),
                        "beginning to record");
    }

    [[nodiscard]] std::shared_ptr<Recording> end_recording() override {
        context_->enter();
        cuda::Graph recorded = nullptr;
        context_->check(driver().stream_end_capture(at(plain).stream(), &recorded),
                        "ending to record");
        const Owned<cuda::Graph> graph(recorded, driver().graph_destroy);
        cuda::GraphExec made = nullptr;
        context_->check(driver().graph_instantiate_with_flags(&made, recorded, 0),
                        "preparing what was recorded");
        return std::make_shared<CudaRecording>(
            Owned<cuda::GraphExec>(made, driver().graph_exec_destroy));
    }

    void replay(const std::shared_ptr<Recording>& recording) override {
        context_->enter();
        const auto& graph = static_cast<const CudaRecording&>(*recording).graph;
        context_->check(driver().graph_launch(graph.get(), at(plain).stream()),
                        "doing what was recorded");
        at(plain).count();
    }

private:
    [[nodiscard]] const cuda::Driver& driver() const { return context_->driver; }
    [[nodiscard]] Queue& at(int stream) { return queues_.at(static_cast<std::size_t>(stream)); }

    /// The driver has no memory of size zero.
    static std::size_t at_least_one(std::int64_t size_bytes) {
        return static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    }
    static std::string taking(std::int64_t size_bytes) {
        return "taking " + std::to_string(size_bytes) + " bytes of memory";
    }

    std::shared_ptr<Context> context_;  // memory keeps it, too
    std::vector<Owned<cuda::Module>> modules_;
    std::vector<Queue> queues_;  // by stream
};

}  // namespace

CudaDevice::~CudaDevice() = default;

int cuda_device_count() {
    const cuda::Driver& driver = cuda::driver();
    int count = 0;
    driver.check(driver.device_get_count(&count), "counting devices");
    if (count == 0) throw DeviceError("the NVIDIA driver has no device");
    return count;
}

std::shared_ptr<CudaDevice> cuda_device(int ordinal) {
    return std::make_shared<DriverDevice>(ordinal);
}

}  // namespace halocline
