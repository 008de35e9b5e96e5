#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "core/threads.hpp"
#include "runtime/program.hpp"
#include "runtime/timers.hpp"

namespace halocline {
namespace {

// A copied `Run` would point to the arguments of its original.
static_assert(std::is_nothrow_move_constructible_v<program::Operation>);

/// `index` as a position among `count` things, or std::invalid_argument.
std::size_t position(int index, std::size_t count, const std::string& what,
                     const std::string& where) {
    if (index >= 0 && static_cast<std::size_t>(index) < count) {
        return static_cast<std::size_t>(index);
    }
    throw std::invalid_argument(where + ": there is no " + what + " " + std::to_string(index) +
                                "; there are " + std::to_string(count) + ".");
}

/// Resolves one operation; overloads for all kinds.
struct Resolver {
    const State& state;
    Parts& parts;
    Timers& timers;
    std::string where;

    [[nodiscard]] std::vector<LocalBox> boxes(int slot,
                                              const std::vector<plan::BlockBox>& all) const {
        std::vector<LocalBox> local;
        for (const plan::BlockBox& box : all) local.push_back(localize(state, slot, box, where));
        return local;
    }

    /// `away`: how far the box lies from its image whose indices the kernel sees.
    [[nodiscard]] program::Run::Piece piece(const plan::BlockBox& box, const Kernel& kernel,
                                            const Index3& away) const {
        require_block(state, kernel.space, box.block, where);
        const Space& space = state.space(kernel.space);
        const Block& block = space.blocks[static_cast<std::size_t>(box.block)];
        const Index3 origin = block.box.lower;
        require_inside(box, kernel);
        const Box local = box.box.relative_to(origin);
        halocline_call call{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            call.lower[axis] = local.lower[axis];
            call.upper[axis] = local.upper[axis];
            call.origin[axis] = origin[axis] - away[axis];
            call.period[axis] = space.period[axis];
        }
        call.wrap = block.wrap;
        const std::int64_t bytes = local.cells() * bytes_per_cell(kernel);
        std::ranges::copy(kernel.tile, call.tile);
        const int threads = threads_for(bytes, state.memory.threads, alone_bytes);
        program::Run::Piece piece{box.block, call, bytes, threads, moved(kernel, box.block), {}, {},
                                  {},        {},   {},    {}};
        for (const plan::Layers& known : kernel.layers) {
            if (known.block == box.block) add_layers(piece, known, origin);
        }
        return piece;
    }

    /// How far the block of a kernel begins from that of each field.
    [[nodiscard]] std::vector<Index3> moved(const Kernel& kernel, int block) const {
        const auto number = static_cast<std::size_t>(block);
        const Index3 origin = state.space(kernel.space).blocks[number].box.lower;
        std::vector<Index3> result(kernel.fields.size());
        for (std::size_t i = 0; i < kernel.ratios.size(); ++i) {
            const Index3 first = state.block(kernel.fields[i], block).box.lower;
            for (std::size_t axis = 0; axis < 3; ++axis)
                result[i][axis] = kernel.ratios[i][axis] * origin[axis] - first[axis];
        }
        return result;
    }

    /// Adds where the inlined kernels of a kernel run.
    static void add_layers(program::Run::Piece& piece, const plan::Layers& known,
                           const Index3& origin) {
        const auto in_block = [&](const Box& box) {
            const Box local = box.relative_to(origin);
            halocline_layer layer{};
            std::ranges::copy(local.lower, layer.lower);
            std::ranges::copy(local.upper, layer.upper);
            return layer;
        };
        for (const Box& box : known.boxes) piece.layers.push_back(in_block(box));
        piece.free_of_inlined = in_block(known.free_of_inlined);
    }

    [[nodiscard]] std::int64_t bytes_per_cell(const Kernel& kernel) const {
        std::int64_t bytes = 0;
        for (const int slot : kernel.fields) {
            const Field& field = state.field(slot);
            bytes += field.components * size_of(field.type);
        }
        return bytes;
    }

