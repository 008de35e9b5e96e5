"""The kernels of plans as functions: compiled, each once, and loaded where they are to run."""

from __future__ import annotations

import hashlib
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from halocline.codegen.cpp import print_source
from halocline.codegen.cuda import print_cuda
from halocline.codegen.cuda_services import print_services
from halocline.codegen.emulation import emulated
from halocline.codegen.numpy_target import callback
from halocline.errors import DeviceError
from halocline.frozen import Frozen
from halocline.jit.build import build, usable_toolchain
from halocline.jit.cubin import build_cubin, cubin_key
from halocline.jit.kernels import build_kernels
from halocline.jit.library import CallbackLibrary, DeviceLibrary, Function, Library
from halocline.jit.nvrtc import best_architecture
from halocline.plan.value.plan import kernels_of
from halocline.runtime import _core
from halocline.runtime.device import PROCESSOR, OpenDevice
from halocline.runtime.elementary import elementary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from halocline.analysis.threads import Threads
    from halocline.codegen.source import Source
    from halocline.language.expressions.kernel import Kernel
    from halocline.plan.value.plan import Plan
    from halocline.runtime.job import Job


class CompiledKernels(Frozen):
    """Kernels and the functions that they have become."""

    functions: dict[Kernel, Function]

    def address(self, kernel: Kernel) -> int:
        """Return the address of a kernel's function."""
        return self.functions[kernel].address


def _threads_of(plans: Iterable[Plan]) -> dict[Kernel, Threads]:
    """Return how threads of a device share the cells of the kernels of plans."""
    pairs = (zip(plan.launches, plan.executions, strict=True) for plan in plans)
    executed = (pair for found in pairs for pair in found)
    return {one.code: how.threads for one, how in executed if how.threads and one.is_compiled}


def compile_kernels(
    plans: Iterable[Plan], target: str, job: Job, device: OpenDevice = PROCESSOR
) -> CompiledKernels:
    """Return the compiled kernels of plans; one rank compiles, the others load what it has built.

    Args:
        plans: The plans.
        target: 'c++' or 'numpy'; see 'Simulation'.
        job: The ranks.
        device: Where they are to run.

    Raises:
        CompileError: There is no compiler, or it refused the source.
        DeviceError: The device cannot load them.
    """
    plans = tuple(plans)
    kernels = kernels_of(plans)
    if target == "numpy":
        names = [f"{number}_{kernel.name}" for number, kernel in enumerate(kernels)]
        callbacks = map(partial(callback, elementary=elementary), kernels)
        library = CallbackLibrary(dict(zip(names, callbacks, strict=True)))
        return CompiledKernels(
            {kernel: Function(library, name) for kernel, name in zip(kernels, names, strict=True)}
        )
    if device.is_cpu:
        return _built_each(kernels, print_source, job, digest_of_all=_digest_of(kernels))
    threads = _threads_of(plans)
    if not isinstance(device.handle, _core.CudaDevice):
        return _built_each(kernels, lambda some: emulated(print_cuda(some, threads)), job)
    sources = [print_cuda((kernel,), threads) for kernel in kernels]
    libraries = _loaded_each(device, device.handle, sources, job)
    functions = [Function(library, *library.entries) for library in libraries]
    return CompiledKernels(dict(zip(kernels, functions, strict=True)))


def _digest_of(kernels: Sequence[Kernel]) -> str:
    """Return what tells kernels from all others: a tenth of the work of printing them."""
    return hashlib.sha256(pickle.dumps(tuple(kernels))).hexdigest()


def _built_each(
    kernels: Sequence[Kernel],
    printed: Callable[[Sequence[Kernel]], Source],
    job: Job,
    *,
    digest_of_all: str = "",
) -> CompiledKernels:
    """Return kernels that one rank compiles, as far as nobody did, and others find in the cache."""
    toolchain = usable_toolchain()

    def built() -> dict[Kernel, Function]:
        return build_kernels(kernels, printed, toolchain, digest_of_all=digest_of_all)

    return CompiledKernels(job.on_first(built) or built())


def compile_services(job: Job, device: OpenDevice) -> tuple[int, ...]:
    """Return the addresses of what the runtime itself does on a device; zeros without one.

    Raises:
        CompileError: There is no compiler, or it refused the source.
        DeviceError: The device does not take the code.
    """
    source = print_services()
    if device.is_cpu:
        return (0,) * len(source.entries)
    if isinstance(device.handle, _core.CudaDevice):
        library: Library = _loaded_each(device, device.handle, [source], job)[0]
    else:
        made, toolchain = emulated(source), usable_toolchain()
        library = job.on_first(lambda: build(made, toolchain)) or build(made, toolchain)
    return tuple(map(library.address, library.entries))


def _loaded_each(
    device: OpenDevice, handle: _core.CudaDevice, sources: Sequence[Source], job: Job
) -> list[DeviceLibrary]:
    """Return what a device has loaded of some sources, as far as nobody did.

    A rank compiles several of them at once, as many as it may use processors.
    """
    architecture = best_architecture(handle.architecture)
    names = [cubin_key(source, architecture) for source in sources]
    missing = {n: s for n, s in zip(names, sources, strict=True) if n not in device.loaded}

    def images() -> list[bytes]:
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return list(
                pool.map(lambda source: build_cubin(source, architecture), missing.values())
            )

    first = job.on_first(images)
    for (name, source), image in zip(missing.items(), first or images(), strict=True):
        device.loaded[name] = _loaded(handle, image, source)
    return [device.loaded[name] for name in names]


def _loaded(handle: _core.CudaDevice, image: bytes, source: Source) -> DeviceLibrary:
    try:
        addresses = handle.load(image, source.entries)
    except _core.DeviceError as error:
        raise DeviceError(
            f"The kernels do not load: {error}.",
            hint="A driver older than NVRTC may not know its machine code: update the driver, or "
            "install an older NVRTC.",
        ) from None
    return DeviceLibrary(dict(zip(source.entries, addresses, strict=True)))
