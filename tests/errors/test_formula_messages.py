"""What is said of numbers, formulas and loops that have no meaning."""

import math

import pytest
from telling import told

import halocline as hc
from halocline.errors import ConvergenceError, KernelError, PlanError


@hc.kernel
def add(u, *, by):
    u[0] = u[0] + by


@pytest.fixture
def u():
    return hc.Grid((8,), periodic=True).field("u")


a, b = hc.Parameter(1.0, "a"), hc.Parameter(2.0, "b")


def test_a_loop_until_what_is_no_condition(u):
    start = "'until' was given "
    expected = (
        "; expected a condition, that is a comparison of numbers that are known at run time. "
    )
    reduce = "Reduce it to a number: hc.until(hc.max(abs(u - v)) < 1e-6, …)."
    write = "Write hc.until(error < 1e-6, …), with parameters, reductions and numbers."
    for given, found, hint in (
        (u[0] < 1.0, "something that differs from cell to cell", reduce),
        (a * b, "the number 'a * b'", write),
        (a, "the number 'a'", write),
        (3.0, "3.0", write),
        (
            a == b,
            "False",
            "'==' and '!=' compare objects; write <, <=, > or >= of parameters.",
        ),
    ):
        message = told(PlanError, lambda given=given: hc.until(given, add(u, by=1.0)))
        assert message == start + found + expected + hint


def test_a_choice_by_parameters_compared_as_objects():
    assert told(KernelError, lambda: hc.where(a == 1.0, b, 0.0)) == (
        "'hc.where' was given False to choose between parameters; expected a comparison of numbers "
        "that are known at run time. '==' and '!=' compare objects; write <, <=, > or >= of "
        "parameters."
    )


def test_a_loop_of_no_passes_or_no_steps(u):
    assert told(PlanError, lambda: hc.until(a < b, add(u, by=1.0), max_iterations=0)) == (
        "'max_iterations' of 'until' was given 0; expected a whole number of at least 1."
    )
    assert told(PlanError, lambda: hc.until(a < b)) == (
        "'until' was given a condition and no steps; expected at least one. Write "
        "hc.until(condition, step, …)."
    )
    assert told(PlanError, lambda: hc.until(a < b, add(u, by=1.0), on_failure="stop")) == (
        "'until' was given on_failure='stop'; expected 'error' or 'ignore'."
    )


def test_an_assignment_to_what_is_no_parameter_of_the_user(u):
    for given, found in (
        (a * b, "'a * b', a formula"),
        (hc.sum(u), "'sum', a reduction"),
        (hc.time, "'time'"),
        (3.0, "3.0"),
    ):
        assert told(PlanError, lambda given=given: hc.assign(given, 1.0)) == (
            f"'assign' was to change {found}; expected an hc.Parameter of your own. Make one that "
            "keeps the number: kept = hc.Parameter(0.0, 'kept')."
        )


def test_an_assignment_of_what_is_no_number(u):
    assert told(PlanError, lambda: hc.assign(a, u)) == (
        "'assign' was to give 'a' something that differs from cell to cell; expected a number, or "
        "a formula of parameters and reductions. Reduce it to a number: hc.assign(parameter, "
        "hc.max(u))."
    )
    assert told(PlanError, lambda: hc.assign(a, "1")) == (
        "'assign' to 'a' was given '1'; expected a number."
    )


def test_a_formula_among_the_steps_that_has_no_reduction(u):
    assert told(PlanError, lambda: hc.Simulation(u.grid, [a * b])) == (
        "The formula 'a * b' stands in the list of steps and has no reduction in it; there is "
        "nothing to evaluate. It is computed wherever it is used; to keep the value that it has "
        "here, write hc.assign(parameter, formula)."
    )


def test_a_choice_while_steps_are_written():
    assert told(KernelError, lambda: bool(a < b)) == (
        "'if', 'and', 'or' or 'not' was applied to 'a < b', a number that is known only at run "
        "time. Write hc.where(condition, a, b), '&', '|' and '~' instead; its present value is its "
        "attribute 'value'."
    )


