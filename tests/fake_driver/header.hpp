// What Halocline declares of NVIDIA's driver beside the driver's own header: compiles if both
// agree.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "device/cuda_driver.hpp"

namespace cuda = halocline::cuda;

template <typename Ours, typename Theirs>
constexpr bool is_alike() {
    constexpr bool are_numbers = (std::is_integral_v<Ours> || std::is_enum_v<Ours>)&&(
        std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);
    constexpr bool are_addresses = std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
    constexpr bool are_structures = std::is_class_v<Ours> && std::is_class_v<Theirs>;
    return sizeof(Ours) == sizeof(Theirs) && (are_numbers || are_addresses || are_structures);
}

// Of what parameters point to the size counts too, where it is known.
template <typename Ours, typename Theirs>
constexpr bool points_alike() {
    using OurValue = std::remove_pointer_t<Ours>;
    using TheirValue = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_pointer_v<OurValue> && std::is_pointer_v<TheirValue>) {
        return true;
    } else if constexpr (requires { sizeof(OurValue) == sizeof(TheirValue); }) {
        return !std::is_pointer_v<Ours> || std::is_void_v<OurValue> ||
               sizeof(OurValue) == sizeof(TheirValue);
    } else {
        return true;
    }
}

template <typename... Ours, typename... Theirs>
constexpr bool is_same_call(cuda::Result (*)(Ours...), CUresult (*)(Theirs...)) {
    if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
        return false;
    } else {
        return ((is_alike<Ours, Theirs>() && points_alike<Ours, Theirs>()) && ...);
    }
}

#define NAME_OF(function) #function
#define EXPANDED(function) NAME_OF(function)
// The header gives the newest version of a function its plain name.
#define CHECK(member, function, symbol)                                                   \
    static_assert(is_same_call(decltype(cuda::Driver::member)(), decltype (&function)()), \
                  #member);                                                               \
    static_assert(std::string_view(EXPANDED(function)) == symbol, symbol)

static_assert(cuda::success == CUDA_SUCCESS);
static_assert(cuda::not_ready == CUDA_ERROR_NOT_READY);
static_assert(cuda::non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::without_timing == CU_EVENT_DISABLE_TIMING);
static_assert(cuda::lazy_peer_access == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
static_assert(cuda::unified_memory == CU_MEMORYTYPE_UNIFIED);
static_assert(cuda::relaxed_capture == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(cuda::capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

static_assert(sizeof(cuda::IpcHandle) == sizeof(CUipcMemHandle));
static_assert(sizeof(cuda::BoxCopy) == sizeof(CUDA_MEMCPY3D));
#define AT(ours, theirs) \
    static_assert(offsetof(cuda::BoxCopy, ours) == offsetof(CUDA_MEMCPY3D, theirs))
AT(from.x, srcXInBytes);
AT(from.y, srcY);
AT(from.z, srcZ);
AT(from.level, srcLOD);
AT(from.memory_type, srcMemoryType);
AT(from.host, srcHost);
AT(from.first, srcDevice);
AT(from.array, srcArray);
AT(from.pitch, srcPitch);
AT(from.height, srcHeight);
AT(to.x, dstXInBytes);
AT(to.y, dstY);
AT(to.z, dstZ);
AT(to.level, dstLOD);
AT(to.memory_type, dstMemoryType);
AT(to.host, dstHost);
AT(to.first, dstDevice);
AT(to.array, dstArray);
AT(to.pitch, dstPitch);
AT(to.height, dstHeight);
AT(width, WidthInBytes);
AT(height, Height);
AT(depth, Depth);
