#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "core/box.hpp"

/// What the runtime is asked to do, as records that Python builds ('bindings/bind_plan.cpp'). All
/// cells are global.
namespace halocline::plan {

/// Cells of one block.
struct BlockBox {
    int block = 0;
    Box box;
};

/// Where the inlined kernels of a kernel run on one block.
struct Layers {
    int block = 0;
    std::vector<Box> boxes;    ///< one each, empty if it does not
    Box free_of_inlined = {};  ///< cells of the kernel for which none runs
};

/// How the values of a message move from one rank to another.
enum class TransportKind {
    shared,
    shared_push,
    two_sided,
    persistent,
    datatype,
    put,
    get,
    box_copies,
    via_host,
    from_device,
    peer
};

/// One component of a field in one box, with both of its ends: a piece of a message.
struct Part {
    int slot = 0;
    int other_slot = 0;  ///< of the field at the other end, which has equal elements
    int component = 0;
    int block = 0;
    Index3 lower{};
    int other_block = 0;   ///< position among the blocks of the other rank
    Index3 other_lower{};  ///< where the box begins there
    Index3 extent{};
};

/// What travels at once to or from one rank; parts have the same order on both sides.
struct Message {
    int rank = 0;
    int tag = 0;
    TransportKind transport = TransportKind::two_sided;
    std::vector<Part> parts;
};

/// Cells copied between blocks of this process (or within one, on a periodic axis).
struct Copy {
    int source_slot = 0;
    int target_slot = 0;  ///< of a field with equal elements
    int component = 0;
    int source_block = 0;
    Index3 source_lower{};
    int target_block = 0;
    Index3 target_lower{};
    Index3 extent{};
};

/// Everything that brings the halos of some fields up to date.
struct Exchange {
    std::string name;
    std::vector<Message> sends;
    std::vector<Message> receives;
    std::vector<Copy> copies;
};

/// A step of a formula: of a number, a scalar, or the results of earlier steps, by position.
/// Truth values are 0 and 1.
struct FormulaStep {
    std::string operation;  ///< 'constant', 'scalar', 'where', or as nodes of expressions have it
    double value = 0;       ///< of a constant
    std::vector<int> operands;  ///< of a scalar: its slot
};

/// How values are combined.
enum class Reduction { sum, min, max };

struct Operation;

/// Run a kernel on boxes.
struct Run {
    int kernel = 0;
    std::string label;
    std::vector<BlockBox> boxes;
    /// Whether it is the rest of a kernel whose core was run after the start of the exchange that
    /// this one has waited for: a device may do it beside the core.
    bool is_late_rim = false;
    /// Whether a device may do it at once with the run right before it, and with those that that
    /// one may be done with.
    bool is_concurrent = false;
};
/// Begin an exchange.
struct Start {
    int exchange = 0;
};
/// Complete an exchange.
struct Wait {
    int exchange = 0;
};
/// What is run as soon as some messages have arrived.
struct Piece {
    std::vector<int> messages;  ///< positions among the receives
    Run run;
};
/// Complete an exchange; run each piece as soon as the messages that it names have arrived.
struct WaitAny {
    int exchange = 0;
    std::vector<Piece> pieces;
};
/// Let the messages of an exchange progress.
struct Poll {
    int exchange = 0;
};
/// Exchange the contents of two fields without copying.
struct Swap {
    int slot_a = 0;
    int slot_b = 0;
};
/// Repeat the body.
struct Loop {
    std::int64_t count = 0;
    std::vector<Operation> body;
};
/// Run the body at the end of every n-th step.
struct Every {
    std::int64_t interval = 1;
    std::vector<Operation> body;
};
/// Repeat the body until a scalar is not zero after a pass.
struct Until {
    int condition = 0;      ///< the scalar, most often a formula
    std::int64_t most = 0;  ///< passes
    int passes = 0;         ///< the scalar that counts them
    bool must_hold = true;  ///< whether to raise Unmet where it is still zero after that many
    int number = 0;         ///< told by Unmet
    std::vector<Operation> body;
    std::vector<Operation> before_error;
};
/// Give a scalar the value of another one, most often of a formula.
struct Compute {
    int scalar = 0;
    int value = 0;
};
/// Combine one component over all boxes and ranks into a scalar.
struct Reduce {
    Reduction reduction = Reduction::sum;
    int slot = 0;
    int component = 0;
    std::vector<BlockBox> boxes;
    int scalar = 0;
    int sink = -1;  ///< has taken the values from kernels since the last time, if there is one:
                    ///< then there is neither field nor boxes
};
/// Call back into the host program.
struct Call {
    int callback = 0;
};
/// Overwrite cells with poison.
struct Poison {
    int slot = 0;
    std::vector<int> components;
    std::vector<BlockBox> boxes;
};
/// Cells that a kernel assigns: those of a box, or of a mask in it.
struct Assigned {
    Box box;
    int mask = -1;  ///< the slot of the mask, if there is one
};
/// Raise OutOfLimits on every rank if any rank has a value that is not in [low, high].
struct Check {
    int slot = 0;
    std::vector<BlockBox> boxes;
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    std::vector<Assigned> assigned = {};  ///< if there are some: only what lies in one of them
};

/// Where a run of a wavefront begins and ends, so that no other comes too early or too late.
struct Skew {
    int lower = 0;          ///< so many planes above the place where the wavefront begins
    int upper = 0;          ///< so many below the place where it ends
    int across = 0;         ///< tiles are moved by so many rows towards the first one
    bool is_first = false;  ///< whether it brings fields to the caches, so that it prefetches
};
/// Do runs one after the other plane by plane, tile by tile (time skewing).
struct Wavefront {
    std::string label;
    std::vector<Operation> parts;  ///< runs, and what happens between them: Compute, StepEnd
    std::vector<Skew> skews;       ///< of the runs, in order
    int axis = 0;                  ///< along which it goes; tiles are cut along the one before
    std::int64_t planes = 1;       ///< of a run at once
    std::int64_t rows = 0;         ///< of a tile; 0: all there are
};
/// Count a step: what follows belongs to the next one.
struct StepEnd {};

/// One line of the plan.
struct Operation {
    std::variant<Run, Start, Wait, WaitAny, Poll, Swap, Loop, Every, Until, Compute, Reduce, Call,
                 Poison, Check, Wavefront, StepEnd>
        kind;
};

/// A step in which a temporal block does something of its own, if it is the right one.
struct Pause {
    std::int64_t offset = 0;    ///< of the step in the block
    std::int64_t interval = 1;  ///< at the end of every so many steps
};

}  // namespace halocline::plan
