#include <gtest/gtest.h>

#include "core/box.hpp"

namespace halocline {
namespace {

TEST(Box, counts_the_cells_of_a_half_open_box) {
    EXPECT_EQ((Box{{1, 2, 3}, {3, 5, 4}}.cells()), 6);
}

TEST(Box, without_extent_along_one_axis_is_empty) {
    const Box box{{0, 4, 0}, {5, 3, 5}};
    EXPECT_TRUE(box.is_empty());
    EXPECT_EQ(box.cells(), 0);
}

TEST(Box, contains_itself_and_empty_boxes_but_no_neighbour) {
    const Box box{{0, 0, 0}, {4, 4, 4}};
    EXPECT_TRUE(box.contains(box));
    EXPECT_TRUE(box.contains({{9, 9, 9}, {9, 9, 9}}));
    EXPECT_FALSE(box.contains({{-1, 0, 0}, {4, 4, 4}}));
    EXPECT_FALSE(box.contains({{0, 0, 0}, {4, 4, 5}}));
}

TEST(Box, grows_by_different_widths_and_moves) {
    const Box box = Box{{10, 10, 10}, {12, 12, 12}}.relative_to({10, 10, 10});
    EXPECT_EQ(box.grow({1, 0, 2}, {0, 3, 0}), (Box{{-1, 0, -2}, {2, 5, 2}}));
}

}  // namespace
}  // namespace halocline
