#include "runtime/runtime.hpp"

#include <stdexcept>
#include <utility>

#include "runtime/device_executor.hpp"
#include "runtime/host_executor.hpp"

namespace halocline {
namespace {

/// Sets a flag and clears it again however the scope is left.
class Flag {
public:
    explicit Flag(bool& flag) : flag_(flag) { flag_ = true; }
    ~Flag() { flag_ = false; }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;

private:
    bool& flag_;
};

std::size_t require_scalar(const State& state, int slot, const std::string& where) {
    if (slot >= 0 && slot < static_cast<int>(state.scalars.size())) {
        return static_cast<std::size_t>(slot);
    }
    throw std::invalid_argument(where + ": there is no scalar " + std::to_string(slot) +
                                "; there are " + std::to_string(state.scalars.size()) + ".");
}

void require_halo(const Frame& frame, const std::string& where) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (frame.halo_lower[axis] >= 0 && frame.halo_upper[axis] >= 0) continue;
        throw std::invalid_argument(where + ": negative halo " + to_string(frame.halo_lower) +
                                    ", " + to_string(frame.halo_upper) + ".");
    }
}

/// Number of the last of `things`.
int last(const auto& things) {
    return static_cast<int>(things.size()) - 1;
}

}  // namespace

Runtime::Runtime(int threads, std::shared_ptr<Transport> transport, bool share,
                 std::shared_ptr<Device> device, const ServiceKernels& services) {
    if (threads < 1) {
        throw std::invalid_argument("A runtime needs at least one thread, got " +
                                    std::to_string(threads) + ".");
    }
    state_.memory.threads = threads;
    state_.thread_count = AdaptiveThreadCount(threads);
    state_.transport = transport ? std::move(transport) : local_transport();
    if (share && state_.transport->has_node_neighbours()) {
        state_.memory.arena = std::make_shared<pgas::Arena>();
    }
    state_.scalars = {0.0, 0.0};
    state_.formulas.resize(state_.scalars.size());
    executor_ =
        device ? device_executor(state_, std::move(device), services) : host_executor(state_);
}

int Runtime::add_space(const Index3& period, std::vector<Translation> translations) {
    require_idle();
    for (const Translation& translation : translations) {
        const std::size_t axis = static_cast<std::size_t>(translation.axis);
        if (axis < 3 && translation.way[axis] > 0) continue;
        throw std::invalid_argument("A translation along axis " + std::to_string(translation.axis) +
                                    " by " + to_string(translation.way) + " leads nowhere.");
    }
    state_.spaces.push_back({period, std::move(translations)});
    return last(state_.spaces);
}

int Runtime::add_block(int space, const Box& box, std::int64_t wrap) {
    require_idle();
    require_space(state_, space, "Runtime");
    for (const Field& field : state_.fields) {
        if (field.space != space || field.components == 0) continue;
        throw std::invalid_argument("Block " + to_string(box) + " comes after field '" +
                                    field.name + "' of its space; expected all blocks before.");
    }
    if (wrap != 0 && wrap != box.upper[0] - box.lower[0]) {
        throw std::invalid_argument("Block " + to_string(box) + " cannot close its rows after " +
                                    std::to_string(wrap) + " cells.");
    }
    std::vector<Block>& blocks = state_.spaces[static_cast<std::size_t>(space)].blocks;
    blocks.push_back({box, wrap});
    return last(blocks);
}

int Runtime::add_field(Field field) {
    require_idle();
    const std::string where = "Field '" + field.name + "'";
    if (field.components < 1) {
        throw std::invalid_argument(where + ": needs at least one component, got " +
                                    std::to_string(field.components) + ".");
    }
    require_space(state_, field.space, where);
    const Space& space = state_.space(field.space);
    if (!field.frames.empty() && field.frames.size() != space.blocks.size()) {
        throw std::invalid_argument(where + ": frames of " + std::to_string(field.frames.size()) +
                                    " blocks; expected " + std::to_string(space.blocks.size()) +
                                    ".");
    }
    std::vector<Index3> owned;
    for (const Block& block : space.blocks) {
        const std::optional<Frame> frame = field.on(static_cast<int>(owned.size()));
        if (frame) require_halo(*frame, where);
        owned.push_back(block.box.extent());
    }
    const std::size_t number = state_.storages.size();
    std::vector<Storage>& blocks = state_.storages.emplace_back(store(
        field, owned, static_cast<int>(number), state_.memory.threads, state_.memory.arena.get()));
    std::vector<BlockView>& views = state_.memory.storages.emplace_back();
    for (std::size_t block = 0; block < blocks.size(); ++block)
        views.push_back({blocks[block].view(), space.blocks[block].box.lower});
    executor_->add_storage(blocks);
    state_.held.push_back(number);
    state_.fields.push_back(std::move(field));
    return last(state_.fields);
}

