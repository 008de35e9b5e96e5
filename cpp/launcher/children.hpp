#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "pgas/block.hpp"

namespace halocline::launcher {

/// The processes of the images.
class Children {
public:
    /// Starts a command once for each image. Throws pgas::JobError if it cannot be started.
    Children(const pgas::Block& block, const std::vector<std::string>& command);

    /// Waits until one of them ends, or a signal arrives; false if all have ended.
    bool wait_for_one();
    /// Sends a signal to those that have not ended.
    void kill_all(int signal) const;

    /// What the job has come to.
    [[nodiscard]] int exit_code() const;

private:
    void start(int image, const std::vector<std::string>& command);
    void ended(int image, int status);
    void say(int image, const std::string& what) const;

    const pgas::Block& block_;
    std::vector<pid_t> processes_;  ///< by image; 0: has ended
    std::vector<int> codes_;        ///< of those that have ended
    bool has_joined_ = false;
};

}  // namespace halocline::launcher
