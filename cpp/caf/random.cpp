// RANDOM_INIT.

#include <vector>

#include "caf/api.hpp"
#include "caf/report.hpp"
#include "pgas/mixed.hpp"

using namespace halocline;
using namespace halocline::caf;

// Of libgfortran, which every program has: RANDOM_SEED with one of its arguments.
extern "C" __attribute__((weak)) void _gfortran_random_seed_i4(int* size, Descriptor* put,
                                                               Descriptor* get);

namespace {

/// The next number of SplitMix64.
std::uint64_t next(std::uint64_t& state) {
    const std::uint64_t number = pgas::mixed(state);
    state += pgas::golden_step;
    return number;
}

}  // namespace

void _gfortran_caf_random_init(bool repeatable, bool image_distinct) {
    if (_gfortran_random_seed_i4 == nullptr) {
        error(
            "RANDOM_INIT needs libgfortran as a shared library: link without "
            "-static-libgfortran.");
    }
    static std::uint64_t calls = 0;
    ++calls;
    const pgas::Job& job = images().job();
    // Images that call it equally often agree without a word.
    std::uint64_t state = repeatable ? 0 : job.block().control().salt + calls;
    if (image_distinct) {
        std::uint64_t image = static_cast<std::uint64_t>(job.me()) + 1;
        state ^= next(image);
    }
    int size = 0;
    _gfortran_random_seed_i4(&size, nullptr, nullptr);
    std::vector<std::int32_t> seed(static_cast<std::size_t>(size));
    for (std::int32_t& number : seed) number = static_cast<std::int32_t>(next(state));
    Descriptor descriptor{};
    descriptor.base = reinterpret_cast<std::byte*>(seed.data());
    descriptor.offset = static_cast<std::size_t>(-1);
    descriptor.type = {sizeof(std::int32_t), 0, 1, integer_type, 0};
    descriptor.span = sizeof(std::int32_t);
    descriptor.dimensions[0] = {1, 1, size};
    _gfortran_random_seed_i4(nullptr, &descriptor, nullptr);
}