void Runtime::remove_field(int slot) {
    require_slot(state_, slot, "Runtime");
    forget_plan();
    const std::size_t storage = state_.holds(slot);
    executor_->clear(storage);
    state_.storages[storage].clear();
    state_.memory.storages[storage].clear();
    state_.fields[static_cast<std::size_t>(slot)].components = 0;
}

void Runtime::forget_plan() {
    require_idle();
    executor_->finish();
    executor_->forget_programs();
    programs_.clear();
    temporal_blocks_.clear();
    parts_.exchanges.clear();
    parts_.under_way.clear();
    parts_.kernels.clear();
    parts_.autotuners.clear();
    connected_ = 0;
}

int Runtime::add_scalar(double value) {
    require_idle();
    state_.scalars.push_back(value);
    state_.formulas.emplace_back();
    return last(state_.scalars);
}

void Runtime::add_series(int scalar, Series series) {
    require_idle();
    require_scalar(state_, scalar, "Runtime");
    state_.series.push_back({scalar, std::move(series)});
    clock_.set();
}

int Runtime::add_points(Points points) {
    require_idle();
    parts_.points.push_back(std::move(points));
    return last(parts_.points);
}

int Runtime::add_filling(Filling filling) {
    require_idle();
    parts_.fillings.push_back(std::move(filling));
    return last(parts_.fillings);
}

int Runtime::add_sink(plan::Reduction reduction) {
    require_idle();
    const auto threads = static_cast<std::size_t>(state_.memory.threads);
    parts_.sinks.push_back({reduction, std::vector<Partial>(threads)});
    return last(parts_.sinks);
}

Points& Runtime::points(int number) {
    require_idle();
    return parts_.points.at(static_cast<std::size_t>(number));
}

int Runtime::add_formula(const std::vector<plan::FormulaStep>& steps) {
    Formula formula(steps, state_.formulas);
    const int scalar = add_scalar(0.0);
    state_.formulas.back() = std::move(formula);
    return scalar;
}

int Runtime::add_kernel(Kernel kernel) {
    require_idle();
    const std::string where = "Kernel '" + kernel.name + "'";
    if (kernel.function == nullptr && kernel.points < 0 && kernel.filling < 0)
        throw std::invalid_argument(where + ": its address is null.");
    require_space(state_, kernel.space, where);
    if (kernel.mask >= 0) require_slot(state_, kernel.mask, where);
    const std::size_t blocks = state_.space(kernel.space).blocks.size();
    for (const int slot : kernel.fields) {
        require_slot(state_, slot, where);
        // Fields of other spaces are seen through the kernel's own map between their cells.
        const Field& field = state_.field(slot);
        if (state_.space(field.space).blocks.size() == blocks) continue;
        throw std::invalid_argument(where + ": field '" + field.name + "' is on space " +
                                    std::to_string(field.space) +
                                    ", which has other blocks than space " +
                                    std::to_string(kernel.space) + ", on which the kernel runs.");
    }
    if (!kernel.ratios.empty() && kernel.ratios.size() != kernel.fields.size()) {
        throw std::invalid_argument(where + ": it has " + std::to_string(kernel.ratios.size()) +
                                    " ratios for " + std::to_string(kernel.fields.size()) +
                                    " fields.");
    }
    for (const int slot : kernel.scalars) require_scalar(state_, slot, where);
    parts_.kernels.push_back(std::move(kernel));
    return last(parts_.kernels);
}

int Runtime::add_exchange(const plan::Exchange& exchange) {
    require_idle();
    parts_.exchanges.emplace_back(state_, *executor_, exchange);
    return last(parts_.exchanges);
}

int Runtime::add_callback(std::function<void()> callback) {
    require_idle();
    parts_.callbacks.push_back(std::move(callback));
    return last(parts_.callbacks);
}

void Runtime::set_program(const std::string& name, const std::vector<plan::Operation>& operations) {
    require_idle();
    executor_->forget_programs();
    Program& program = programs_[name];
    temporal_blocks_.erase(&program);
    program = resolve(operations, state_, parts_, timers_, "Program '" + name + "'");
}

void Runtime::set_temporal_block(const std::string& name, std::int64_t steps,
                                 const std::vector<plan::Pause>& pauses,
                                 const std::vector<plan::Operation>& operations) {
    const Program* const first = &program(name);
    const std::string where = "Temporal block of program '" + name + "'";
    for (const plan::Pause& pause : pauses) require_interval(pause.interval, where);
    temporal_blocks_[first] = {steps, pauses, resolve(operations, state_, parts_, timers_, where)};
}

void Runtime::execute(const std::string& name) {
    Program& found = program(name);
    // Outside of steps anybody may have written into fields.
    ++state_.mask_version;
    clock_.set();
    const Flag running(is_running_);
    TimeLoop{state_, parts_, timers_, *executor_, clock_}.execute(found);
    executor_->finish();
}

