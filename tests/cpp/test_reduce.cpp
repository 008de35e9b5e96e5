#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "runtime/runtime.hpp"

namespace halocline {
namespace {

/// Stores a number; those of 16 bits are never computed with, so tests use whole ones as they are.
template <typename T>
void set(T& target, double value) {
    if constexpr (std::is_same_v<T, Half>) {
        target.bits = static_cast<std::uint16_t>(static_cast<std::int64_t>(value));
    } else {
        target = static_cast<T>(value);
    }
}

// A single block is large enough for threads, in single precision too.
constexpr std::int64_t n = 52;
constexpr std::int64_t wide = 102;
static_assert(wide * wide * n * 4 >= parallel_bytes);
const Box domain{{5, -3, 0}, {5 + wide, -3 + wide, n}};

/// A value that depends only on the global cell, with 200 binary orders of magnitude.
double value(std::int64_t x, std::int64_t y, std::int64_t z) {
    // Splitmix64: Steele, Lea, Flood 2014.
    auto random = static_cast<std::uint64_t>(x + 100 * (y + 100 * z)) * 0x9E3779B97F4A7C15;
    random = (random ^ (random >> 30)) * 0xBF58476D1CE4E5B9;
    random = (random ^ (random >> 27)) * 0x94D049BB133111EB;
    const double mantissa = static_cast<double>(random) / 0x1p64 - 0.5;
    return std::ldexp(mantissa, static_cast<int>((random ^ (random >> 31)) % 200) - 100);
}

/// A runtime whose domain is cut into `blocks` blocks along z, with all cells set.
class Cut {
public:
    Cut(int blocks, int threads, ElementType type) : runtime(threads) {
        const int space = runtime.add_space();
        for (int i = 0; i < blocks; ++i) {
            Box box = domain;
            box.lower[2] = n * i / blocks;
            box.upper[2] = n * (i + 1) / blocks;
            boxes.push_back({i, box});
            runtime.add_block(space, box);
        }
        runtime.add_field({"f", type, 2, {{1, 1, 1}, {1, 1, 1}}});
        scalar = runtime.add_scalar(0);
        with_type(type, [&]<typename T>(T) { fill<T>(); });
    }

    template <typename T>
    T& at(int block, const Index3& cell) {
        const halocline_field& view = runtime.view(0, block);
        const Index3 local = cell - boxes[static_cast<std::size_t>(block)].box.lower;
        return static_cast<T*>(
            view.data)[view.component + local[0] + local[1] * view.y + local[2] * view.z];
    }

    double reduce(plan::Reduction reduction) {
        runtime.set_program("step", {{plan::Reduce{reduction, 0, 1, boxes, scalar}}});
        runtime.advance({"step"}, 1);
        return runtime.scalar(scalar);
    }

    void check() {
        runtime.set_program("step", {{plan::Check{0, boxes}}});
        runtime.advance({"step"}, 1);
    }

    Runtime runtime;
    std::vector<plan::BlockBox> boxes;
    int scalar = 0;

private:
    template <typename T>
    void fill() {
        for (const plan::BlockBox& part : boxes) {
            for (std::int64_t z = part.box.lower[2]; z < part.box.upper[2]; ++z) {
                for (std::int64_t y = part.box.lower[1]; y < part.box.upper[1]; ++y) {
                    for (std::int64_t x = part.box.lower[0]; x < part.box.upper[0]; ++x) {
                        if constexpr (std::is_integral_v<T>) {
                            at<T>(part.block, {x, y, z}) = static_cast<T>(x % 7 + y % 3);
                        } else {
                            set(at<T>(part.block, {x, y, z}), value(x, y, z));
                        }
                    }
                }
            }
        }
    }
};

std::uint64_t bits(double number) {
    return std::bit_cast<std::uint64_t>(number);
}

TEST(Reduce, sum_has_the_same_bits_for_any_blocks_and_threads) {
    for (const ElementType type : {ElementType::float64, ElementType::float32}) {
        const double expected = Cut(1, 1, type).reduce(plan::Reduction::sum);
        for (const int blocks : {1, 2, 5, 36}) {
            for (const int threads : {1, 2, 3}) {
                EXPECT_EQ(bits(Cut(blocks, threads, type).reduce(plan::Reduction::sum)),
                          bits(expected))
                    << blocks << " blocks, " << threads << " threads";
            }
        }
    }
}

TEST(Reduce, sum_of_integers_is_exact) {
    std::int64_t expected = 0;
    for (std::int64_t y = domain.lower[1]; y < domain.upper[1]; ++y) {
        for (std::int64_t x = domain.lower[0]; x < domain.upper[0]; ++x) {
            expected += n * (x % 7 + y % 3);
        }
    }
    EXPECT_EQ(Cut(3, 2, ElementType::int32).reduce(plan::Reduction::sum),
              static_cast<double>(expected));
}

TEST(Reduce, extremes_are_those_of_all_blocks_and_ignore_the_sign_of_zero) {
    Cut cut(3, 2, ElementType::float64);
    cut.at<double>(2, {8, 0, 35}) = 0x1p120;
    cut.at<double>(0, {8, 0, 3}) = -0x1p121;
    EXPECT_EQ(cut.reduce(plan::Reduction::max), 0x1p120);
    EXPECT_EQ(cut.reduce(plan::Reduction::min), -0x1p121);
    cut.boxes = {{0, {{5, -3, 0}, {6, -2, 1}}}};
    cut.at<double>(0, {5, -3, 0}) = -0.0;
    EXPECT_EQ(bits(cut.reduce(plan::Reduction::max)), bits(0.0));
}

TEST(Reduce, passes_a_nan_on) {
    Cut cut(2, 2, ElementType::float32);
    cut.at<float>(1, {9, 9, 30}) = std::nanf("");
    EXPECT_TRUE(std::isnan(cut.reduce(plan::Reduction::sum)));
    EXPECT_TRUE(std::isnan(cut.reduce(plan::Reduction::min)));
    EXPECT_TRUE(std::isnan(cut.reduce(plan::Reduction::max)));
}

TEST(Reduce, of_no_cells_is_neutral) {
    Cut cut(1, 1, ElementType::float64);
    cut.boxes.clear();
    EXPECT_EQ(cut.reduce(plan::Reduction::sum), 0.0);
    EXPECT_EQ(cut.reduce(plan::Reduction::min), std::numeric_limits<double>::infinity());
}

TEST(Check, names_the_first_nan_in_the_order_z_y_x_on_any_blocks_and_threads) {
    for (const auto& [blocks, threads] : {std::pair{3, 1}, {3, 2}, {1, 1}, {1, 3}}) {
        Cut cut(blocks, threads, ElementType::float64);
        for (const Index3& cell : {Index3{5, -3, 35}, {7, 2, 20}, {6, 3, 20}})
            cut.at<double>(static_cast<int>(cell[2] * blocks / n), cell) = std::nan("");
        cut.runtime.set_step(41);
        try {
            cut.check();
            FAIL() << "no exception";
        } catch (const OutOfLimits& error) {
            EXPECT_EQ(error.field, "f");
            EXPECT_EQ(error.step, 41);
            EXPECT_EQ(error.component, 1);
            EXPECT_EQ(error.cell, (Index3{7, 2, 20}));
            EXPECT_TRUE(std::isnan(error.value));
        }
    }
}

TEST(Check, does_not_look_at_the_halo_and_accepts_infinity) {
    Cut cut(2, 1, ElementType::float64);
    cut.at<double>(0, {8, 8, 8}) = std::numeric_limits<double>::infinity();
    EXPECT_NO_THROW(cut.check());
}

}  // namespace
}  // namespace halocline
