#include "runtime/device_executor.hpp"

#include <utility>

#include "core/by_storages.hpp"
#include "device/mirror.hpp"
#include "runtime/device_filling.hpp"
#include "runtime/device_points.hpp"
#include "runtime/device_reduce.hpp"
#include "runtime/device_replay.hpp"
#include "runtime/device_run.hpp"
#include "runtime/host_reduce.hpp"
#include "runtime/kept.hpp"

namespace halocline {
namespace {

class DeviceExecutor final : public Executor {
public:
    DeviceExecutor(State& state, std::shared_ptr<Device> device, const ServiceKernels& services)
        : state_(state), mirror_(std::move(device), services), replays_(mirror_) {}

    void add_storage(const std::vector<Storage>& blocks) override { mirror_.add(blocks); }
    void clear(std::size_t storage) override { mirror_.clear(storage); }
    void to_host(std::size_t storage, bool will_write) override {
        mirror_.to_host(storage, will_write);
    }
    [[nodiscard]] KernelView kernel_view(std::size_t storage, int block) override {
        mirror_.to_device(storage, true);
        // Others have streams of their own.
        finish();
        return {mirror_.view(storage, block), mirror_.memory(storage, block), number()};
    }

    void run(program::Run& run) override {
        if (run.points != nullptr) return run_points_on_device(mirror_, state_, run);
        if (run.filling != nullptr) return fill_on_device(mirror_, state_, run);
        for (std::size_t i = 0; i < run.fields.size(); ++i) {
            mirror_.to_device(state_.holds(run.fields[i]), run.is_written[i]);
        }
        const int stream = mirror_.splits().stream_for(run.kernel, run.is_late_rim);
        add_launches(mirror_, state_, run, launches_);
        // Beside an exchange streams wait for places between kernels.
        if (run.is_followed && !mirror_.splits().is_split()) return;
        mirror_.device().launch_any_order(stream, std::exchange(launches_, {}));
    }

    /// One after the other: a device has its own ways to keep what is used again.
    void run(program::Wavefront& wavefront) override {
        for (program::Run* one : wavefront.runs) run(*one);
    }

    void poison(program::Poison& poison) override {
        const std::size_t storage = state_.holds(poison.slot);
        mirror_.splits().end();
        mirror_.to_device(storage, true);
        move(poison.kept, {storage}, [&] { return moves(poison); });
    }

    [[nodiscard]] Partial reduce(program::Reduce& reduce) override {
        prepare(reduce.slot);
        return reduce_on_device(mirror_, state_, reduce);
    }
    [[nodiscard]] Outlier first_outlier(program::Check& check) override {
        prepare(check.slot);
        if (!has_outlier_on_device(mirror_, state_, check)) return {};
        // Which is the first, and whether kernels assign its cell, is looked up here.
        to_host(state_.holds(check.slot), false);
        for (const plan::Assigned& cells : check.assigned) {
            if (cells.mask >= 0) to_host(state_.holds(cells.mask), false);
        }
        return first_outlier_on_host(state_, check);
    }

    [[nodiscard]] std::unique_ptr<Channel> open(plan::TransportKind kind,
                                                const Messages& messages) override {
        return state_.transport->open_on_device(kind, mirror_, messages);
    }
    /// Messages are packed and unpacked in the urgent stream, after all that was computed before.
    void prepare(const Transfers& transfers) override {
        mirror_.splits().end();
        to_device(transfers.sends, false);
        to_device(transfers.receives, true);
        for (const int slot : transfers.copied_slots) mirror_.to_device(state_.holds(slot), true);
        if (!transfers.has_messages()) return;
        mirror_.order(Device::urgent, Device::plain);
        mirror_.splits().begin();
    }
    void copy(Transfers& transfers) override {
        if (transfers.copies.empty()) return;
        std::vector<std::size_t> storages;
        for (const int slot : transfers.copied_slots) storages.push_back(state_.holds(slot));
        move(transfers.kept, storages, [&] { return moves(transfers); });
    }
    void take_delivered() override { mirror_.order(Device::plain, Device::urgent); }

    [[nodiscard]] std::int64_t advance(const TimeLoop& loop, const Round& round,
                                       std::int64_t most) override {
        return replays_.advance(loop, round, most);
    }
    void forget_programs() override { replays_.clear(); }
    void finish() override {
        mirror_.splits().end();
        Device& device = mirror_.device();
        for (int stream = 0; stream < Device::streams; ++stream) {
            device.synchronize(device.record(stream));
        }
    }

private:
    /// The device's number, if the host cannot use its memory.
    [[nodiscard]] std::optional<int> number() const {
        const Device& device = mirror_.device();
        return device.is_host_memory() ? std::nullopt : std::optional(device.ordinal());
    }

    /// Puts the newest values of a field into the plain stream's reach.
    void prepare(int slot) {
        mirror_.splits().end();
        mirror_.to_device(state_.holds(slot), false);
    }
    void to_device(const std::vector<Message>& messages, bool will_write) {
        for (const Message& message : messages) {
            for (const Part& part : message.parts) mirror_.to_device(part.storage, will_write);
        }
    }

    /// Moves values in the plain stream: kernels that follow may read and write all of them.
    template <typename Make>
    void move(std::any& place, const std::vector<std::size_t>& storages, const Make& make) {
        const Services& services = mirror_.services();
        auto& tables = kept<ByStorages<BoxTable>>(place);
        const auto table = [&] { return services.table(make()); };
        services.move(Device::plain, tables.of(storages, table));
    }

    [[nodiscard]] std::vector<Move> moves(const program::Poison& poison) const {
        const ElementType type = state_.field(poison.slot).type;
        std::vector<Move> moves;
        for (const LocalBox& box : poison.boxes) {
            for (const int component : poison.components) {
                const Rows rows = rows_of(mirror_.view(state_.holds(poison.slot), box.block),
                                          size_of(type), component, box.box.lower);
                moves.push_back({{}, rows, box.box.extent(), size_of(type), poison_bits(type)});
            }
        }
        return moves;
    }
    [[nodiscard]] std::vector<Move> moves(const Transfers& transfers) const {
        std::vector<Move> moves;
        for (const Copy& copy : transfers.copies) {
            const auto rows = [&](int slot, int block, const Index3& lower) {
                return rows_of(mirror_.view(state_.holds(slot), block), copy.element_size,
                               copy.component, lower);
            };
            moves.push_back({rows(copy.source_slot, copy.source_block, copy.source_lower),
                             rows(copy.target_slot, copy.target_block, copy.target_lower),
                             copy.extent, copy.element_size});
        }
        return moves;
    }

    State& state_;
    Mirror mirror_;
    std::vector<DeviceLaunch> launches_;  // of kernels that are done at once with the next one
    Replays replays_;  // after the mirror, so that recordings are given back before the device
};

}  // namespace

std::unique_ptr<Executor> device_executor(State& state, std::shared_ptr<Device> device,
                                          const ServiceKernels& services) {
    return std::make_unique<DeviceExecutor>(state, std::move(device), services);
}

}  // namespace halocline
