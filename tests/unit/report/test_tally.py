"""What ranks tell of themselves after a run costs them little, however long their plan is."""

import stencils

import halocline as hc
from halocline.report import tally


def test_a_plan_is_looked_through_once_for_all_that_is_told_of_it(monkeypatch):
    asked = []

    def counted(plan, original=tally.bytes_by_label):
        asked.append(plan)
        return original(plan)

    monkeypatch.setattr(tally, "bytes_by_label", counted)
    problem = stencils.heat((12, 12), True)
    simulation = hc.Simulation(problem.grid, problem.steps, strategy=hc.Strategy(), threads=1)
    for steps in (1, 1, 2):
        simulation.run(steps, progress=False)
        simulation.report()  # of one rank: it tells before
    assert asked == [simulation.plan]
