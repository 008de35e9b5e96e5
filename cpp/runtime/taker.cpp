#include <utility>

#include "runtime/program.hpp"

namespace halocline {
namespace {

void add(void* into, const double* values, std::int64_t count) {
    static_cast<Superaccumulator*>(into)->add({values, static_cast<std::size_t>(count)});
}

void compare(void* into, const double* values, std::int64_t count) {
    static_cast<Extremes*>(into)->take({values, static_cast<std::size_t>(count)});
}

}  // namespace

halocline_taker Taker::of_thread(std::size_t thread) {
    Partial& mine = partials[thread];
    if (reduction == plan::Reduction::sum) return {add, &mine.sum};
    return {compare, &mine.extremes};
}

Partial Taker::found() {
    Partial all{};
    for (Partial& one : partials) all.add(std::exchange(one, {}));
    return all;
}

}  // namespace halocline