    /// The box must exist in one field at least: others may be read at an offset only. Of fields
    /// of other spaces the kernel alone knows which cells it uses.
    void require_inside(const plan::BlockBox& box, const Kernel& kernel) const {
        const auto is_elsewhere = [&](int slot) { return state.field(slot).space != kernel.space; };
        if (std::ranges::any_of(kernel.fields, is_elsewhere)) return;
        const auto holds = [&](int slot) {
            const Box& owned = state.block(slot, box.block).box;
            return state.field(slot).stored(box.block, owned).contains(box.box);
        };
        if (kernel.fields.empty() || std::ranges::any_of(kernel.fields, holds)) return;
        static_cast<void>(localize(state, kernel.fields.front(), box, where));
    }

    /// Lists the points of a piece, of which a kernel may have none.
    void add_points(const program::Run& run, program::Run::Piece& piece) const {
        if (run.points == nullptr) return;
        piece.point_lists = PointsOnBlock(state, *run.points, run.fields.front(), piece.block)
                                .lists_of(cells_of(piece.call), state.memory.threads);
    }

    /// Lists the points of each plane, for a wavefront that goes along an axis.
    void list_planes(const program::Run& run, program::Run::Piece& piece, std::size_t axis) const {
        if (run.points == nullptr) return;
        piece.points_on_planes = PointsOnBlock(state, *run.points, run.fields.front(), piece.block)
                                     .on_planes(piece.point_lists, cells_of(piece.call), axis);
    }

    void add_piece(program::Run& run, const plan::BlockBox& box, const Kernel& kernel,
                   const Index3& away) const {
        program::Run::Piece next = piece(box, kernel, away);
        // Vectors keep their memory when the operation is moved.
        next.call.fields = run.field_arguments.data();
        next.call.scalars = run.scalar_arguments.data();
        add_points(run, next);
        if (!next.layers.empty()) next.call.layers = next.layers.data();
        next.call.sinks = run.sink_arguments.data();
        run.pieces.push_back(std::move(next));
    }

    [[nodiscard]] std::size_t thread_count() const {
        return static_cast<std::size_t>(state.memory.threads);
    }
    [[nodiscard]] ReductionSink& sink(int number) const {
        return parts.sinks[position(number, parts.sinks.size(), "sink", where)];
    }

    [[nodiscard]] program::Run resolve_run(const plan::Run& run) const {
        const std::size_t index = position(run.kernel, parts.kernels.size(), "kernel", where);
        const Kernel& kernel = parts.kernels[index];
        program::Run resolved{};
        resolved.kernel = index;
        resolved.space = kernel.space;
        resolved.function = kernel.function;
        if (kernel.points >= 0) {
            const std::size_t points =
                position(kernel.points, parts.points.size(), "points", where);
            resolved.points = &parts.points[points];
        }
        if (kernel.filling >= 0) {
            const std::size_t filling =
                position(kernel.filling, parts.fillings.size(), "filling", where);
            resolved.filling = &parts.fillings[filling];
        }
        resolved.threads = kernel.threads;
        resolved.is_late_rim = run.is_late_rim;
        resolved.fields = kernel.fields;
        for (const int slot : kernel.fields) {
            resolved.is_written.push_back(std::ranges::count(kernel.written, slot) > 0);
        }
        resolved.scalars = kernel.scalars;
        resolved.field_arguments.resize(kernel.fields.size());
        resolved.scalar_arguments.resize(kernel.scalars.size());
        for (std::size_t thread = 0; thread < thread_count(); ++thread) {
            for (const int number : kernel.sinks)
                resolved.sink_arguments.push_back(sink(number).of_thread(thread));
        }
        for (const plan::BlockBox& box : run.boxes) {
            if (box.box.is_empty()) continue;
            for (const TranslatedBox& part :
                 cut_at_translations(box.box, state.space(kernel.space).translations)) {
                add_piece(resolved, {box.block, part.box}, kernel, part.away);
            }
        }
        resolved.is_shared =
            std::ranges::any_of(resolved.pieces, [](const auto& one) { return one.threads > 1; });
        const bool is_small = std::ranges::all_of(
            resolved.pieces, [](const auto& one) { return one.bytes < shared_bytes; });
        for (const auto& piece : resolved.pieces) resolved.cells += cells_of(piece.call).cells();
        resolved.autotuner =
            &parts.autotuners.of(kernel.function, resolved.cells, kernel.stream, kernel.fetch,
                                 kernel.function != nullptr && resolved.is_shared && is_small);
        resolved.mask = kernel.mask;
        resolved.listed_version = -1;
        resolved.timer = timers.add("run", run.label);
        return resolved;
    }
    program::Operation operator()(const plan::Run& run) const { return {resolve_run(run)}; }

