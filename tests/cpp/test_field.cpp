#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>

#include "core/field.hpp"

namespace halocline {
namespace {

std::uintptr_t address(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data);
}

/// Element type, whether components are side by side, alignment.
class Alignment : public testing::TestWithParam<std::tuple<ElementType, bool, std::int64_t>> {};

TEST_P(Alignment, of_cell_zero_of_every_row_is_as_wanted) {
    const auto [type, is_interleaved, alignment] = GetParam();
    const Field field{"f", type, 3, {{2, 1, 1}, {1, 3, 0}, alignment}, is_interleaved};
    const Storage storage = store(field, {{17, 5, 4}}, 3, 1).front();
    const halocline_field view = storage.view();
    const std::int64_t size = size_of(field.type);
    for (std::int64_t component = 0; component < (is_interleaved ? 1 : 3); ++component) {
        for (std::int64_t z = -1; z < 4; ++z) {
            for (std::int64_t y = -1; y < 8; ++y) {
                const std::int64_t cell = component * view.component + y * view.y + z * view.z;
                const auto found = address(static_cast<char*>(view.data) + cell * size);
                EXPECT_EQ(found % static_cast<std::uintptr_t>(alignment), 0U);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    AllTypes, Alignment,
    testing::Combine(testing::Values(ElementType::float32, ElementType::float64, ElementType::int32,
                                     ElementType::int64, ElementType::uint8, ElementType::int8,
                                     ElementType::int16, ElementType::uint16, ElementType::uint32,
                                     ElementType::uint64),
                     testing::Bool(), testing::Values(8, 64, 128, 256)));

class Places : public testing::TestWithParam<bool> {};

TEST_P(Places, of_all_numbers_are_different_and_inside_the_memory) {
    const Field field{"f", ElementType::float64, 5, {{2, 1, 1}, {1, 2, 1}, 8}, GetParam()};
    const Storage storage = store(field, {{6, 5, 4}}, 2, 1).front();
    const halocline_field view = storage.view();
    const Box all = storage.layout().allocated;
    std::set<std::int64_t> places;
    for (std::int64_t component = 0; component < 5; ++component) {
        for (std::int64_t z = all.lower[2]; z < all.upper[2]; ++z) {
            for (std::int64_t y = all.lower[1]; y < all.upper[1]; ++y) {
                for (std::int64_t x = all.lower[0]; x < all.upper[0]; ++x) {
                    places.insert(storage.layout().origin + component * view.component +
                                  x * view.x + y * view.y + z * view.z);
                }
            }
        }
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), 5 * all.cells());
    EXPECT_GE(*places.begin(), 0);
    EXPECT_LT(*places.rbegin(), storage.layout().size_bytes / 8);
    EXPECT_EQ(GetParam() ? view.x : view.component, GetParam() ? 5 : view.component);
    EXPECT_EQ(GetParam() ? view.component : view.x, 1);
}

INSTANTIATE_TEST_SUITE_P(BothLayouts, Places, testing::Bool());

TEST(Storage, is_zero_in_owned_cells_and_poison_in_the_halo) {
    const Field field{"f", ElementType::float64, 2, {{1, 2, 1}, {2, 1, 1}}};
    const Storage storage = store(field, {{3, 4, 2}}, 0, 2).front();
    const halocline_field view = storage.view();
    const Box owned{{}, {3, 4, 2}};
    const Box all = storage.layout().allocated;
    for (std::int64_t z = all.lower[2]; z < all.upper[2]; ++z) {
        for (std::int64_t y = all.lower[1]; y < all.upper[1]; ++y) {
            for (std::int64_t x = all.lower[0]; x < all.upper[0]; ++x) {
                const double value =
                    static_cast<double*>(view.data)[view.component + z * view.z + y * view.y + x];
                if (owned.contains({{x, y, z}, {x + 1, y + 1, z + 1}}))
                    EXPECT_EQ(value, 0.0);
                else
                    EXPECT_TRUE(std::isnan(value));
            }
        }
    }
}

TEST(Storage, of_integers_has_the_largest_one_as_poison) {
    const Field field{"mask", ElementType::uint8, 1, {{1, 0, 0}, {0, 0, 0}}};
    const Storage storage = store(field, {{4, 4, 1}}, 0, 1).front();
    EXPECT_EQ(static_cast<std::uint8_t*>(storage.view().data)[-1], 255);
}

TEST(Storage, of_all_blocks_lies_in_one_piece_of_memory_but_of_those_without_cells) {
    const Field field{"f", ElementType::float64, 2, {{1, 0, 0}, {1, 0, 0}}};
    const std::vector<Storage> blocks = store(field, {{9, 4, 1}, {0, 0, 0}, {5, 3, 2}}, 0, 1);
    const std::byte* const first = blocks[0].memory().get();
    EXPECT_EQ(blocks[1].memory(), nullptr);
    EXPECT_EQ(blocks[1].view().data, nullptr);
    // Small ones follow each other line by line.
    EXPECT_EQ(blocks[2].memory().get(),
              first + round_up(blocks[0].layout().size_bytes, line_bytes));
}

TEST(Storage, of_a_block_whose_components_are_spread_over_a_page_begins_with_one) {
    const Field field{"f", ElementType::float64, 2};
    const std::vector<Storage> blocks = store(field, {{9, 4, 1}, {64, 64, 1}}, 0, 1);
    const std::byte* const first = blocks[0].memory().get();
    EXPECT_EQ(blocks[1].memory().get(), first + page_bytes);
}

TEST(Layout, spreads_nineteen_components_over_a_page_at_little_cost) {
    const Field field{"f", ElementType::float64, 19, {{1, 1, 1}, {1, 1, 1}}};
    for (const std::int64_t n : {62, 126, 254, 256, 510}) {
        const Layout layout(field, 0, {n, n, n}, 0);
        std::set<std::int64_t> starts;
        for (int i = 0; i < 19; ++i) starts.insert(i * layout.component * 8 % 4096);
        EXPECT_EQ(starts.size(), 19U) << n;
        EXPECT_NE(layout.y * 8 % 4096, 0) << n;
        EXPECT_NE(layout.z * 8 % 4096, 0) << n;
    }
    const Layout layout(field, 0, {256, 256, 256}, 0);
    EXPECT_LT(static_cast<double>(layout.size_bytes), 1.05 * 19 * 258 * 258 * 258 * 8);
}

TEST(ElementTypes, have_the_names_of_numpy) {
    EXPECT_EQ(element_type("int32"), ElementType::int32);
    EXPECT_EQ(size_of(element_type("float32")), 4);
    EXPECT_THROW(static_cast<void>(element_type("complex64")), std::invalid_argument);
}

}  // namespace
}  // namespace halocline
