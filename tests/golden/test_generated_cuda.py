from __future__ import annotations

from small_kernels import average, heat, weight_above

from halocline.codegen.cuda import print_cuda


def test_heat_in_three_dimensions(golden):
    golden("heat.cu", print_cuda([heat()]).text)


def test_finer_fields_and_a_sweep(golden):
    golden("related.cu", print_cuda([average(), weight_above()]).text)
