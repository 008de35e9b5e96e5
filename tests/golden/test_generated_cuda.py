from __future__ import annotations

from small_kernels import heat

from halocline.codegen.cuda import print_cuda


def test_heat_in_three_dimensions(golden):
    golden("heat.cu", print_cuda([heat()]).text)
