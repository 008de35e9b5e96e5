// NVIDIA's driver as far as Halocline calls it, on top of the emulated device: a test's
// libcuda.so.1.
//
// What it loads as machine code is the path of a library with emulated kernels; for each kernel
// NAME there is 'NAME_parameter', which returns the size of its n-th parameter, 0 after the last.
//
// The environment says what it is like: FAKE_CUDA_DEVICES, FAKE_CUDA_MEMORY [bytes a device],
// FAKE_CUDA_SEED of the order of things, FAKE_CUDA_LOST: the launch with which the device is lost,
// FAKE_CUDA_PEERS: 0 if processes cannot share memory.

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda_driver.hpp"
#include "device/device.hpp"

using halocline::Device;
using halocline::DeviceLaunch;

namespace {

enum Result {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    not_found = 500,
    not_ready = 600,
    launch_failed = 719,
    not_supported = 801,
};

struct Name {
    const char* name;
    const char* said;
};

const std::map<int, Name> names{
    {success, {"CUDA_SUCCESS", "no error"}},
    {invalid_value, {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}},
    {out_of_memory, {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"}},
    {no_device, {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}},
    {invalid_device, {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"}},
    {invalid_image, {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}},
    {invalid_context, {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"}},
    {not_found, {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}},
    {not_ready, {"CUDA_ERROR_NOT_READY", "device not ready"}},
    {launch_failed, {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}},
    {not_supported, {"CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}},
};

std::int64_t setting(const char* name, std::int64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoll(text);
}

int device_count() {
    return static_cast<int>(setting("FAKE_CUDA_DEVICES", 1));
}

/// What is in the primary context of a device.
struct Context {
    std::shared_ptr<Device> device;
    std::map<std::uintptr_t, std::shared_ptr<std::byte>> memory;
    std::map<std::uintptr_t, std::int64_t> sizes;
    std::int64_t taken = 0;
    int retained = 0;
};

struct Stream {
    int number;
};

struct Event {
    halocline::Event event;
};

struct Kernel {
    void* launch;
    std::size_t (*parameter)(std::size_t);
};

/// A loaded library; the driver owns the kernels.
struct Module {
    void* library;
    std::vector<std::unique_ptr<Kernel>> kernels;
};

/// 64 bytes, as the driver's.
struct IpcHandle {
    std::int64_t words[8];
};

/// What was recorded; the driver has a graph, and another thing made of it that can be launched.
struct Graph {
    std::shared_ptr<halocline::Recording> recording;
};

constexpr int greatest_priority = -5;

std::map<int, Context> contexts;
thread_local Context* current = nullptr;
std::int64_t launches = 0;
bool is_lost = false;
int live = 0;  // handles and pieces of memory that nobody has given back
bool is_recording = false;

/// Does something in this thread's context, unless the device is lost.
template <typename Work>
int in_context(const Work& work) {
    if (current == nullptr) return invalid_context;
    if (is_lost) return launch_failed;
    return work(*current->device);
}

/// Gives something back, if need be even of a lost device.
template <typename Handle>
int give_back(Handle* handle) {
    if (current == nullptr) return invalid_context;
    delete handle;
    --live;
    return is_lost ? launch_failed : success;
}

std::int64_t total_memory() {
    return setting("FAKE_CUDA_MEMORY", std::int64_t{1} << 30);
}

int keep(std::shared_ptr<std::byte> memory, std::int64_t size, std::uintptr_t& address) {
    address = reinterpret_cast<std::uintptr_t>(memory.get());
    current->memory[address] = std::move(memory);
    current->sizes[address] = size;
    current->taken += size;
    ++live;
    return success;
}

int release(std::uintptr_t address) {
    if (current == nullptr) return invalid_context;
    if (current->memory.erase(address) == 0) return invalid_value;
    current->taken -= current->sizes[address];
    --live;
    return is_lost ? launch_failed : success;
}

/// The driver waits for the device before it gives memory back.
void finish(Device& device) {
    for (int stream = 0; stream < Device::streams; ++stream) {
        device.synchronize(device.record(stream));
    }
}

}  // namespace

extern "C" {

/// For tests: how much has not been given back.
int fake_cuda_live() {
    return live;
}

int cuInit(unsigned) {
    return device_count() == 0 ? no_device : success;
}
int cuDriverGetVersion(int* version) {
    *version = 12040;
    return success;
}
int cuGetErrorName(int result, const char** name) {
    *name = names.at(result).name;
    return success;
}
int cuGetErrorString(int result, const char** said) {
    *said = names.at(result).said;
    return success;
}

int cuDeviceGetCount(int* count) {
    *count = device_count();
    return success;
}
int cuDeviceGet(int* device, int ordinal) {
    if (ordinal < 0 || ordinal >= device_count()) return invalid_device;
    *device = ordinal;
    return success;
}
int cuDeviceGetName(char* name, int size, int) {
    std::strncpy(name, "Fake device", static_cast<std::size_t>(size));
    return success;
}
int cuDeviceGetAttribute(int* value, int which, int) {
    if (which != 75 && which != 76) return invalid_value;
    *value = which == 75 ? 8 : 6;
    return success;
}
int cuDevicePrimaryCtxRetain(Context** context, int device) {
    Context& found = contexts[device];
    if (found.retained++ == 0) {
        const std::int64_t seed = setting("FAKE_CUDA_SEED", 0);
        found.device = halocline::emulated_device(static_cast<std::uint64_t>(seed));
    }
    ++live;
    *context = &found;
    return success;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
    --contexts[device].retained;
    --live;
    return success;
}
int cuCtxSetCurrent(Context* context) {
    current = context;
    return success;
}
int cuCtxSynchronize() {
    return in_context([](Device& device) {
        finish(device);
        return success;
    });
}
int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = greatest_priority;
    return current == nullptr ? invalid_context : success;
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    return in_context([&](Device&) {
        *total = static_cast<std::size_t>(total_memory());
        *free = static_cast<std::size_t>(total_memory() - current->taken);
        return success;
    });
}
int cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
    return in_context([&](Device& device) -> int {
        const auto size = static_cast<std::int64_t>(bytes);
        if (bytes == 0) return invalid_value;
        if (current->taken + size > total_memory()) return out_of_memory;
        return keep(device.allocate_shared(size), size, *address);
    });
}
int cuMemFree_v2(std::uintptr_t address) {
    if (current != nullptr && !is_lost) finish(*current->device);
    return release(address);
}
int cuIpcGetMemHandle(IpcHandle* handle, std::uintptr_t address) {
    if (setting("FAKE_CUDA_PEERS", 1) == 0) return not_supported;
    return in_context([&](Device& device) {
        const auto words = device.share(reinterpret_cast<const std::byte*>(address));
        std::memcpy(handle, words.data(), words.size() * sizeof words[0]);
        return success;
    });
}
int cuIpcOpenMemHandle_v2(std::uintptr_t* address, IpcHandle handle, unsigned flags) {
    if (flags != 1) return invalid_value;
    return in_context([&](Device& device) {
        return keep(device.open({handle.words, handle.words + 8}), 0, *address);
    });
}
int cuIpcCloseMemHandle(std::uintptr_t address) {
    return cuMemFree_v2(address);
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
    return in_context([&](Device& device) -> int {
        std::uintptr_t address = 0;
        keep(device.allocate_staging(static_cast<std::int64_t>(bytes)), 0, address);
        *memory = reinterpret_cast<void*>(address);
        return success;
    });
}
int cuMemFreeHost(void* memory) {
    return cuMemFree_v2(reinterpret_cast<std::uintptr_t>(memory));
}
int cuMemcpyAsync(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, Stream* stream) {
    return in_context([&](Device& device) {
        device.copy(stream->number, reinterpret_cast<std::byte*>(to),
                    reinterpret_cast<const std::byte*>(from), static_cast<std::int64_t>(bytes));
        return success;
    });
}

int cuMemcpy3DAsync_v2(const halocline::cuda::BoxCopy* copy, Stream* stream) {
    using halocline::Rows;
    const auto is_known = [&](const halocline::cuda::BoxCopy::End& end) {
        return end.memory_type == halocline::cuda::unified_memory && end.host == nullptr &&
               end.x + end.y + end.z + end.level == 0 && end.pitch >= copy->width &&
               end.height >= copy->height;
    };
    const auto rows = [](const halocline::cuda::BoxCopy::End& end) {
        return Rows{reinterpret_cast<std::byte*>(end.first), 1,
                    static_cast<std::int64_t>(end.pitch),
                    static_cast<std::int64_t>(end.pitch * end.height)};
    };
    if (!is_known(copy->from) || !is_known(copy->to)) return invalid_value;
    return in_context([&](Device& device) {
        const halocline::Index3 bytes{static_cast<std::int64_t>(copy->width),
                                      static_cast<std::int64_t>(copy->height),
                                      static_cast<std::int64_t>(copy->depth)};
        device.copy_box(stream->number, rows(copy->to), rows(copy->from), bytes, 1);
        return success;
    });
}

int cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
    if (flags != 1) return invalid_value;
    return in_context([&](Device&) {
        *stream = new Stream{priority == greatest_priority ? Device::urgent : Device::plain};
        ++live;
        return success;
    });
}
int cuStreamWaitEvent(Stream* stream, Event* event, unsigned) {
    return in_context([&](Device& device) {
        // All that is recorded is done in order.
        if (!is_recording) device.wait(stream->number, event->event);
        return success;
    });
}
int cuStreamDestroy_v2(Stream* stream) {
    return give_back(stream);
}
int cuEventCreate(Event** event, unsigned flags) {
    if (flags != 2) return invalid_value;
    return in_context([&](Device&) {
        *event = new Event{};
        ++live;
        return success;
    });
}
int cuEventRecord(Event* event, Stream* stream) {
    return in_context([&](Device& device) {
        if (!is_recording) event->event = device.record(stream->number);
        return success;
    });
}
int cuEventQuery(Event* event) {
    return in_context([&](Device& device) -> int {
        return device.is_reached(event->event) ? success : not_ready;
    });
}
int cuEventSynchronize(Event* event) {
    return in_context([&](Device& device) {
        device.synchronize(event->event);
        return success;
    });
}
int cuEventDestroy_v2(Event* event) {
    return give_back(event);
}

int cuStreamBeginCapture_v2(Stream* stream, int mode) {
    if (mode != 2 || stream->number != Device::plain) return invalid_value;
    return in_context([&](Device& device) {
        device.begin_recording();
        is_recording = true;
        return success;
    });
}
int cuStreamEndCapture(Stream*, Graph** graph) {
    return in_context([&](Device& device) {
        *graph = new Graph{device.end_recording()};
        is_recording = false;
        ++live;
        return success;
    });
}
int cuGraphInstantiateWithFlags(Graph** made, Graph* graph, unsigned long long flags) {
    if (flags != 0) return invalid_value;
    *made = new Graph{graph->recording};
    ++live;
    return success;
}
int cuGraphLaunch(Graph* graph, Stream*) {
    return in_context([&](Device& device) {
        device.replay(graph->recording);
        return success;
    });
}
int cuGraphDestroy(Graph* graph) {
    return give_back(graph);
}
int cuGraphExecDestroy(Graph* graph) {
    return give_back(graph);
}

int cuModuleLoadData(Module** module, const void* image) {
    return in_context([&](Device&) -> int {
        void* library = dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return invalid_image;
        *module = new Module{library, {}};
        ++live;
        return success;
    });
}
int cuModuleGetFunction(Kernel** kernel, Module* module, const char* name) {
    void* launch = dlsym(module->library, (std::string(name) + "_launch").c_str());
    void* parameter = dlsym(module->library, (std::string(name) + "_parameter").c_str());
    if (launch == nullptr || parameter == nullptr) return not_found;
    module->kernels.push_back(std::make_unique<Kernel>(
        Kernel{launch, reinterpret_cast<std::size_t (*)(std::size_t)>(parameter)}));
    *kernel = module->kernels.back().get();
    return success;
}
int cuModuleUnload(Module* module) {
    return give_back(module);
}
int cuLaunchKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Stream* stream, void** parameters, void** extra) {
    if (grid_y > 65535 || grid_z > 65535 || block_x * block_y * block_z > 1024 || block_z > 64 ||
        shared != 0 || extra != nullptr) {
        return invalid_value;
    }
    return in_context([&](Device& device) {
        DeviceLaunch launch{
            kernel->launch, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {}, {}};
        for (std::size_t n = 0; const std::size_t size = kernel->parameter(n); ++n) {
            const auto* first = static_cast<const std::byte*>(parameters[n]);
            launch.offsets.push_back(launch.parameters.size());
            launch.parameters.insert(launch.parameters.end(), first, first + size);
        }
        device.launch(stream->number, std::move(launch));
        // As with the real one, it is a later call that says so.
        is_lost = ++launches == setting("FAKE_CUDA_LOST", 0);
        return success;
    });
}

}  // extern "C"