void Runtime::connect() {
    require_idle();
    std::vector<Channel*> channels;
    for (; connected_ < parts_.exchanges.size(); ++connected_) {
        for (Channel* channel : parts_.exchanges[connected_].channels()) {
            channels.push_back(channel);
        }
    }
    state_.transport->connect(state_.memory, channels);
}

void Runtime::advance(const std::vector<std::string>& names, std::int64_t steps,
                      std::int64_t phase) {
    if (names.empty() || phase < 0) {
        throw std::invalid_argument(
            "Runtime: a round needs a program at least, and no negative "
            "phase; got " +
            std::to_string(names.size()) + " programs and phase " + std::to_string(phase) + ".");
    }
    Round round{{}, phase};
    for (const std::string& name : names) round.programs.push_back(&program(name));
    const Flag running(is_running_);
    const std::int64_t end = phase + steps;
    while (round.phase < end) round.phase += advance_some(round, end - round.phase);
    executor_->finish();
}

/// Does a step, or several if the executor can do them at once; returns how many.
std::int64_t Runtime::advance_some(const Round& round, std::int64_t most) {
    const TimeLoop loop{state_, parts_, timers_, *executor_, clock_};
    clock_.set();
    is_within_step_ = true;
    const auto block = temporal_blocks_.find(&round.program(0));
    if (block != temporal_blocks_.end() && block->second.steps <= most &&
        block->second.may_begin(state_.step)) {
        loop.execute(block->second.program);
        is_within_step_ = false;
        return block->second.steps;
    }
    std::int64_t done = executor_->advance(loop, round, most);
    if (done == 0) {
        loop.execute(round.program(0));
        done = 1;
    }
    for (std::int64_t i = 0; i < done; ++i) clock_.end_step();
    is_within_step_ = false;
    return done;
}

Program& Runtime::program(const std::string& name) {
    require_idle();
    const auto found = programs_.find(name);
    if (found == programs_.end()) {
        throw std::invalid_argument("Runtime: there is no program '" + name + "'.");
    }
    return found->second;
}

void Runtime::require_idle() const {
    if (is_running_) {
        throw std::logic_error("A callback must not change or advance the runtime that calls it.");
    }
}

double Runtime::scalar(int slot) const {
    return state_.number(require_scalar(state_, slot, "Runtime"));
}

void Runtime::set_scalar(int slot, double value) {
    state_.scalars[require_scalar(state_, slot, "Runtime")] = value;
}

void Runtime::end_step() {
    require_idle();
    if (is_within_step_) clock_.end_step();
    is_within_step_ = false;
}

void Runtime::set_step(std::int64_t step) {
    require_idle();
    state_.step = step;
    is_within_step_ = false;
    clock_.set();
}

void Runtime::set_dt_scalar(int slot) {
    clock_.set_dt_scalar(require_scalar(state_, slot, "Runtime"));
}

void Runtime::set_elapsed(double time) {
    require_idle();
    clock_.set_elapsed(time);
}

std::vector<double> Runtime::take_block_times(int space) {
    require_space(state_, space, "Runtime");
    const double tick = timers_.seconds_per_tick();
    std::vector<double> times;
    for (Block& block : state_.spaces[static_cast<std::size_t>(space)].blocks) {
        times.push_back(static_cast<double>(std::exchange(block.busy, 0)) * tick);
    }
    return times;
}

const Field& Runtime::field(int slot) const {
    require_slot(state_, slot, "Runtime");
    return state_.field(slot);
}

const Box& Runtime::block(int slot, int number) const {
    require_place(slot, number);
    return state_.block(slot, number).box;
}

const Box& Runtime::allocated(int slot, int block) const {
    require_place(slot, block);
    return storage(slot, block).layout().allocated;
}

std::int64_t Runtime::bytes_stored(int slot, int block) const {
    require_place(slot, block);
    return storage(slot, block).layout().size_bytes;
}

std::shared_ptr<std::byte> Runtime::memory(int slot, int block) const {
    require_place(slot, block);
    return storage(slot, block).memory();
}

const Storage& Runtime::storage(int slot, int block) const {
    return state_.storages[state_.holds(slot)][static_cast<std::size_t>(block)];
}

void Runtime::require_place(int slot, int block) const {
    require_slot(state_, slot, "Runtime");
    require_block(state_, state_.field(slot).space, block, "Runtime");
}

const halocline_field& Runtime::view(int slot, int block, bool will_write) const {
    require_place(slot, block);
    executor_->to_host(state_.holds(slot), will_write);
    return state_.view(slot, block);
}

KernelView Runtime::kernel_view(int slot, int block) const {
    require_place(slot, block);
    return executor_->kernel_view(state_.holds(slot), block);
}

}  // namespace halocline
