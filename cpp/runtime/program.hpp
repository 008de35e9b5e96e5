#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "abi/kernel_abi.h"
#include "core/plan.hpp"
#include "runtime/active_runs.hpp"
#include "runtime/autotuner.hpp"
#include "runtime/exchange.hpp"
#include "runtime/filling.hpp"
#include "runtime/point_lists.hpp"
#include "runtime/reduce.hpp"
#include "runtime/state.hpp"

namespace halocline {

/// How threads of a device share the cells of a kernel.
struct Threads {
    Index3 block{128, 1, 1};  ///< threads of a block along each axis
    Index3 cells{1, 1, 1};    ///< of a thread
    bool is_batched = false;  ///< one launch does all boxes
};

/// A generated kernel and what it is called with.
struct Kernel {
    std::string name;
    halocline_kernel function = nullptr;
    std::vector<int> fields;   ///< slots
    std::vector<int> scalars;  ///< slots
    int mask = -1;  ///< slot of the field that is not zero where the kernel runs; -1: everywhere
    /// Where its inlined kernels run; blocks without any are left out.
    std::vector<plan::Layers> layers = {};
    int space = 0;     ///< whose blocks it runs on
    int points = -1;   ///< at which points the runtime does it, without a function; -1: none
    int filling = -1;  ///< with what the runtime fills its field, without a function; -1: none
    /// Where blocks of fields begin elsewhere than its own: how many cells of each field one of the
    /// kernel's spans along each axis; else empty.
    std::vector<Index3> ratios = {};
    std::vector<int> sinks = {};    ///< of the values that it does not store, in order
    Choice stream = Choice::never;  ///< whether it uses non-temporal stores
    Choice fetch = Choice::never;   ///< whether it fetches rows ahead
    Tile tile{};                    ///< how it goes through a box
    // For devices:
    std::vector<int> written = {};  ///< slots of the fields that it assigns to
    Threads threads = {};
};

/// Takes values that kernels compute and do not store; each thread has a part of its own.
struct ReductionSink {
    plan::Reduction reduction;
    std::vector<Partial> partials;

    /// What a thread hands its values to.
    [[nodiscard]] halocline_sink of_thread(std::size_t thread);
    /// What has been found since the last time.
    [[nodiscard]] Partial found();
};

/// Everything that operations refer to by number.
struct Parts {
    std::vector<Kernel> kernels;
    std::vector<Exchange> exchanges;
    std::vector<std::size_t> under_way = {};  ///< exchanges that have been started
    std::vector<std::function<void()>> callbacks;
    std::deque<Points> points = {};  ///< where they stay
    std::deque<Filling> fillings = {};
    std::deque<ReductionSink> sinks = {};
    Autotuners autotuners = {};
};

/// The cells of a call, counted from the first own one of its block.
[[nodiscard]] inline Box cells_of(const halocline_call& call) {
    Box box;
    std::ranges::copy(call.lower, box.lower.begin());
    std::ranges::copy(call.upper, box.upper.begin());
    return box;
}

/// The operations of a plan, checked and resolved: executing them looks nothing up and
/// allocates nothing. Those with `timer` are timed.
namespace program {

struct Operation;

struct Run {
    struct Piece {
        int block;
        halocline_call call;
        std::int64_t bytes;         // that its fields take there
        int threads;                // that may share it
        std::vector<Index3> moved;  // how far from each field's first own cell the kernel's lies
        std::vector<halocline_active_run> active_runs;  // of cells of the mask, if there is one
        std::vector<halocline_layer> layers;            // of inlined kernels, if any
        halocline_layer free_of_inlined;                // none runs for cells in here
        std::vector<PointList> point_lists;             // if it is done at points
        // In a wavefront, the points of each plane.
        std::vector<std::vector<std::uint32_t>> points_on_planes;
        std::any kept;  // what the executor keeps for these lists
    };
    std::size_t kernel;
    int space;  // whose blocks it runs on
    halocline_kernel function;
    Points* points;          // of a kernel that is done at points
    PointMoment moment;      // of these
    const Filling* filling;  // of one whose field is filled
    Threads threads;         // of a device
    Autotuner* autotuner;    // chooses its variant
    std::int64_t cells;      // in all
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;  // see 'took'
    bool is_late_rim;
    bool is_followed;         // by one that may be done at once with it
    bool is_shared;           // by threads, one piece at least
    std::vector<int> fields;  // slots
    std::vector<bool> is_written;
    std::vector<int> scalars;
    std::vector<halocline_field> field_arguments;
    std::vector<double> scalar_arguments;
    std::vector<halocline_sink> sink_arguments;
    std::vector<Piece> pieces;
    std::any kept;                // what the executor keeps for all pieces
    int mask;                     // slot, or -1
    std::int64_t listed_version;  // of the masks when the active runs were listed
    std::size_t timer;
};
struct Start {
    std::size_t exchange;
    std::size_t timer;
};
struct Wait {
    std::size_t exchange;
    std::size_t timer;
};
struct WaitAny {
    struct Piece {
        std::vector<std::size_t> messages;
        Run run;
        bool is_done;
    };
    std::size_t exchange;
    std::vector<Piece> pieces;
    std::size_t timer;
};
struct Poll {
    std::size_t exchange;
    std::size_t timer;
};
struct Swap {
    std::size_t slot_a;
    std::size_t slot_b;
};
struct Loop {
    std::int64_t count;
    std::vector<Operation> body;
};
struct Every {
    std::int64_t interval;
    std::vector<Operation> body;
};
struct Until {
    std::size_t condition;
    std::int64_t most;
    std::size_t passes;
    bool must_hold;
    int number;
    std::vector<Operation> body;
    std::vector<Operation> before_error;
};
struct Compute {
    std::size_t scalar;
    std::size_t value;
};
struct Reduce {
    plan::Reduction reduction;
    int slot;
    int component;
    std::vector<LocalBox> boxes;
    std::size_t scalar;
    std::size_t timer;
    ReductionSink* sink;  // has the values, if there is no field
    std::any kept = {};   // by the executor
};
struct Call {
    std::size_t callback;
    std::size_t timer;
};
struct Poison {
    int slot;
    std::vector<int> components;
    std::vector<LocalBox> boxes;
    std::size_t timer;
    std::any kept;  // by the executor
};
struct Check {
    int slot;
    std::vector<LocalBox> boxes;
    double low, high;
    std::vector<plan::Assigned> assigned;
    std::size_t timer;
    std::any kept = {};  // by the executor
};

struct Wavefront {
    std::vector<Operation> parts;
    std::vector<Run*> runs;         // among them
    std::vector<plan::Skew> skews;  // of these
    std::size_t axis;
    std::int64_t planes;
    std::int64_t rows;
    std::size_t timer;
    AdaptiveThreadCount::Ticks least = AdaptiveThreadCount::unknown;  // see 'took'
};
struct StepEnd {};

struct Operation {
    std::variant<Run, Start, Wait, WaitAny, Poll, Swap, Loop, Every, Until, Compute, Reduce, Call,
                 Poison, Check, Wavefront, StepEnd>
        kind;
};

}  // namespace program

using Program = std::vector<program::Operation>;

class Timers;

/// Checks operations against what exists and resolves them; adds their timers. Throws
/// std::invalid_argument naming the operation.
[[nodiscard]] Program resolve(const std::vector<plan::Operation>& plan, const State& state,
                              Parts& parts, Timers& timers, const std::string& where);

}  // namespace halocline
