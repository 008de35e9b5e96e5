#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// What we call of NVIDIA's driver, declared here and found at run time: building takes nothing of
/// CUDA, and who does not ask for such a device never loads the driver.
namespace halocline::cuda {

using Result = int;                         ///< CUresult
using DeviceNumber = int;                   ///< CUdevice
using Address = unsigned long long;         ///< CUdeviceptr; addresses of the host are among them
using Context = struct DriverContext*;      ///< CUcontext
using Stream = struct DriverStream*;        ///< CUstream
using Event = struct DriverEvent*;          ///< CUevent
using Module = struct DriverModule*;        ///< CUmodule
using Kernel = struct DriverKernel*;        ///< CUfunction
using Graph = struct DriverGraph*;          ///< CUgraph
using GraphExec = struct DriverGraphExec*;  ///< CUgraphExec
/// CUipcMemHandle: what another process needs to open memory.
struct IpcHandle {
    std::array<std::int64_t, 8> words;
};
/// CUDA_MEMCPY3D: a box of bytes to copy.
struct BoxCopy {
    struct End {
        std::size_t x, y, z, level;
        int memory_type;
        const void* host;
        Address first;
        void* array;
        void* reserved;
        std::size_t pitch;   ///< from row to row [bytes]
        std::size_t height;  ///< from plane to plane [rows]
    };
    End from, to;
    std::size_t width;  ///< [bytes]
    std::size_t height, depth;
};
inline constexpr Result success = 0;             ///< CUDA_SUCCESS
inline constexpr Result not_ready = 600;         ///< CUDA_ERROR_NOT_READY
inline constexpr unsigned non_blocking = 1;      ///< CU_STREAM_NON_BLOCKING
inline constexpr unsigned without_timing = 2;    ///< CU_EVENT_DISABLE_TIMING
inline constexpr unsigned lazy_peer_access = 1;  ///< CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
inline constexpr int unified_memory = 4;         ///< CU_MEMORYTYPE_UNIFIED
inline constexpr int relaxed_capture = 2;        ///< CU_STREAM_CAPTURE_MODE_RELAXED
inline constexpr int capability_major = 75;      ///< CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
inline constexpr int capability_minor = 76;      ///< CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR

template <typename... Parameters>
using Function = Result (*)(Parameters...);

/// The driver's functions, under their names without 'cu'.
struct Driver {
    Function<unsigned> init;
    Function<int*> driver_get_version;
    Function<Result, const char**> get_error_name;
    Function<Result, const char**> get_error_string;

    Function<int*> device_get_count;
    Function<DeviceNumber*, int> device_get;
    Function<char*, int, DeviceNumber> device_get_name;
    Function<int*, int, DeviceNumber> device_get_attribute;
    Function<Context*, DeviceNumber> device_primary_ctx_retain;
    Function<DeviceNumber> device_primary_ctx_release;
    Function<Context> ctx_set_current;
    Function<> ctx_synchronize;
    Function<int*, int*> ctx_get_stream_priority_range;

    Function<std::size_t*, std::size_t*> mem_get_info;
    Function<Address*, std::size_t> mem_alloc;
    Function<Address> mem_free;
    Function<void**, std::size_t, unsigned> mem_host_alloc;
    Function<void*> mem_free_host;
    Function<Address, Address, std::size_t, Stream> memcpy_async;
    Function<const BoxCopy*, Stream> memcpy_3d_async;

    Function<IpcHandle*, Address> ipc_get_mem_handle;
    Function<Address*, IpcHandle, unsigned> ipc_open_mem_handle;
    Function<Address> ipc_close_mem_handle;

    Function<Stream*, unsigned, int> stream_create_with_priority;
    Function<Stream, Event, unsigned> stream_wait_event;
    Function<Stream, int> stream_begin_capture;
    Function<Stream, Graph*> stream_end_capture;
    Function<Stream> stream_destroy;
    Function<Event*, unsigned> event_create;
    Function<Event, Stream> event_record;
    Function<Event> event_query;
    Function<Event> event_synchronize;
    Function<Event> event_destroy;

    Function<Module*, const void*> module_load_data;
    Function<Kernel*, Module, const char*> module_get_function;
    Function<Module> module_unload;
    Function<Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,
             void**, void**>
        launch_kernel;

    Function<GraphExec*, Graph, unsigned long long> graph_instantiate_with_flags;
    Function<GraphExec, Stream> graph_launch;
    Function<Graph> graph_destroy;
    Function<GraphExec> graph_exec_destroy;

    /// Throws DeviceError, with the driver's words, unless a call was a success.
    void check(Result result, const std::string& doing) const;
};

/// The driver, loaded and started by the first call. Throws DeviceError if there is none or it has
/// no device.
[[nodiscard]] const Driver& driver();

}  // namespace halocline::cuda
