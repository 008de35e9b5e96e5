// Linear interpolation and injection at sorted random points, as one would write it by hand.
//
// g++ -O3 -o bare bare.cpp && ./bare CELLS
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

double processor_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Point {
    std::int64_t offset;
    double x, y, z;  // fractions
};

constexpr int repeats = 10;

template <typename Work>
void measure(const char* what, std::size_t count, const Work& work) {
    double best = 1e9;
    for (int turn = 0; turn < 5; ++turn) {
        const double begin = processor_s();
        for (int i = 0; i < repeats; ++i) work();
        best = std::min(best, processor_s() - begin);
    }
    std::printf("bare %s %.2f ns a point\n", what,
                best / repeats / static_cast<double>(count) * 1e9);
}

}  // namespace

int main(int, char** arguments) {
    const std::int64_t n = std::atoll(arguments[1]), plane = n * n;
    constexpr std::size_t count = 1000000;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> anywhere(0, static_cast<double>(n - 1));
    std::vector<Point> points(count);
    for (Point& point : points) {
        const double x = anywhere(random), y = anywhere(random), z = anywhere(random);
        const auto i = static_cast<std::int64_t>(x), j = static_cast<std::int64_t>(y),
                   k = static_cast<std::int64_t>(z);
        point = {k * plane + j * n + i, x - static_cast<double>(i), y - static_cast<double>(j),
                 z - static_cast<double>(k)};
    }
    std::ranges::sort(points, {}, &Point::offset);
    std::vector<double> field(static_cast<std::size_t>(plane * n), 1.0), found(count);
    measure("interpolation", count, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            const Point& p = points[i];
            const double* const a = field.data() + p.offset;
            const double* const b = a + plane;
            const auto along = [&](const double* row) { return row[0] * (1 - p.x) + row[1] * p.x; };
            found[i] = (along(a) * (1 - p.y) + along(a + n) * p.y) * (1 - p.z) +
                       (along(b) * (1 - p.y) + along(b + n) * p.y) * p.z;
        }
    });
    measure("injection", count, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            const Point& p = points[i];
            const auto add = [&](double* row, double amount) {
                row[0] += amount * (1 - p.x);
                row[1] += amount * p.x;
            };
            double* const a = field.data() + p.offset;
            double* const b = a + plane;
            add(a, found[i] * (1 - p.z) * (1 - p.y));
            add(a + n, found[i] * (1 - p.z) * p.y);
            add(b, found[i] * p.z * (1 - p.y));
            add(b + n, found[i] * p.z * p.y);
        }
    });
    return found[0] > 2 ? 1 : 0;
}