def test_the_value_of_a_formula_is_computed():
    def give():
        (a + b).value = 1.0

    assert told(KernelError, give) == (
        "The value of the formula 'a + b' was to be set; it is computed. Give its parameters other "
        "values."
    )


def test_operations_that_formulas_lack():
    assert told(KernelError, lambda: a & b) == (
        "'&' was applied to float and float; expected truth values or integers. Compare first: "
        "(a > 0) & (b > 0)."
    )
    assert told(KernelError, lambda: a.astype("int32")) == (
        "A formula of numbers was to become of type 'int32'; it is float64. hc.trunc(…) drops the "
        "fraction; a kernel that is given the formula may convert it: number.astype('int32')."
    )


def test_a_keyword_that_differs_from_cell_to_cell(u):
    for given in (0.5 / u, hc.index("x")):
        assert told(KernelError, lambda given=given: add(u, by=given)) == (
            "Kernel 'add' was given something that differs from cell to cell for 'by'; expected a "
            "number, or a formula of parameters and reductions. Pass the fields and compute it "
            "inside, or reduce it to a number: by=hc.max(…)."
        )


def test_a_formula_with_a_reduction_that_is_never_evaluated(u):
    rest = " is given the reduction 'sum' before it has been evaluated. "
    total = hc.sum(u)
    for steps, what in (
        ([add(u, by=a / total)], "Kernel 'add'"),
        ([hc.assign(a, total), total], "'assign' to 'a'"),
        ([hc.until(total < 1.0, add(u, by=1.0)), total], "The condition 'sum < 1.0'"),
    ):
        simulation = hc.Simulation(u.grid, steps, target="numpy", threads=1)
        message = told(PlanError, lambda simulation=simulation: simulation.run(1))
        assert message.startswith(what + rest)


def test_a_length_of_steps_that_is_never_evaluated(u):
    dt = 0.5 / hc.max(u)
    assert told(PlanError, lambda: hc.Simulation(u.grid, [add(u, by=dt)], dt=dt)) == (
        "'dt' was given '0.5 / max', but no step evaluates the reduction 'max'. Put the formula or "
        "the reduction into the list of steps."
    )


def test_a_condition_that_does_not_come_to_hold(u):
    u.set(1.0)
    total = hc.sum(u, name="total")
    kept = hc.Parameter(0.0, "kept")
    loop = hc.until(total > 100.0 * a, add(u, by=1.0), total, max_iterations=3)
    simulation = hc.Simulation(u.grid, [hc.assign(kept, kept + 1), loop])
    assert told(ConvergenceError, lambda: simulation.run(4, progress=False)) == (
        "The condition 'total > (100.0 * a)' did not hold after 3 iterations in step 1: "
        "total = 32, a = 1. Raise 'max_iterations', write on_failure='ignore', or look at what is "
        "computed."
    )
    assert (u.gather() == 4.0).all()
    assert (kept.value, loop.iterations.value, simulation.step) == (1.0, 3.0, 0)
    a.value, simulation.step = 0.5, 0
    simulation.run(1, progress=False)
    a.value = 1.0
    assert simulation.step == 1
    assert u.gather()[0] == 7.0


def test_a_condition_that_is_no_number(u):
    u.set(-1.0)
    error = hc.max(hc.sqrt(u), name="error")
    loop = hc.until(error < 1.0, add(u, by=0.0), error, max_iterations=2)
    simulation = hc.Simulation(u.grid, [loop], check_every=0)
    message = told(ConvergenceError, lambda: simulation.run(1, progress=False))
    assert message.endswith(
        "error = nan. 'error' is not a number, so no comparison with it ever holds: look at what "
        "it is computed of."
    )
    assert math.isnan(error.value)


def test_an_expression_of_a_field_with_components_is_refused():
    q = hc.Grid((4, 4)).field("q", components=3)
    for given in (lambda: q * q, lambda: abs(q), lambda: hc.max(q, over="x", into=q)):
        with pytest.raises(KernelError) as refusal:
            given()
        assert refusal.value.message == (
            "The field 'q' stands in an expression with all of its 3 components; expected one of "
            "them."
        )
