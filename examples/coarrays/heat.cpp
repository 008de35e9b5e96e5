// Heat in a bar whose ends are kept cold; each image has a piece of it. The result is compared with
// the exact solution of the same differences.
//
//     at=$(python -c 'import halocline; print(*halocline.__path__)')/caf
//     g++ -std=c++20 -O2 -I $at/include heat.cpp -L $at/lib -lhalocline_pgas -o heat
//     $at/bin/halocline-caf run -n 4 ./heat
//
// With '-Wl,-rpath,$at/lib', where MPI's part of the library is, also: mpiexec -n 4 ./heat

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>

#include "pgas/coarray.hpp"

using namespace halocline::pgas;

int main() {
    constexpr std::int64_t cells = 1 << 10;  // of the whole bar
    constexpr int steps = 2000;
    constexpr double a = 0.25;  // diffusivity * time step / width of a cell squared

    const int me = this_image();
    const int images = num_images();
    const std::int64_t mine = cells / images;
    const std::int64_t first = (me - 1) * mine;
    const auto mode = [](std::int64_t cell) {
        return std::sin(std::numbers::pi * static_cast<double>(cell + 1) / (cells + 1));
    };

    // Cells 1 to `mine` are this image's own; 0 and `mine + 1` belong to its neighbours. Two
    // copies, so that nobody writes what another image still reads.
    const coarray<double> u({2, mine + 2});
    const View<double> here = u.here();
    for (std::int64_t i = 1; i <= mine; ++i) here(0, i) = mode(first + i - 1);

    for (int step = 0; step < steps; ++step) {
        const int now = step % 2;
        if (me > 1) u[me - 1](now, mine + 1) = here(now, 1);
        if (me < images) u[me + 1](now, 0) = here(now, mine);
        sync_all();
        for (std::int64_t i = 1; i <= mine; ++i) {
            here(1 - now, i) =
                here(now, i) + a * (here(now, i - 1) - 2 * here(now, i) + here(now, i + 1));
        }
    }

    // A sine keeps its shape and fades by the same factor each step.
    const double fade = 1 - 4 * a * std::pow(std::sin(std::numbers::pi / 2 / (cells + 1)), 2);
    double error = 0;
    for (std::int64_t i = 1; i <= mine; ++i) {
        const double exact = std::pow(fade, steps) * mode(first + i - 1);
        error = std::max(error, std::abs(here(steps % 2, i) - exact));
    }
    error = co_max(error);
    if (me == 1) std::printf("%d images: largest error %.1e\n", images, error);
    return error < 1e-12 ? 0 : 1;
}
