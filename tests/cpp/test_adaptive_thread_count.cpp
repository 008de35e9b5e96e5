#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/adaptive_thread_count.hpp"

namespace halocline {
namespace {

constexpr AdaptiveThreadCount::Ticks alone = 4'000'000;  // for one thread that nobody disturbs

/// Does work for so long, beside some busy programs or none, and returns how much of it.
///
/// Each of those takes half of a core from the threads, of which there are as many as cores.
double work_done(AdaptiveThreadCount& count, AdaptiveThreadCount::Ticks& least, double seconds,
                 int all, int busy) {
    double done = 0;
    for (double left = seconds * 2.5e9; left > 0;) {
        const int threads = count.threads();
        const bool is_disturbed = threads > all - busy;
        const AdaptiveThreadCount::Ticks ticks =
            (is_disturbed ? 5 : 2) * alone / 2 / static_cast<AdaptiveThreadCount::Ticks>(threads);
        count.took(ticks, least);
        left -= static_cast<double>(ticks);
        ++done;
    }
    return done / (seconds * 2.5e9 / alone);  // in parts of one thread
}

TEST(AdaptiveThreadCount, UsesAllThreadsWhereNobodyDisturbs) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    EXPECT_GT(work_done(count, least, 20, 2, 0), 1.98);
    EXPECT_EQ(count.threads(), 2);
}

TEST(AdaptiveThreadCount, IsNotSlowerThanOneThreadBesideABusyProgram) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    work_done(count, least, 1, 2, 0);
    EXPECT_GT(work_done(count, least, 10, 2, 1), 0.98);
    EXPECT_EQ(count.threads(), 1);
}

TEST(AdaptiveThreadCount, IsNotSlowerThanOneThreadBesideAProgramThatWasThereFirst) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    EXPECT_GT(work_done(count, least, 10, 2, 1), 0.97);
    EXPECT_EQ(count.threads(), 1);
    work_done(count, least, 3, 2, 0);
    EXPECT_EQ(count.threads(), 2);
}

TEST(AdaptiveThreadCount, NoticesForWorkThatTakesLongerThanAWindow) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    std::int64_t alone_calls = 0;
    for (int i = 0; i < 400; ++i) {
        alone_calls += count.threads() == 1;
        count.took(count.threads() == 2 ? 500'000'000 : 400'000'000, least);
    }
    EXPECT_GT(alone_calls, 380);
}

TEST(AdaptiveThreadCount, UsesThreadsAgainThatShareASlowMemory) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    work_done(count, least, 2, 2, 1);
    EXPECT_EQ(count.threads(), 1);
    // Two threads together are 1.4 times as fast as one.
    for (int i = 0; i < 1'000; ++i)
        count.took(count.threads() == 2 ? 10'000'000 : 14'000'000, least);
    EXPECT_EQ(count.threads(), 2);
}

TEST(AdaptiveThreadCount, LeavesAsManyCoresAsOthersWant) {
    AdaptiveThreadCount count(8);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    work_done(count, least, 1, 8, 0);
    EXPECT_GT(work_done(count, least, 10, 8, 2), 5.5);
}

TEST(AdaptiveThreadCount, UsesAllThreadsAgainWhenTheOthersHaveGone) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    work_done(count, least, 1, 2, 0);
    work_done(count, least, 30, 2, 1);
    work_done(count, least, 3, 2, 0);
    EXPECT_EQ(count.threads(), 2);
    EXPECT_GT(work_done(count, least, 20, 2, 0), 1.98);
}

TEST(AdaptiveThreadCount, StaysWithAllThreadsWhereFewerAreNoFaster) {
    AdaptiveThreadCount count(2);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    count.took(1'000'000, least);
    for (int i = 0; i < 10'000; ++i)
        count.took(count.threads() == 2 ? 2'500'000 : 4'000'000, least);
    std::int64_t with_all = 0;
    for (int i = 0; i < 10'000; ++i) {
        with_all += count.threads() == 2;
        count.took(count.threads() == 2 ? 2'500'000 : 4'000'000, least);
    }
    EXPECT_GT(with_all, 9'800);
}

TEST(AdaptiveThreadCount, OfOneIsNeverChanged) {
    AdaptiveThreadCount count(1);
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;
    count.took(1'000'000, least);
    for (int i = 0; i < 1'000; ++i) count.took(50'000'000, least);
    EXPECT_EQ(count.threads(), 1);
}

}  // namespace
}  // namespace halocline
