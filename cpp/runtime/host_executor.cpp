#include "runtime/host_executor.hpp"

#include <algorithm>
#include <any>
#include <utility>

#include "core/by_storages.hpp"
#include "core/pack.hpp"
#include "runtime/host_reduce.hpp"
#include "runtime/host_run.hpp"
#include "runtime/kept.hpp"
#include "runtime/point_run.hpp"
#include "runtime/program.hpp"
#include "runtime/wavefront.hpp"

namespace halocline {
namespace {

class HostExecutor final : public Executor {
public:
    explicit HostExecutor(State& state)
        : state_(state), partials_(static_cast<std::size_t>(state.memory.threads)) {}

    void add_storage(const std::vector<Storage>& /*blocks*/) override {}
    void clear(std::size_t /*storage*/) override {}
    void to_host(std::size_t /*storage*/, bool /*will_write*/) override {}
    [[nodiscard]] KernelView kernel_view(std::size_t storage, int block) override {
        const Storage& found = state_.storages[storage][static_cast<std::size_t>(block)];
        return {found.view(), found.memory(), std::nullopt};
    }

    void run(program::Run& run) override {
        if (run.points != nullptr) return run_points(state_, run);
        if (run.filling != nullptr) return run_filling(state_, run);
        const Variant variant = run.autotuner->variant();
        const halocline_field* fields = field_arguments(run).data();
        Timers::Ticks since = Timers::now();
        for (program::Run::Piece& piece : run.pieces) {
            piece.call.fields = fields;
            fields += run.fields.size();
            piece.call.stream = variant.is_non_temporal ? 1 : variant.lines_ahead > 0 ? 2 : 0;
            piece.call.fetch = variant.lines_ahead;
            piece.call.threads =
                variant.is_shared ? std::min(piece.threads, state_.thread_count.threads()) : 1;
            run.function(&piece.call);
            since = state_.was_busy(run.space, piece.block, since);
        }
    }

    void run(program::Wavefront& wavefront) override { run_wavefront(state_, wavefront); }

    void poison(program::Poison& poison) override {
        const ElementType type = state_.field(poison.slot).type;
        for (const LocalBox& box : poison.boxes) {
            for (const int component : poison.components) {
                halocline::poison(state_.view(poison.slot, box.block), type, component, box.box);
            }
        }
    }

    [[nodiscard]] Partial reduce(program::Reduce& reduce) override {
        if (reduce.sink != nullptr) return reduce.sink->found();
        return reduce_on_host(state_, reduce, partials_);
    }
    [[nodiscard]] Outlier first_outlier(program::Check& check) override {
        return first_outlier_on_host(state_, check);
    }

    [[nodiscard]] std::unique_ptr<Channel> open(plan::TransportKind kind,
                                                const Messages& messages) override {
        return state_.transport->open(kind, state_.memory, messages);
    }
    void prepare(const Transfers& /*transfers*/) override {}
    void copy(Transfers& transfers) override {
        if (transfers.copies.empty()) return;
        const auto& boxes = here<BoxCopy>(transfers.kept, transfers.copied_slots,
                                          [&] { return boxes_of(transfers.copies); });
        copy_boxes(boxes, state_.memory.threads);
    }
    void take_delivered() override {}

    [[nodiscard]] std::int64_t advance(const TimeLoop& /*loop*/, const Round& /*round*/,
                                       std::int64_t /*most*/) override {
        return 0;
    }
    void forget_programs() override {}
    void finish() override {}

private:
    /// What is kept for the storages that slots hold now.
    template <typename T, typename Make>
    [[nodiscard]] const std::vector<T>& here(std::any& place, const std::vector<int>& slots,
                                             const Make& make) {
        held_.clear();
        for (const int slot : slots) held_.push_back(state_.holds(slot));
        return kept<ByStorages<std::vector<T>>>(place).of(held_, make);
    }

    /// The fields of all pieces, in order. Found once: those of many small blocks lie far apart.
    [[nodiscard]] const std::vector<halocline_field>& field_arguments(program::Run& run) {
        return here<halocline_field>(run.kept, run.fields, [&] {
            std::vector<halocline_field> fields;
            for (const program::Run::Piece& piece : run.pieces) {
                give_fields(state_, run, piece);
                fields.insert(fields.end(), run.field_arguments.begin(), run.field_arguments.end());
            }
            return fields;
        });
    }

    [[nodiscard]] std::vector<BoxCopy> boxes_of(const std::vector<Copy>& copies) const {
        std::vector<BoxCopy> boxes;
        for (const Copy& copy : copies) {
            const auto rows = [&](int slot, int block, const Index3& lower) {
                return rows_of(state_.view(slot, block), copy.element_size, copy.component, lower);
            };
            boxes.push_back({rows(copy.source_slot, copy.source_block, copy.source_lower),
                             rows(copy.target_slot, copy.target_block, copy.target_lower),
                             copy.extent, copy.element_size});
        }
        return boxes;
    }

    State& state_;
    std::vector<Partial> partials_;  // by thread
    std::vector<std::size_t> held_;  // by slots that are looked up
};

}  // namespace

std::unique_ptr<Executor> host_executor(State& state) {
    return std::make_unique<HostExecutor>(state);
}

}  // namespace halocline
