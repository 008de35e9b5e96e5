#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/device.hpp"
#include "runtime/runtime.hpp"

namespace halocline {
namespace {

/// A volume of two blocks, and a surface of one.
class TwoSpaces : public testing::Test {
protected:
    explicit TwoSpaces(std::shared_ptr<Device> device = nullptr)
        : runtime_(1, nullptr, true, std::move(device)) {
        volume_ = runtime_.add_space();
        surface_ = runtime_.add_space({4, 0, 0});
        runtime_.add_block(volume_, {{0, 0, 0}, {4, 4, 2}});
        runtime_.add_block(volume_, {{0, 0, 2}, {4, 4, 4}});
        runtime_.add_block(surface_, {{0, 0, 0}, {4, 4, 1}});
        depth_ = runtime_.add_field(of(surface_, "depth"));
        speed_ = runtime_.add_field(of(volume_, "speed"));
    }

    static Field of(int space, const char* name) {
        Field field{name, ElementType::float64, 1};
        field.space = space;
        return field;
    }

    double& first(int slot, int block) {
        return *static_cast<double*>(runtime_.view(slot, block).data);
    }

    static std::string said(const auto& work) {
        try {
            work();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "nothing";
    }

    Runtime runtime_;
    int volume_;
    int surface_;
    int depth_;
    int speed_;
};

class Spaces : public TwoSpaces, public testing::WithParamInterface<bool> {
protected:
    Spaces() : TwoSpaces(GetParam() ? emulated_device(3) : nullptr) {}
};

TEST_P(Spaces, have_blocks_of_their_own) {
    EXPECT_EQ(runtime_.block(depth_, 0).cells(), 16);
    EXPECT_EQ(runtime_.block(speed_, 1).lower[2], 2);
    EXPECT_EQ(said([&] { static_cast<void>(runtime_.view(depth_, 1)); }),
              "Runtime: there is no block 1 in space 1; there are 1.");
    EXPECT_EQ(said([&] { runtime_.add_field(of(7, "x")); }),
              "Field 'x': there is no space 7; there are 2.");
    EXPECT_EQ(said([&] {
                  runtime_.set_program("step", {{plan::Swap{depth_, speed_}}});
              }),
              "Program 'step', operation 0 (swap): fields 'depth' and 'speed' differ in type, "
              "components, halo or space.");
    const auto nothing = [](const halocline_call*) {};
    EXPECT_EQ(said([&] {
                  runtime_.add_kernel({"k", nothing, {depth_, speed_}, {}});
              }),
              "Kernel 'k': field 'depth' is on space 1, which has other blocks than space 0, on "
              "which the kernel runs.");
}

TEST_F(TwoSpaces, copies_go_between_the_blocks_of_a_fields_space) {
    first(speed_, 0) = 5.0;
    const int number = runtime_.add_exchange(
        {"copy", {}, {}, {{speed_, speed_, 0, 0, {0, 0, 0}, 1, {0, 0, 2}, {1, 1, 1}}}});
    runtime_.set_program("step", {{plan::Start{number}}, {plan::Wait{number}}});
    runtime_.advance({"step"}, 1);
    EXPECT_EQ(first(speed_, 1), 5.0);
}

TEST_F(TwoSpaces, kernels_count_cells_of_all_fields_from_their_own_block) {
    const int everywhere = runtime_.add_space();
    for (int block = 0; block < 2; ++block) runtime_.add_block(everywhere, {{0, 0, 0}, {8, 8, 8}});
    const int whole = runtime_.add_field(of(everywhere, "whole"));
    const auto write = [](const halocline_call* call) {
        *static_cast<double*>(call->fields[0].data) = 3.0 + static_cast<double>(call->origin[2]);
    };
    Kernel kernel{"k", write, {whole, speed_}, {}};
    kernel.space = volume_;
    kernel.ratios = {{2, 2, 2}};
    EXPECT_EQ(said([&] { runtime_.add_kernel(kernel); }),
              "Kernel 'k': it has 1 ratios for 2 fields.");
    kernel.ratios = {{2, 2, 2}, {1, 1, 1}};
    const int number = runtime_.add_kernel(kernel);
    runtime_.set_program("step", {{plan::Run{number, "k", {{1, {{0, 0, 2}, {1, 1, 3}}}}}}});
    runtime_.advance({"step"}, 1);
    const halocline_field seen = runtime_.view(whole, 1);
    EXPECT_EQ(static_cast<double*>(seen.data)[4 * seen.z], 5.0);
}

TEST_P(Spaces, have_all_blocks_before_their_fields) {
    EXPECT_EQ(said([&] {
                  runtime_.add_block(volume_, {{4, 0, 0}, {8, 4, 4}});
              }),
              "Block [(4, 0, 0), (8, 4, 4)) comes after field 'speed' of its space; expected all "
              "blocks before.");
}

TEST_P(Spaces, fields_may_be_removed) {
    first(speed_, 1) = 2.0;
    static_cast<void>(runtime_.kernel_view(speed_, 1));
    static_cast<void>(runtime_.kernel_view(depth_, 0));
    runtime_.set_program("step", {});
    runtime_.remove_field(depth_);
    EXPECT_THROW(runtime_.advance({"step"}, 1), std::invalid_argument);
    EXPECT_EQ(said([&] { static_cast<void>(runtime_.view(depth_, 0)); }),
              "Runtime: field 'depth' has been removed.");
    EXPECT_EQ(first(speed_, 1), 2.0);
    const int other = runtime_.add_field(of(surface_, "other"));
    EXPECT_EQ(first(other, 0), 0.0);
}

INSTANTIATE_TEST_SUITE_P(HostAndDevice, Spaces, testing::Bool());

}  // namespace
}  // namespace halocline
