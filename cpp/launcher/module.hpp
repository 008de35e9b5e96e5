#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halocline::launcher {

/// Whether a file among a compiler's arguments has 'use opencoarrays'.
[[nodiscard]] bool use_opencoarrays(const std::vector<std::string>& arguments);

/// A folder of its own for what lives as long as this.
class TemporaryFolder {
public:
    /// Throws pgas::JobError if it cannot be made.
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace halocline::launcher