    [[nodiscard]] std::size_t exchange(int index) const {
        return position(index, parts.exchanges.size(), "exchange", where);
    }
    [[nodiscard]] std::size_t exchange_timer(const std::string& kind, int index) const {
        return timers.add(kind, parts.exchanges[exchange(index)].name());
    }

    program::Operation operator()(const plan::Start& start) const {
        return {program::Start{exchange(start.exchange), exchange_timer("start", start.exchange)}};
    }
    program::Operation operator()(const plan::Wait& wait) const {
        return {program::Wait{exchange(wait.exchange), exchange_timer("wait", wait.exchange)}};
    }
    program::Operation operator()(const plan::WaitAny& wait) const {
        program::WaitAny resolved{
            exchange(wait.exchange), {}, exchange_timer("wait", wait.exchange)};
        const std::size_t receives = parts.exchanges[resolved.exchange].receives();
        for (const plan::Piece& piece : wait.pieces) {
            std::vector<std::size_t> messages;
            for (const int message : piece.messages) {
                messages.push_back(position(message, receives, "message", where));
            }
            resolved.pieces.push_back({std::move(messages), resolve_run(piece.run), false});
        }
        return {std::move(resolved)};
    }
    program::Operation operator()(const plan::Wavefront& wavefront) const {
        program::Wavefront resolved{{}, {}, wavefront.skews, 0, wavefront.planes, wavefront.rows,
                                    0};
        resolved.parts = resolve(wavefront.parts, state, parts, timers, where);
        for (program::Operation& part : resolved.parts) {
            if (auto* const run = std::get_if<program::Run>(&part.kind))
                resolved.runs.push_back(run);
        }
        if (resolved.runs.size() != wavefront.skews.size()) {
            throw std::invalid_argument(where + ": there are " +
                                        std::to_string(resolved.runs.size()) + " runs and " +
                                        std::to_string(wavefront.skews.size()) + " skews.");
        }
        if (wavefront.axis < 1 || wavefront.axis > 2 || wavefront.planes < 1 ||
            wavefront.rows < 0) {
            throw std::invalid_argument(where + ": it goes along axis " +
                                        std::to_string(wavefront.axis) + ", with " +
                                        std::to_string(wavefront.planes) + " planes and " +
                                        std::to_string(wavefront.rows) + " rows at once.");
        }
        resolved.axis = static_cast<std::size_t>(wavefront.axis);
        for (program::Run* run : resolved.runs) {
            for (program::Run::Piece& piece : run->pieces) {
                std::ranges::fill(piece.call.tile, 0);  // a wavefront has tiles of its own
                list_planes(*run, piece, resolved.axis);
            }
        }
        resolved.timer = timers.add("run", wavefront.label);
        return {std::move(resolved)};
    }
    program::Operation operator()(const plan::StepEnd& /*end*/) const {
        return {program::StepEnd{}};
    }

    program::Operation operator()(const plan::Poll& poll) const {
        return {program::Poll{exchange(poll.exchange), exchange_timer("poll", poll.exchange)}};
    }

    program::Operation operator()(const plan::Swap& swap) const {
        require_slot(state, swap.slot_a, where);
        require_slot(state, swap.slot_b, where);
        const Field& a = state.field(swap.slot_a);
        const Field& b = state.field(swap.slot_b);
        if (!a.is_alike(b)) {
            throw std::invalid_argument(where + ": fields '" + a.name + "' and '" + b.name +
                                        "' differ in type, components, halo or space.");
        }
        return {program::Swap{static_cast<std::size_t>(swap.slot_a),
                              static_cast<std::size_t>(swap.slot_b)}};
    }

    program::Operation operator()(const plan::Loop& loop) const {
        if (loop.count < 0) {
            throw std::invalid_argument(where + ": negative count " + std::to_string(loop.count) +
                                        ".");
        }
        return {program::Loop{loop.count, resolve(loop.body, state, parts, timers, where)}};
    }

