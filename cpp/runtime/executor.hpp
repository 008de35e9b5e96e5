#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/field.hpp"
#include "core/plan.hpp"
#include "runtime/reduce.hpp"
#include "runtime/transfers.hpp"
#include "transport/transport.hpp"

namespace halocline {

struct Round;
struct TimeLoop;
namespace program {
struct Run;
struct Wavefront;
struct Poison;
struct Reduce;
struct Check;
}  // namespace program

/// Where kernels use a field on a block.
struct KernelView {
    halocline_field view{};
    std::shared_ptr<std::byte> memory;  ///< that `view` points into
    std::optional<int> device;          ///< the number of the device that has it, if not the host
};

/// Who does the operations of a plan to the cells: the processor, or a device beside it.
///
/// The time loop says what comes next, and an executor does it. A runtime has one from its
/// beginning on. All calls from one thread.
class Executor {
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    /// Learns of a new storage: the host's memory for each block.
    virtual void add_storage(const std::vector<Storage>& blocks) = 0;
    /// Gives back what there is of a storage beside the host's memory, with what it holds.
    virtual void clear(std::size_t storage) = 0;
    /// Returns when the host's memory has the newest values of a storage.
    virtual void to_host(std::size_t storage, bool will_write) = 0;
    /// Where kernels use a storage; whoever asks may write there.
    [[nodiscard]] virtual KernelView kernel_view(std::size_t storage, int block) = 0;

    /// Runs a kernel in its boxes. Scalars and active runs are those of now.
    virtual void run(program::Run& run) = 0;
    /// Runs the kernels of a wavefront, likewise.
    virtual void run(program::Wavefront& wavefront) = 0;
    /// Overwrites cells with poison.
    virtual void poison(program::Poison& poison) = 0;
    /// Takes together the values that this rank has, or that the kernel of the reduction gives.
    [[nodiscard]] virtual Partial reduce(program::Reduce& reduce) = 0;
    /// The first NaN on this rank.
    [[nodiscard]] virtual Outlier first_outlier(program::Check& check) = 0;

    /// Prepares messages of one exchange, which must outlive the channel.
    [[nodiscard]] virtual std::unique_ptr<Channel> open(plan::TransportKind kind,
                                                        const Messages& messages) = 0;
    /// Called before the channels of an exchange start.
    virtual void prepare(const Transfers& transfers) = 0;
    /// Does the copies between blocks of this rank.
    virtual void copy(Transfers& transfers) = 0;
    /// Called when channels have delivered messages, before anything reads them.
    virtual void take_delivered() = 0;

    /// Does some of the steps to come all at once, if it knows how; returns how many.
    [[nodiscard]] virtual std::int64_t advance(const TimeLoop& loop, const Round& round,
                                               std::int64_t most) = 0;
    /// Called when programs change.
    virtual void forget_programs() = 0;
    /// Returns when all that it was told is done.
    virtual void finish() = 0;
};

}  // namespace halocline
