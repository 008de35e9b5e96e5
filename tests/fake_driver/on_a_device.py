"""Small problems on a device, most often one of the fake driver; prints what came out as JSON.

python on_a_device.py DEVICE bits|heat|boxes|slim|again|peer|without-nvrtc|bad-code
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
import threading
import zlib
from pathlib import Path

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent.parent))

import small_flows
import stencils

import halocline as hc
from halocline.codegen.emulation import emulated
from halocline.errors import HaloclineError
from halocline.jit import cubin, nvrtc
from halocline.jit.build import build
from halocline.launched import launched_rank

# The sizes of a kernel's parameters, which a real driver finds in the machine code.
SIZES = """
template <class... Parameters>
static size_t parameter_size(void (*)(Parameters...), size_t number) {
    const size_t sizes[] = {sizeof(Parameters)..., 0};
    return sizes[number];
}
"""
SIZE = 'extern "C" size_t %s_parameter(size_t n) { return parameter_size(%s, n); }\n'


def compile_for_fake_driver(source, architecture) -> nvrtc.DeviceCode:
    """Return as machine code the path of a library with emulated kernels."""
    assert architecture == "sm_80", "the newest that a device of sm_86 runs"
    text = emulated(source)
    sizes = SIZES + "".join(SIZE % (entry, entry) for entry in source.entries)
    library = build(replace(text, text=text.text + sizes))
    return nvrtc.DeviceCode(bytes(library.path) + b"\0", "")


def use_fake_compiler() -> None:
    cubin.compile_cuda = compile_for_fake_driver
    cubin.nvrtc_version = nvrtc.nvrtc_version = lambda: "of the fake driver"
    nvrtc.architectures = lambda: ("sm_75", "sm_80", "sm_90")


def use_bad_compiler() -> None:
    use_fake_compiler()
    cubin.compile_cuda = lambda source, architecture: nvrtc.DeviceCode(b"nonsense\0", "")


def hide_nvrtc() -> None:
    nvrtc._in_wheel, nvrtc._NAMES = list, ()


def at_once(action) -> None:
    action()


def in_a_thread(action) -> None:
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def heat(device: str, do=at_once, **options):
    """Run with a reduction and a function in the step; return what they and the fields say."""
    problem = stencils.heat((9, 7), (True, False))
    field = problem.grid.fields["T"]
    stencils.fill(problem)
    total, totals = hc.sum(field, name="total"), []

    def halve():
        totals.append(total.value)
        for values in field.local():
            values[...] *= 0.5

    steps = [*problem.steps, total, hc.every(2, halve)]
    simulation = hc.Simulation(problem.grid, steps, threads=1, device=device, **options)
    do(lambda: simulation.run(5, progress=False))
    values = field.gather()
    return simulation, [totals, zlib.crc32(values.tobytes()) if values is not None else None]


def recorded(device: str) -> int:
    """Run steps that a device may record, half of them on other blocks; return what fields say.

    Ranks exchange the field that does not change before the first step only.
    """
    grid = hc.Grid((9, 7), periodic=True)
    a, b = grid.field("a"), grid.field("b")

    @hc.kernel
    def add(a, b):
        b[0, 0] = b + a[1, 0] - 0.5 * a[0, 1]

    @hc.kernel
    def damp(b, c):
        c[0, 0] = 0.75 * b

    steps = [add(a, b), damp(b, grid.field("c")), hc.swap(b, grid.fields["c"])]
    simulation = hc.Simulation(grid, steps, threads=1, device=device, check_every=0)
    a.set(lambda x, y: x * x + y)
    simulation.run(100, progress=False)
    simulation.rebuild(blocks=2)
    simulation.run(100, progress=False)
    values = b.gather()
    return zlib.crc32(values.tobytes()) if values is not None else 0


def boxes(device: str) -> dict:
    """Copy boxes between two ranks, of planes that are no whole number of rows apart, and of
    components that lie side by side.
    """
    heat_3d = stencils.heat((60, 14, 3), (True, True, True))
    found = []
    for problem in (heat_3d, stencils.interleaved((14, 13), (True, False))):
        stencils.run(
            problem,
            threads=1,
            device=device,
            decomposition=(2, 1, 1)[: problem.grid.dimensions],
            strategy="auto" if device == "cpu" else hc.Strategy(transport="box-copies"),
        )
        found.append(stencils.checksum(problem))
    return {"results": found}


def bits(device: str) -> dict:
    simulation, one = heat(device)
    report, where = simulation.report(), simulation.device.where
    two = heat(device, in_a_thread, blocks=2)[1]
    setup = replace(small_flows.SETUPS["D2Q9 solid beside a mirror"], streaming="in-place")
    three = recorded(device)
    flow = small_flows.fingerprint(small_flows.run(setup, blocks=2, device=device)[0])
    return {"results": [one, two, three, flow], "where": where, "report": str(report)}


def slim(device: str) -> dict:
    """Run where blocks of threads cannot have the shape that suits the kernel."""
    found = []
    for extent in ((1, 1, 200), (1, 70000, 1), (3, 2, 150)):
        problem = stencils.heat(extent, (True, True, True))
        stencils.run(problem, threads=1, device=device)
        found.append(stencils.checksum(problem))
    return {"results": found}


def again(device: str) -> dict:
    """Plan anew for other blocks; tell what was compiled first, and then."""
    compiled = []

    def counted(source, architecture):
        compiled.append(source.entries)
        return compile_for_fake_driver(source, architecture)

    cubin.compile_cuda = counted
    problem = stencils.heat((9, 7), (True, False))
    simulation = hc.Simulation(problem.grid, problem.steps, threads=1, device=device, blocks=2)
    simulation.run(2, progress=False)
    first = list(compiled)
    for blocks in (3, 2):
        simulation.rebuild(blocks=blocks)
        simulation.run(2, progress=False)
    return {"first": first, "then": compiled[len(first) :]}


RESULTS = {"bits": bits, "boxes": boxes, "slim": slim, "again": again}
COMPILERS = {"without-nvrtc": hide_nvrtc, "bad-code": use_bad_compiler}


def main(device: str, way: str) -> None:
    COMPILERS.get(way, use_fake_compiler)()
    if way in RESULTS:
        found = RESULTS[way](device)
    else:
        try:
            strategy = hc.Strategy(transport=way) if way == "peer" else "auto"
            found = {"where": heat(device, strategy=strategy)[0].device.where}
        except HaloclineError as error:
            found = {"error": f"{type(error).__name__}: {error}"}
    gc.collect()
    is_loaded = "libcuda" in Path("/proc/self/maps").read_text(encoding="utf-8")
    found["is_loaded"] = is_loaded
    if is_loaded:
        found["live"] = ctypes.CDLL("libcuda.so.1").fake_cuda_live()
    if not launched_rank():
        print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