    program::Operation operator()(const plan::Every& every) const {
        require_interval(every.interval, where);
        return {program::Every{every.interval, resolve(every.body, state, parts, timers, where)}};
    }

    [[nodiscard]] std::size_t scalar(int slot) const {
        return position(slot, state.scalars.size(), "scalar", where);
    }
    /// A scalar that operations may give a value.
    [[nodiscard]] std::size_t target(int slot) const {
        const std::size_t found = scalar(slot);
        if (found <= time_scalar || !state.formulas[found].is_empty()) {
            throw std::invalid_argument(where + ": scalar " + std::to_string(slot) +
                                        " is the clock's or a formula.");
        }
        return found;
    }
    program::Operation operator()(const plan::Until& until) const {
        if (until.most < 1) {
            throw std::invalid_argument(where + ": at most " + std::to_string(until.most) +
                                        " passes; expected one at least.");
        }
        return {program::Until{scalar(until.condition), until.most, target(until.passes),
                               until.must_hold, until.number,
                               resolve(until.body, state, parts, timers, where),
                               resolve(until.before_error, state, parts, timers, where)}};
    }
    program::Operation operator()(const plan::Compute& compute) const {
        return {program::Compute{target(compute.scalar), scalar(compute.value)}};
    }

    program::Operation operator()(const plan::Reduce& reduce) const {
        if (reduce.sink >= 0) {
            return {program::Reduce{reduce.reduction,
                                    -1,
                                    0,
                                    {},
                                    target(reduce.scalar),
                                    timers.add("reduce", "taken"),
                                    &sink(reduce.sink)}};
        }
        require_component(state, reduce.slot, reduce.component, where);
        constexpr const char* names[] = {"sum", "min", "max"};
        const std::string label = std::string(names[static_cast<std::size_t>(reduce.reduction)]) +
                                  "(" + state.field(reduce.slot).name + ")";
        return {program::Reduce{reduce.reduction, reduce.slot, reduce.component,
                                boxes(reduce.slot, reduce.boxes), target(reduce.scalar),
                                timers.add("reduce", label), nullptr}};
    }

    program::Operation operator()(const plan::Call& call) const {
        const std::size_t index =
            position(call.callback, parts.callbacks.size(), "callback", where);
        return {program::Call{index, timers.add("call", std::to_string(index))}};
    }

    program::Operation operator()(const plan::Poison& poison) const {
        require_slot(state, poison.slot, where);
        for (const int component : poison.components) {
            require_component(state, poison.slot, component, where);
        }
        return {program::Poison{poison.slot,
                                poison.components,
                                boxes(poison.slot, poison.boxes),
                                timers.add("poison", state.field(poison.slot).name),
                                {}}};
    }

    program::Operation operator()(const plan::Check& check) const {
        require_slot(state, check.slot, where);
        for (const plan::Assigned& cells : check.assigned) {
            if (cells.mask >= 0) require_slot(state, cells.mask, where);
        }
        return {program::Check{check.slot, boxes(check.slot, check.boxes), check.low, check.high,
                               check.assigned, timers.add("check", state.field(check.slot).name)}};
    }
};

/// The word of the operation, in the order of the alternatives of the variant.
const char* word(const plan::Operation& operation) {
    constexpr const char* words[] = {"run",    "start", "wait",      "any",     "poll",   "swap",
                                     "loop",   "every", "until",     "compute", "reduce", "call",
                                     "poison", "check", "wavefront", "step end"};
    static_assert(std::size(words) == std::variant_size_v<decltype(operation.kind)>);
    return words[operation.kind.index()];
}

}  // namespace

Program resolve(const std::vector<plan::Operation>& plan, const State& state, Parts& parts,
                Timers& timers, const std::string& where) {
    Program operations;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const std::string place =
            where + ", operation " + std::to_string(i) + " (" + word(plan[i]) + ")";
        operations.push_back(std::visit(Resolver{state, parts, timers, place}, plan[i].kind));
    }
    for (std::size_t i = 1; i < plan.size(); ++i) {
        const auto* const run = std::get_if<plan::Run>(&plan[i].kind);
        auto* const before = std::get_if<program::Run>(&operations[i - 1].kind);
        if (run != nullptr && run->is_concurrent && before != nullptr) before->is_followed = true;
    }
    return operations;
}

}  // namespace halocline
