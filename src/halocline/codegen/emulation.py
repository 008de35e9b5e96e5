"""Make CUDA text compile as C++: the threads of a launch run one after the other, in any order."""

from __future__ import annotations

from halocline.codegen.source import Source

# Few headers: every text is compiled anew, and large ones would take longer than the kernels.
_BEFORE = """\
#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

extern "C" {
extern const int32_t halocline_abi;
const int32_t halocline_abi = HALOCLINE_ABI;
}

#define __global__
#define __device__
#define __launch_bounds__(threads, blocks)

namespace emulation {
struct Index {
    uint32_t x, y, z;
};
}  // namespace emulation

static thread_local emulation::Index gridDim, blockDim, blockIdx, threadIdx;

template <class T>
static inline T __ldg(const T* address) {
    return *address;
}

template <class T>
static inline void atomicAdd(T* address, T value) {
    *address += value;
}
template <class T>
static inline void atomicMin(T* address, T value) {
    if (value < *address) *address = value;
}
template <class T>
static inline void atomicMax(T* address, T value) {
    if (value > *address) *address = value;
}

"""

_AFTER = """\
namespace emulation {

Index place(uint64_t number, const Index& extent) {
    return {static_cast<uint32_t>(number % extent.x),
            static_cast<uint32_t>(number / extent.x % extent.y),
            static_cast<uint32_t>(number / extent.x / extent.y)};
}

uint64_t count(const Index& extent) {
    return static_cast<uint64_t>(extent.x) * extent.y * extent.z;
}

// Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators".
uint64_t next_random(uint64_t& state) {
    uint64_t mixed = state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

template <class... Parameters>
struct Thread {
    Thread(void (*kernel)(Parameters...), const Parameters&... parameters) {
        kernel(parameters...);
    }
};

// Runs every thread once; 'seed' says in which order.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), void** parameters, const uint32_t* grid,
            const uint32_t* block, uint64_t seed) {
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    const uint64_t threads = count(gridDim) * count(blockDim);
    auto* const order = static_cast<uint64_t*>(__builtin_malloc(threads * sizeof(uint64_t)));
    for (uint64_t i = 0; i < threads; ++i) {
        // Puts i at a place among those before it: so every order is as likely.
        const uint64_t other = next_random(seed) % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (uint64_t i = 0; i < threads; ++i) {
        blockIdx = place(order[i] / count(blockDim), gridDim);
        threadIdx = place(order[i] % count(blockDim), blockDim);
        void** next = parameters;
        // Braces, unlike parentheses, evaluate what is in them in order.
        Thread<Parameters...>{kernel, *static_cast<Parameters*>(*next++)...};
    }
    __builtin_free(order);
}

}  // namespace emulation

"""


def emulated(source: Source) -> Source:
    """Return a CUDA translation unit as C++, with a function 'NAME_launch' for each kernel NAME.

    It is called as 'cuLaunchKernel' is:

        void NAME_launch(void** parameters, const uint32_t grid[3], const uint32_t block[3],
                         uint64_t seed)

    A kernel whose threads depend on each other gives other results with another seed.
    """
    launches = tuple(f"{entry}_launch" for entry in source.entries)
    functions = "".join(
        f'extern "C" void {launch}(void** parameters, const uint32_t* grid, const uint32_t* block,'
        f"\n    uint64_t seed) {{\n"
        f"    emulation::launch({entry}, parameters, grid, block, seed);\n}}\n\n"
        for launch, entry in zip(launches, source.entries, strict=True)
    )
    return Source("c++", _BEFORE + source.text + _AFTER + functions, launches)
