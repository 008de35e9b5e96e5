#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "pgas/block.hpp"
#include "pgas/diagnosis.hpp"
#include "pgas/network.hpp"
#include "pgas/signal.hpp"

namespace halocline::pgas {

/// What has become of something that needs other images.
enum class Outcome {
    done,
    stopped,  ///< an image that it needs has initiated normal termination
    failed,   ///< an image that it needs has failed; the rest is done
};

/// The graver of two: what is reported if both happen. A stopped image comes before a failed one
/// (Fortran 2018, 11.6.11).
[[nodiscard]] constexpr Outcome graver(Outcome one, Outcome other) {
    if (one == Outcome::stopped || other == Outcome::stopped) return Outcome::stopped;
    return one == Outcome::failed ? one : other;
}

/// This process as one of several images; images are counted from 0 here.
class Job {
public:
    /// The job that this process belongs to: the one of its launcher, or one with a single image.
    /// Joins it when first called. Throws JobError if that is impossible.
    static Job& join();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job() = default;

    [[nodiscard]] int me() const { return me_; }
    [[nodiscard]] int images() const { return static_cast<int>(block_.layout().images); }
    [[nodiscard]] const Block& block() const { return block_; }

    [[nodiscard]] State state(int image) const {
        if (is_near(image)) return block_.image_record(image).state.load();
        return network_->has_stopped(image) ? State::stopped : State::running;
    }
    /// Likewise, as what becomes of who needs it.
    [[nodiscard]] Outcome outcome_of(int image) const;
    /// How often images have stopped or failed.
    [[nodiscard]] std::uint32_t changes() const {
        return control_->changes.get() + (network_ == nullptr ? 0 : network_->stopped());
    }

    /// Where images are on several nodes, what connects them; else null.
    [[nodiscard]] Network* network() const { return network_; }
    /// Whether an image is on this node.
    [[nodiscard]] bool is_near(int image) const {
        if (network_ == nullptr) return true;
        const std::vector<int>& nodes = network_->nodes();
        return nodes[static_cast<std::size_t>(image)] == nodes[static_cast<std::size_t>(me_)];
    }

    /// The communicator of images, as MPI numbers it in Fortran. Collective over them. Throws
    /// JobError if MPI has not started them.
    [[nodiscard]] int communicator(const std::vector<int>& images) const;

    /// The image in whose memory an address lies, or -1.
    [[nodiscard]] int owner_of(const void* address) const;

    /// Waits until a condition holds that another image makes true when it changes this signal.
    /// Ends early if the image is not running any more.
    template <class Condition>
    Outcome await(int image, Signal& signal, const Condition& holds) {
        if (holds()) return Outcome::done;
        while (true) {
            const std::uint32_t known = changes();
            if (const Outcome outcome = outcome_of(image); outcome != Outcome::done) {
                return holds() ? Outcome::done : outcome;
            }
            wait(image, signal, [&] { return holds() || changes() != known; });
            if (holds()) return Outcome::done;
        }
    }
    Outcome await(int image, Signal& signal, std::uint32_t number) {
        return await(image, signal, [&] { return signal.has(number); });
    }
    /// Likewise for a condition that any image may make true. Ends early if one fails of which
    /// this has not reported yet, or if no other image runs.
    template <class Condition>
    Outcome await_any(Signal& signal, const Condition& holds) {
        while (!holds()) {
            const std::uint32_t known = changes();
            if (const Outcome outcome = outcome_of_others(); outcome != Outcome::done) {
                return holds() ? Outcome::done : outcome;
            }
            wait(any_image, signal, [&] { return holds() || changes() != known; });
        }
        return Outcome::done;
    }
    /// Waits for a condition however long it takes.
    template <class Condition>
    void await(Signal& signal, const Condition& holds) {
        wait(any_image, signal, holds);
    }

    /// Waits for other images, each of which does so with this one (SYNC IMAGES). If one of them
    /// has stopped it waits for nobody (Fortran 2018, 11.6.11).
    Outcome synchronise(std::span<const int> others);

    /// This image initiates normal termination; the others may go on. On one node it returns when
    /// all have done so (Fortran 2018, 5.3.7): what the C library has in buffers goes out before.
    void stop();
    /// This image ceases to take part, and says nothing. Throws JobError where images are on
    /// several nodes.
    [[noreturn]] void fail();
    /// All images are to end. Returns; the caller exits with the code.
    void end_all(int exit_code);
    [[nodiscard]] Diagnosis& diagnosis() { return diagnosis_; }
    /// Ends this process if all are to end, and notices who has died without a launcher to see it.
    void look_around();

private:
    Job(Block block, int me, bool has_launcher);
    Job(const Bootstrap& bootstrap);

    [[nodiscard]] Outcome outcome_of_others();
    [[nodiscard]] bool has_notified(int image) const;
    Outcome await_notification(int image, std::span<const int> others);
    void await_end_of_all();

    static constexpr int any_image = -1;

    template <class Condition>
    void wait(int image, Signal& signal, const Condition& is_over) {
        if (network_ != nullptr) {
            wait_on_network(image, is_over);
            return;
        }
        for (int i = 0; i < spins_; ++i) {
            if (is_over()) {
                spins_ = std::min(2 * spins_, spin_policy_.spins);
                return;
            }
            relax();
        }
        // Whoever is waited for may have no processor, if other programs run beside this one.
        spins_ = std::max(spins_ / 2, SpinPolicy::least_spins);
        for (int i = 0; i < spin_policy_.yields; ++i) {
            if (is_over()) return;
            yield_processor();
        }
        diagnosis_.begin_wait();
        for (std::uint32_t seen = signal.get(); !is_over(); seen = signal.get()) {
            signal.sleep_while(seen);
            look_around();
            diagnosis_.look(*control_, me_, image);
        }
    }

    /// Others' operations on this image's memory may need it to look at the network.
    template <class Condition>
    void wait_on_network(int image, const Condition& is_over) {
        diagnosis_.begin_wait();
        while (!is_over()) {
            network_->progress();
            diagnosis_.look(*control_, me_, image);
        }
    }

    /// Never destroyed: coarrays of static objects may be used until the process ends.
    inline static Job* joined_ = nullptr;

    Block block_;
    Control* control_;
    int me_;
    bool has_launcher_;
    int looked_at_ = 0;  ///< the image of which it was looked up whether its process has ended
    int failures_reported_ = 0;
    std::vector<std::uint32_t> awaited_;  ///< notifications of each image waited for
    SpinPolicy spin_policy_;
    int spins_ = spin_policy_.spins;  ///< fewer after waits that were longer
    Diagnosis diagnosis_ = Diagnosis::by_environment();
    Network* network_ = nullptr;
    void (*end_)() = nullptr;
    void (*abort_)(int exit_code) = nullptr;
    int (*communicator_)(const std::vector<int>& images) = nullptr;
};

}  // namespace halocline::pgas
