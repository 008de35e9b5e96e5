#include "bindings/bind_plan.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/record.hpp"
#include "runtime/program.hpp"

namespace nb = nanobind;

namespace halocline::bindings {
namespace {

void bind_boxes(nb::module_& module) {
    bind_record<Box>(module, "Box", "Cells from a lower corner to before an upper one.",
                     Needed{"lower", &Box::lower}, Needed{"upper", &Box::upper});
    using plan::BlockBox;
    bind_record<BlockBox>(module, "BlockBox", "Cells of one block.",
                          Needed{"block", &BlockBox::block}, Needed{"box", &BlockBox::box});
}

void bind_kernels(nb::module_& module) {
    using plan::Layers;
    bind_record<Layers>(module, "Layers", "Where the inlined kernels of a kernel run on one block.",
                        Needed{"block", &Layers::block}, Needed{"boxes", &Layers::boxes},
                        Needed{"free_of_inlined", &Layers::free_of_inlined});
    bind_record<Threads>(module, "Threads", "How threads of a device share the cells of a kernel.",
                         Needed{"block", &Threads::block}, Needed{"cells", &Threads::cells},
                         Needed{"is_batched", &Threads::is_batched});
    nb::enum_<Choice>(module, "Choice", "Whether something is done.")
        .value("never", Choice::never)
        .value("always", Choice::always)
        .value("trial", Choice::trial);
    bind_record<Kernel>(module, "Kernel", "A compiled kernel and what it is called with.",
                        Needed{"name", &Kernel::name}, Needed{"address", &Kernel::function},
                        Needed{"fields", &Kernel::fields}, Needed{"scalars", &Kernel::scalars},
                        Optional{"stream", &Kernel::stream}, Optional{"tile", &Kernel::tile},
                        Optional{"mask", &Kernel::mask}, Optional{"layers", &Kernel::layers},
                        Optional{"space", &Kernel::space}, Optional{"fetch", &Kernel::fetch},
                        Optional{"written", &Kernel::written}, Optional{"ratios", &Kernel::ratios},
                        Optional{"threads", &Kernel::threads}, Optional{"points", &Kernel::points},
                        Optional{"filling", &Kernel::filling}, Optional{"sinks", &Kernel::sinks});
}

void bind_exchanges(nb::module_& module) {
    using plan::TransportKind;
    // As strategies name them.
    nb::enum_<TransportKind>(module, "TransportKind",
                             "How the values of a message move from one rank to another.")
        .value("shared", TransportKind::shared)
        .value("shared-push", TransportKind::shared_push)
        .value("two-sided", TransportKind::two_sided)
        .value("persistent", TransportKind::persistent)
        .value("datatype", TransportKind::datatype)
        .value("put", TransportKind::put)
        .value("get", TransportKind::get)
        .value("box-copies", TransportKind::box_copies)
        .value("via-host", TransportKind::via_host)
        .value("from-device", TransportKind::from_device)
        .value("peer", TransportKind::peer);
    using plan::Message;
    bind_record<Message>(module, "Message", "What travels at once to or from one rank.",
                         Needed{"rank", &Message::rank}, Needed{"tag", &Message::tag},
                         Needed{"transport", &Message::transport},
                         Needed{"parts", &Message::parts});
    using plan::Exchange;
    bind_record<Exchange>(
        module, "Exchange", "Everything that brings the halos of some fields up to date.",
        Needed{"name", &Exchange::name}, Optional{"sends", &Exchange::sends},
        Optional{"receives", &Exchange::receives}, Optional{"copies", &Exchange::copies});
}

void bind_running(nb::module_& module) {
    using plan::Run;
    bind_record<Run>(module, "Run", "Run a kernel on boxes.", Needed{"kernel", &Run::kernel},
                     Needed{"label", &Run::label}, Needed{"boxes", &Run::boxes},
                     Optional{"is_late_rim", &Run::is_late_rim},
                     Optional{"is_concurrent", &Run::is_concurrent});
    using plan::Swap;
    bind_record<Swap>(module, "Swap", "Exchange the contents of two fields without copying.",
                      Needed{"slot_a", &Swap::slot_a}, Needed{"slot_b", &Swap::slot_b});
    using plan::Reduction;
    nb::enum_<Reduction>(module, "Reduction", "How values are combined.")
        .value("sum", Reduction::sum)
        .value("min", Reduction::min)
        .value("max", Reduction::max);
    using plan::Reduce;
    bind_record<Reduce>(module, "Reduce",
                        "Combine one component over all boxes and ranks into a scalar.",
                        Needed{"reduction", &Reduce::reduction}, Needed{"slot", &Reduce::slot},
                        Needed{"component", &Reduce::component}, Needed{"boxes", &Reduce::boxes},
                        Needed{"scalar", &Reduce::scalar}, Optional{"sink", &Reduce::sink});
    using plan::Poison;
    bind_record<Poison>(module, "Poison", "Overwrite cells with poison.",
                        Needed{"slot", &Poison::slot}, Needed{"components", &Poison::components},
                        Needed{"boxes", &Poison::boxes});
    using plan::Assigned;
    bind_record<Assigned>(module, "Assigned", "Cells that a kernel assigns.",
                          Needed{"box", &Assigned::box}, Needed{"mask", &Assigned::mask});
    using plan::Check;
    bind_record<Check>(
        module, "Check", "Raise OutOfLimitsError on every rank if any has such a value.",
        Needed{"slot", &Check::slot}, Needed{"boxes", &Check::boxes}, Needed{"low", &Check::low},
        Needed{"high", &Check::high}, Optional{"assigned", &Check::assigned});
}

void bind_formulas(nb::module_& module) {
    using plan::FormulaStep;
    bind_record<FormulaStep>(
        module, "FormulaStep", "A step of a formula.", Needed{"operation", &FormulaStep::operation},
        Optional{"value", &FormulaStep::value}, Optional{"operands", &FormulaStep::operands});
    using plan::Compute;
    bind_record<Compute>(module, "Compute", "Give a scalar the value of another one.",
                         Needed{"scalar", &Compute::scalar}, Needed{"value", &Compute::value});
    using plan::Until;
    bind_record<Until>(module, "Until", "Repeat the body until a scalar is not zero after a pass.",
                       Needed{"condition", &Until::condition}, Needed{"most", &Until::most},
                       Needed{"passes", &Until::passes}, Needed{"must_hold", &Until::must_hold},
                       Needed{"number", &Until::number}, Needed{"body", &Until::body},
                       Needed{"before_error", &Until::before_error});
}

void bind_order(nb::module_& module) {
    using plan::Start, plan::Wait, plan::Poll, plan::Call;
    bind_record<Start>(module, "Start", "Begin an exchange.", Needed{"exchange", &Start::exchange});
    bind_record<Wait>(module, "Wait", "Complete an exchange.", Needed{"exchange", &Wait::exchange});
    bind_record<Poll>(module, "Poll", "Let the messages of an exchange progress.",
                      Needed{"exchange", &Poll::exchange});
    using plan::Piece, plan::WaitAny;
    bind_record<Piece>(module, "Piece", "What is run when some messages have arrived.",
                       Needed{"messages", &Piece::messages}, Needed{"run", &Piece::run});
    bind_record<WaitAny>(module, "WaitAny", "Complete an exchange, running pieces meanwhile.",
                         Needed{"exchange", &WaitAny::exchange},
                         Needed{"pieces", &WaitAny::pieces});
    using plan::Loop, plan::Every;
    bind_record<Loop>(module, "Loop", "Repeat the body.", Needed{"count", &Loop::count},
                      Needed{"body", &Loop::body});
    bind_record<Every>(module, "Every", "Run the body at the end of every n-th step.",
                       Needed{"interval", &Every::interval}, Needed{"body", &Every::body});
    bind_record<Call>(module, "Call", "Call a function of Python.",
                      Needed{"callback", &Call::callback});
    using plan::StepEnd, plan::Skew, plan::Wavefront, plan::Pause;
    bind_record<StepEnd>(module, "StepEnd", "Count a step.");
    bind_record<Skew>(module, "Skew", "Where a run of a wavefront begins and ends.",
                      Needed{"lower", &Skew::lower}, Needed{"upper", &Skew::upper},
                      Needed{"across", &Skew::across}, Needed{"is_first", &Skew::is_first});
    bind_record<Wavefront>(module, "Wavefront", "Do runs plane by plane, tile by tile.",
                           Needed{"label", &Wavefront::label}, Needed{"parts", &Wavefront::parts},
                           Needed{"skews", &Wavefront::skews}, Needed{"axis", &Wavefront::axis},
                           Needed{"planes", &Wavefront::planes}, Needed{"rows", &Wavefront::rows});
    bind_record<Pause>(module, "Pause", "A step in which a temporal block pauses.",
                       Needed{"offset", &Pause::offset}, Needed{"interval", &Pause::interval});
}

}  // namespace

void bind_plan(nb::module_& module) {
    bind_boxes(module);
    bind_kernels(module);
    bind_exchanges(module);
    bind_running(module);
    bind_formulas(module);
    bind_order(module);
    module.attr("Operation") = Entry<plan::Operation>::type();
}

}  // namespace halocline::bindings
