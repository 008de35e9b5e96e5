from __future__ import annotations

from small_kernels import average, heat, running_sum, upwind, weight_above

from halocline.codegen.cpp import print_source


def test_heat_in_three_dimensions(golden):
    golden("heat.cpp", print_source([heat()]).text)


def test_choice_between_upwind_differences_of_two_components(golden):
    golden("upwind.cpp", print_source([upwind()]).text)


def test_finer_fields_and_a_sweep(golden):
    golden("related.cpp", print_source([average(), weight_above(), running_sum()]).text)
