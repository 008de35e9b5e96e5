#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/field.hpp"
#include "core/plan.hpp"
#include "device/device.hpp"
#include "device/services.hpp"
#include "runtime/clock.hpp"
#include "runtime/executor.hpp"
#include "runtime/program.hpp"
#include "runtime/state.hpp"
#include "runtime/timeloop.hpp"
#include "runtime/timers.hpp"

namespace halocline {

/// Executes a plan: its programs, each a list of operations with a name.
///
/// Fields have values on the blocks of a space, which come before them. One thread at a time may
/// use a runtime. Whatever is wrong with a plan is said when it is given, as std::invalid_argument.
class HALOCLINE_EXPORT Runtime {
public:
    /// Without a transport: a single process. `share`: whether fields lie where other processes
    /// of the machine can map them, as the shared transports need it.
    /// With a device kernels run there; then they and the services are functions of it.
    explicit Runtime(int threads, std::shared_ptr<Transport> transport = nullptr, bool share = true,
                     std::shared_ptr<Device> device = nullptr, const ServiceKernels& services = {});
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime() = default;

    /// Adds an index space and returns its number. `period`: after how many cells the indices that
    /// kernels see begin again, along each axis; 0 for never. `translations`: see `Space`.
    int add_space(const Index3& period = {}, std::vector<Translation> translations = {});
    /// Adds a block of a space that owns these global cells and returns its number. `wrap`: the
    /// cells once around the grid along x, if kernels are to close the block's rows; else 0.
    int add_block(int space, const Box& box, std::int64_t wrap = 0);
    /// Allocates a field on every block of its space and returns its slot.
    int add_field(Field field);
    /// Gives back the memory of a field, and forgets kernels, exchanges and programs: all that may
    /// refer to it. The slot stays empty. All ranks must call it.
    void remove_field(int slot);
    /// Adds a number that kernels read and returns its slot.
    int add_scalar(double value);
    /// Makes a scalar what a series says at the time of each step.
    void add_series(int scalar, Series series);
    /// Adds what is done at points and returns its number; kernels refer to it.
    int add_points(Points points);
    /// Adds what a field is filled with and returns its number; kernels refer to it.
    int add_filling(Filling filling);
    /// Adds what takes values from kernels and returns its number; kernels and reductions refer to
    /// it.
    int add_sink(plan::Reduction reduction);
    /// What is done at points, with what has been recorded there.
    [[nodiscard]] Points& points(int number);
    /// Adds a number that is computed of others wherever it is read, and returns its slot.
    int add_formula(const std::vector<plan::FormulaStep>& steps);
    /// Adds a kernel and returns its number.
    int add_kernel(Kernel kernel);
    /// Adds an exchange, with its buffers, and returns its number.
    int add_exchange(const plan::Exchange& exchange);
    /// Connects the exchanges added since the last time with those of the other ranks; all ranks
    /// must call it, after all of them have added the same exchanges.
    void connect();
    /// Adds a function for `call` and returns its number.
    int add_callback(std::function<void()> callback);
    /// Adds a program, or replaces the one of that name.
    void set_program(const std::string& name, const std::vector<plan::Operation>& operations);
    /// Adds a faster way to do a program and the next ones of a round, so many steps in all, as
    /// operations that count them. It is taken where so many are to be done and none has a pause.
    void set_temporal_block(const std::string& name, std::int64_t steps,
                            const std::vector<plan::Pause>& pauses,
                            const std::vector<plan::Operation>& operations);

    /// Runs a program once, outside of any step.
    void execute(const std::string& name);
    /// Runs so many steps: step i is the program names[(phase + i) % the number of names].
    void advance(const std::vector<std::string>& names, std::int64_t steps, std::int64_t phase = 0);

    [[nodiscard]] double scalar(int slot) const;
    void set_scalar(int slot, double value);
    [[nodiscard]] std::int64_t step() const { return state_.step; }
    /// Whether a step has begun and not ended: it goes on, or something in it has failed.
    [[nodiscard]] bool is_within_step() const { return is_within_step_; }
    /// Counts a step in which something has failed that comes after all that changes fields.
    void end_step();
    /// Goes on as after so many steps.
    void set_step(std::int64_t step);
    /// The time is the number of the step times this.
    void set_dt(double dt) { clock_.set_dt(dt); }
    /// At the end of each step, a scalar is added to the time.
    void set_dt_scalar(int slot);
    /// The time, where a scalar is added to it.
    void set_elapsed(double time);
    [[nodiscard]] double time() const { return state_.scalars[time_scalar]; }

    /// Where a field lies now in the host's memory, with its newest values, to be read and maybe
    /// written; valid until fields are swapped or, with a device, the next program runs.
    [[nodiscard]] const halocline_field& view(int slot, int block, bool will_write = true) const;
    /// Likewise where kernels use it, to be written.
    [[nodiscard]] KernelView kernel_view(int slot, int block) const;
    [[nodiscard]] const Field& field(int slot) const;
    /// The global cells that a block of a field's space owns.
    [[nodiscard]] const Box& block(int slot, int number) const;
    /// The cells allocated for a field on a block, counted from its first owned cell.
    [[nodiscard]] const Box& allocated(int slot, int block) const;

    /// The size of the memory that `view` points into [bytes].
    [[nodiscard]] std::int64_t bytes_stored(int slot, int block) const;

    /// The memory that `view` points into.
    [[nodiscard]] std::shared_ptr<std::byte> memory(int slot, int block) const;

    /// Count and time of every operation.
    [[nodiscard]] std::vector<Timer> timers() const { return timers_.read(); }
    /// How long kernels have run on each block of a space since this was asked last [s]; on a
    /// device they are not timed.
    [[nodiscard]] std::vector<double> take_block_times(int space);
    void reset_timers() { timers_.reset(); }
    /// How many calls of kernels have been trials of how these are fastest.
    [[nodiscard]] std::int64_t trial_calls() const { return parts_.autotuners.calls(); }

private:
    void require_idle() const;
    void forget_plan();
    [[nodiscard]] Program& program(const std::string& name);
    [[nodiscard]] const Storage& storage(int slot, int block) const;
    [[nodiscard]] std::int64_t advance_some(const Round& round, std::int64_t most);
    void require_place(int slot, int block) const;

    State state_;
    Clock clock_{state_};
    std::unique_ptr<Executor> executor_;  // before all that may have memory of its device
    Parts parts_;
    Timers timers_;
    std::map<std::string, Program> programs_;
    std::map<const Program*, TemporalBlock> temporal_blocks_;  // by the program of the first step
    std::size_t connected_ = 0;                                // exchanges
    bool is_running_ = false;
    bool is_within_step_ = false;
};

}  // namespace halocline
