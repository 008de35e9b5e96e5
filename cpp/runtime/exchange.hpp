#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "runtime/state.hpp"
#include "transport/transport.hpp"

namespace halocline {

/// Brings halos up to date; owns its buffers and its channel. Used by one thread.
class Exchange {
public:
    /// Throws std::invalid_argument if the plan does not fit the fields and blocks.
    Exchange(const State& state, const plan::Exchange& plan);

    /// Makes receives ready, packs and sends, and does the copies inside this process.
    void start(const State& state);
    /// Completes the receives, unpacks, completes the sends.
    void wait(const State& state);
    /// Lets the messages progress.
    void poll() { channel_->poll(); }

    [[nodiscard]] const std::string& name() const { return name_; }

private:
    struct Part {
        int slot;
        int component;
        int block;
        Box box;  // in cells of the block
        std::int64_t element_size;
        std::byte* buffer;
    };
    struct Copy {
        int slot;
        int component;
        int source_block;
        Index3 source_lower;
        int target_block;
        Index3 target_lower;
        Index3 extent;
        std::int64_t element_size;
    };
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    using Messages = std::vector<std::vector<Part>>;

    [[nodiscard]] std::vector<Buffer> place(const State& state,
                                            const std::vector<plan::Message>& messages,
                                            Messages& parts, const std::string& where);
    [[nodiscard]] Copy resolve(const State& state, const plan::Copy& copy) const;

    std::string name_;
    std::vector<std::unique_ptr<std::byte, Free>> memory_;
    Messages sends_;
    Messages receives_;
    std::vector<Copy> copies_;
    std::unique_ptr<Channel> channel_;  // after the buffers, so that it is destroyed before them
    bool is_started_ = false;
};

}  // namespace halocline
