#include <gtest/gtest.h>

#include <cstdint>

#include "runtime/crew.hpp"

namespace halocline {
namespace {

constexpr Crew::Ticks alone = 4'000'000;  // for one thread that nobody disturbs

/// Does work for so long, beside some busy programs or none, and returns how much of it.
///
/// Each of those takes half of a core from the threads, of which there are as many as cores.
double work_done(Crew& crew, Crew::Ticks& least, double seconds, int all, int busy) {
    double done = 0;
    for (double left = seconds * 2.5e9; left > 0;) {
        const int threads = crew.threads();
        const bool is_disturbed = threads > all - busy;
        const Crew::Ticks ticks =
            (is_disturbed ? 5 : 2) * alone / 2 / static_cast<Crew::Ticks>(threads);
        crew.took(ticks, least);
        left -= static_cast<double>(ticks);
        ++done;
    }
    return done / (seconds * 2.5e9 / alone);  // in parts of one thread
}

TEST(Crew, UsesAllThreadsWhereNobodyDisturbs) {
    Crew crew(2);
    Crew::Ticks least = Crew::unknown;
    EXPECT_NEAR(work_done(crew, least, 5, 2, 0), 2.0, 0.001);
}

TEST(Crew, IsNotSlowerThanOneThreadBesideABusyProgram) {
    Crew crew(2);
    Crew::Ticks least = Crew::unknown;
    work_done(crew, least, 1, 2, 0);
    EXPECT_GT(work_done(crew, least, 10, 2, 1), 0.98);
    EXPECT_EQ(crew.threads(), 1);
}

TEST(Crew, LeavesAsManyCoresAsOthersWant) {
    Crew crew(8);
    Crew::Ticks least = Crew::unknown;
    work_done(crew, least, 1, 8, 0);
    EXPECT_GT(work_done(crew, least, 10, 8, 2), 5.5);
}

TEST(Crew, UsesAllThreadsAgainWhenTheOthersHaveGone) {
    Crew crew(2);
    Crew::Ticks least = Crew::unknown;
    work_done(crew, least, 1, 2, 0);
    work_done(crew, least, 30, 2, 1);
    work_done(crew, least, 3, 2, 0);
    EXPECT_EQ(crew.threads(), 2);
    EXPECT_NEAR(work_done(crew, least, 5, 2, 0), 2.0, 0.001);
}

TEST(Crew, StaysWithAllThreadsWhereFewerAreNoFaster) {
    Crew crew(2);
    Crew::Ticks least = Crew::unknown;
    crew.took(1'000'000, least);
    for (int i = 0; i < 10'000; ++i) crew.took(crew.threads() == 2 ? 2'500'000 : 4'000'000, least);
    std::int64_t with_all = 0;
    for (int i = 0; i < 10'000; ++i) {
        with_all += crew.threads() == 2;
        crew.took(crew.threads() == 2 ? 2'500'000 : 4'000'000, least);
    }
    EXPECT_GT(with_all, 9'800);
}

TEST(Crew, OfOneIsNeverChanged) {
    Crew crew(1);
    Crew::Ticks least = Crew::unknown;
    crew.took(1'000'000, least);
    for (int i = 0; i < 1'000; ++i) crew.took(50'000'000, least);
    EXPECT_EQ(crew.threads(), 1);
}

}  // namespace
}  // namespace halocline
