#include "device/cuda_driver.hpp"

#include <dlfcn.h>

#include "device/error.hpp"

namespace halocline::cuda {
namespace {

constexpr const char* file = "libcuda.so.1";

void* open() {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw DeviceError(std::string("the NVIDIA driver was not found (") + dlerror() + ")");
    }
    return library;
}

template <typename... Parameters>
void find(void* library, const char* name, Function<Parameters...>& function) {
    function = reinterpret_cast<Function<Parameters...>>(dlsym(library, name));
    if (function == nullptr) {
        throw DeviceError(std::string("the NVIDIA driver has no '") + name +
                          "'; expected one for CUDA 11.4 or newer");
    }
}

/// The suffixes are versions of the binary interface; a name keeps its meaning for ever.
Driver load() {
    void* library = open();
    Driver found{};
    find(library, "cuInit", found.init);
    find(library, "cuDriverGetVersion", found.driver_get_version);
    find(library, "cuGetErrorName", found.get_error_name);
    find(library, "cuGetErrorString", found.get_error_string);
    find(library, "cuDeviceGetCount", found.device_get_count);
    find(library, "cuDeviceGet", found.device_get);
    find(library, "cuDeviceGetName", found.device_get_name);
    find(library, "cuDeviceGetAttribute", found.device_get_attribute);
    find(library, "cuDevicePrimaryCtxRetain", found.device_primary_ctx_retain);
    find(library, "cuDevicePrimaryCtxRelease_v2", found.device_primary_ctx_release);
    find(library, "cuCtxSetCurrent", found.ctx_set_current);
    find(library, "cuCtxSynchronize", found.ctx_synchronize);
    find(library, "cuCtxGetStreamPriorityRange", found.ctx_get_stream_priority_range);
    find(library, "cuMemGetInfo_v2", found.mem_get_info);
    find(library, "cuMemAlloc_v2", found.mem_alloc);
    find(library, "cuMemFree_v2", found.mem_free);
    find(library, "cuMemHostAlloc", found.mem_host_alloc);
    find(library, "cuMemFreeHost", found.mem_free_host);
    find(library, "cuMemcpyAsync", found.memcpy_async);
    find(library, "cuMemcpy3DAsync_v2", found.memcpy_3d_async);
    find(library, "cuIpcGetMemHandle", found.ipc_get_mem_handle);
    find(library, "cuIpcOpenMemHandle_v2", found.ipc_open_mem_handle);
    find(library, "cuIpcCloseMemHandle", found.ipc_close_mem_handle);
    find(library, "cuStreamCreateWithPriority", found.stream_create_with_priority);
    find(library, "cuStreamWaitEvent", found.stream_wait_event);
    find(library, "cuStreamBeginCapture_v2", found.stream_begin_capture);
    find(library, "cuStreamEndCapture", found.stream_end_capture);
    find(library, "cuStreamDestroy_v2", found.stream_destroy);
    find(library, "cuEventCreate", found.event_create);
    find(library, "cuEventRecord", found.event_record);
    find(library, "cuEventQuery", found.event_query);
    find(library, "cuEventSynchronize", found.event_synchronize);
    find(library, "cuEventDestroy_v2", found.event_destroy);
    find(library, "cuModuleLoadData", found.module_load_data);
    find(library, "cuModuleGetFunction", found.module_get_function);
    find(library, "cuModuleUnload", found.module_unload);
    find(library, "cuLaunchKernel", found.launch_kernel);
    find(library, "cuGraphInstantiateWithFlags", found.graph_instantiate_with_flags);
    find(library, "cuGraphLaunch", found.graph_launch);
    find(library, "cuGraphDestroy", found.graph_destroy);
    find(library, "cuGraphExecDestroy", found.graph_exec_destroy);
    found.check(found.init(0), "starting the NVIDIA driver");
    return found;
}

}  // namespace

void Driver::check(Result result, const std::string& doing) const {
    if (result == success) return;
    const char* name = nullptr;
    const char* said = nullptr;
    if (get_error_name(result, &name) != success || get_error_string(result, &said) != success) {
        throw DeviceError(doing + " failed with the unknown error " + std::to_string(result));
    }
    throw DeviceError(doing + " failed with " + name + ": " + said);
}

const Driver& driver() {
    // Never closed: at the end of the process it may be gone before the last of our handles.
    static const Driver found = load();
    return found;
}

}  // namespace halocline::cuda
