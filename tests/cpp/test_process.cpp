#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pgas/process.hpp"

namespace halocline::pgas {
namespace {

TEST(Process, this_one_runs) {
    EXPECT_EQ(Process::current().number, getpid());
    EXPECT_FALSE(Process::current().has_ended());
}

TEST(Process, one_that_has_the_number_of_another_is_not_taken_for_it) {
    const Process before{getpid(), Process::current().started - 1};
    EXPECT_TRUE(before.has_ended());
}

TEST(Process, one_whose_parent_has_not_asked_for_its_status_has_ended) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t information{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOWAIT), 0);
    const Process process{child, 0};
    EXPECT_TRUE(process.has_ended());
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(process.has_ended());
}

}  // namespace
}  // namespace halocline::pgas
