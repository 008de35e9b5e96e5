#include <gtest/gtest.h>

#include <vector>

#include "core/field.hpp"
#include "core/pack.hpp"

namespace halocline {
namespace {

constexpr Index3 owned{9, 7, 5};

/// Calls `work` with every cell of the box and its position in packed order.
template <typename Work>
void for_cells(const Box& box, const Work& work) {
    std::size_t position = 0;
    for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
            for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x) work(x, y, z, position++);
        }
    }
}

template <typename T>
T coordinate(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<T>(x + 10 * (y + 10 * z) % 97);
}

void copy(const BoxCopy& box, int threads) {
    copy_boxes({&box, 1}, threads);
}

/// Packs each of the 26 sides, edges and corners and unpacks it into another field.
template <typename T>
void expect_all_directions(ElementType type, std::int64_t width, int threads,
                           bool is_interleaved = false) {
    const Index3 halo{width, width, width};
    const Field field{"f", type, 2, {halo, halo}, is_interleaved};
    const Storage source = store(field, {owned}, 0, 1).front();
    const Storage target = store(field, {owned}, 1, 1).front();
    const auto at = [](const Storage& storage, std::int64_t x, std::int64_t y,
                       std::int64_t z) -> T& {
        const halocline_field view = storage.view();
        return static_cast<T*>(view.data)[view.component + z * view.z + y * view.y + x * view.x];
    };
    for_cells({{}, owned},
              [&](auto x, auto y, auto z, auto) { at(source, x, y, z) = coordinate<T>(x, y, z); });
    for (int direction = 0; direction < 27; ++direction) {
        const Index3 d{direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
        Box box{{}, owned};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (d[axis] < 0) box.upper[axis] = width;
            if (d[axis] > 0) box.lower[axis] = owned[axis] - width;
        }
        const Index3 n = box.extent();
        std::vector<T> buffer(static_cast<std::size_t>(box.cells()));
        const Rows packed = rows_of(reinterpret_cast<std::byte*>(buffer.data()), sizeof(T), n);
        copy({rows_of(source.view(), sizeof(T), 1, box.lower), packed, n, sizeof(T)}, threads);
        for_cells(box, [&](auto x, auto y, auto z, std::size_t position) {
            ASSERT_EQ(buffer[position], coordinate<T>(x, y, z)) << direction;
        });
        Box halo_box = box;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            halo_box.lower[axis] -= d[axis] * owned[axis];
            halo_box.upper[axis] -= d[axis] * owned[axis];
        }
        copy({packed, rows_of(target.view(), sizeof(T), 1, halo_box.lower), n, sizeof(T)}, threads);
        for_cells(halo_box, [&](auto x, auto y, auto z, std::size_t position) {
            ASSERT_EQ(at(target, x, y, z), buffer[position]) << direction;
        });
    }
}

TEST(Pack, gathers_and_scatters_every_direction_of_float64) {
    for (const std::int64_t width : {1, 2, 3}) {
        expect_all_directions<double>(ElementType::float64, width, 1);
    }
}

TEST(Pack, gathers_and_scatters_components_that_lie_side_by_side) {
    for (const std::int64_t width : {1, 3}) {
        expect_all_directions<double>(ElementType::float64, width, 2, true);
        expect_all_directions<std::uint16_t>(ElementType::float16, width, 1, true);
    }
}

TEST(Pack, gathers_and_scatters_every_direction_of_float32) {
    expect_all_directions<float>(ElementType::float32, 1, 2);
}

TEST(Pack, gathers_and_scatters_every_direction_of_uint8) {
    expect_all_directions<std::uint8_t>(ElementType::uint8, 1, 1);
}

TEST(Pack, with_two_threads_copies_a_big_box_completely) {
    const Index3 extent{1, 300, 301};
    const Field field{"f", ElementType::float64, 1};
    const Storage source = store(field, {extent}, 0, 1).front();
    const halocline_field view = source.view();
    for_cells({{}, extent}, [&](auto, auto y, auto z, std::size_t position) {
        static_cast<double*>(view.data)[y * view.y + z * view.z] = static_cast<double>(position);
    });
    std::vector<double> buffer(300 * 301);
    copy({rows_of(view, 8, 0, {}), rows_of(reinterpret_cast<std::byte*>(buffer.data()), 8, extent),
          extent, 8},
         2);
    for (std::size_t i = 0; i < buffer.size(); ++i) {
        ASSERT_EQ(buffer[i], static_cast<double>(i));
    }
}

TEST(Pack, with_two_threads_copies_many_boxes_completely) {
    // Of several shapes, so that threads share boxes in the middle of a plane.
    const std::vector<Index3> extents{{1, 300, 20}, {70, 11, 13}, {0, 4, 4}, {3, 2, 1}, {9, 1, 40}};
    constexpr std::size_t repeated = 100;
    std::vector<std::vector<float>> sources;
    std::vector<std::vector<float>> targets;
    for (std::size_t n = 0; n < repeated * extents.size(); ++n) {
        const Box box{{}, extents[n % extents.size()]};
        sources.emplace_back(static_cast<std::size_t>(box.cells()));
        targets.emplace_back(sources.back().size(), -1.0F);
        for (std::size_t i = 0; i < sources.back().size(); ++i) {
            sources.back()[i] = static_cast<float>(n + i);
        }
    }
    std::vector<BoxCopy> boxes;
    for (std::size_t n = 0; n < sources.size(); ++n) {
        const Index3& extent = extents[n % extents.size()];
        const auto rows = [&](std::vector<float>& values) {
            return rows_of(reinterpret_cast<std::byte*>(values.data()), sizeof(float), extent);
        };
        boxes.push_back({rows(sources[n]), rows(targets[n]), extent, sizeof(float)});
    }
    copy_boxes(boxes, 2);
    EXPECT_EQ(targets, sources);
}

}  // namespace
}  // namespace halocline
