#include <gtest/gtest.h>

#include "transport/link.hpp"

namespace halocline {
namespace {

constexpr std::int64_t ms = 1000000;

TEST(Link, adds_latency_and_time_per_byte) {
    Link link(0.5, 1e-3);
    const std::int64_t before = now_ns();
    const std::int64_t arrival = link.send(100);
    EXPECT_GE(arrival, before + 600 * ms);
    EXPECT_LE(arrival, now_ns() + 600 * ms);
}

TEST(Link, sends_one_message_after_the_other) {
    Link link(0.5, 1e-3);
    const std::int64_t first = link.send(200);
    EXPECT_EQ(link.send(300), first + 300 * ms);
}

TEST(Link, is_crossed_twice_by_what_is_fetched) {
    Link link(0.5, 1.0);
    const std::int64_t first = link.send(1);
    EXPECT_EQ(link.send(1, 2), first + 1500 * ms);
}

}  // namespace
}  // namespace halocline
