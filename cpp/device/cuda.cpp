#include "device/cuda.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "device/cuda_box.hpp"
#include "device/cuda_context.hpp"
#include "device/cuda_driver.hpp"
#include "device/cuda_streams.hpp"
#include "pgas/align.hpp"

namespace halocline {
namespace {

struct CudaRecording final : Recording {
    explicit CudaRecording(cuda::Owned<cuda::GraphExec> made) : graph(std::move(made)) {}
    cuda::Owned<cuda::GraphExec> graph;
};

class DriverDevice final : public CudaDevice {
public:
    explicit DriverDevice(int ordinal)
        : context_(std::make_shared<cuda::PrimaryContext>(ordinal)),
          priorities_(context_->priorities()),
          fork_(*context_, priorities_[plain]) {
        for (const int priority : priorities_) queues_.emplace_back(*context_, priority);
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
        put(at(stream).stream(), launch);
        at(stream).count();
    }

    void launch_any_order(int stream, std::vector<DeviceLaunch> launches) override {
        if (launches.empty()) return;
        context_->enter();
        const auto put_one = [&](std::size_t i, cuda::Stream one) { put(one, launches[i]); };
        // Kernels of the urgent stream would lose its priority.
        const std::size_t count = launches.size();
        const cuda::Stream main = at(stream).stream();
        if (stream == plain)
            fork_.each(main, count, put_one);
        else
            for (std::size_t i = 0; i < count; ++i) put_one(i, main);
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
        const cuda::Owned<cuda::Graph> graph(recorded, driver().graph_destroy);
        cuda::GraphExec made = nullptr;
        context_->check(driver().graph_instantiate_with_flags(&made, recorded, 0),
                        "preparing what was recorded");
        return std::make_shared<CudaRecording>(
            cuda::Owned<cuda::GraphExec>(made, driver().graph_exec_destroy));
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
    [[nodiscard]] cuda::Queue& at(int stream) {
        return queues_.at(static_cast<std::size_t>(stream));
    }

    void put(cuda::Stream stream, DeviceLaunch& launch) {
        std::vector<void*> parameters;
        for (const std::size_t offset : launch.offsets) {
            parameters.push_back(launch.parameters.data() + offset);
        }
        const auto& grid = launch.grid;
        const auto& block = launch.block;
        // The driver copies the parameters before it returns.
        context_->check(driver().launch_kernel(static_cast<cuda::Kernel>(launch.function), grid[0],
                                               grid[1], grid[2], block[0], block[1], block[2], 0,
                                               stream, parameters.data(), nullptr),
                        "launching a kernel");
    }

    /// The driver has no memory of size zero.
    static std::size_t at_least_one(std::int64_t size_bytes) {
        return static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    }
    static std::string taking(std::int64_t size_bytes) {
        return "taking " + std::to_string(size_bytes) + " bytes of memory";
    }

    std::shared_ptr<cuda::PrimaryContext> context_;  // memory keeps it, too
    std::vector<cuda::Owned<cuda::Module>> modules_;
    std::array<int, streams> priorities_;
    std::vector<cuda::Queue> queues_;  // by stream
    cuda::Fork fork_;                  // of the plain one
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
