"""Machines with devices, known without measuring: those of paper 001, and present ones.

'Data sheet' is what a manufacturer promises, 'fitted' what makes the model meet one number that a
paper prints; each machine's 'sources' say which numbers are which, and which are assumed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from halocline.tune.device import BoxCopies, Device, HostCopies
from halocline.tune.machine import SizeRange, TransportTimes

if TYPE_CHECKING:
    from halocline.tune.machine import Machine

_US, _GB = 1e-6, 1e9

_HOPPER_SOURCES = (
    "start of a kernel: a short one takes 2.9 µs on a V100 (NVIDIA's blog 'Getting Started with "
    "CUDA Graphs', 2019); enqueueing, 2.5 µs: assumed, for launches one by one; a graph needs less",
    "arithmetic: data sheet, 67 and 34 TFLOP/s",
    "copies to the host: data sheet of PCIe 5 x16 (64 GB/s) less a tenth; 8 µs: assumed",
)
_HOST_SOURCE = "host: the generic machine's, of which only enqueueing and MPI matter"


def device_machines(host: Machine) -> tuple[Machine, ...]:
    """Return the built-in machines with devices.

    Args:
        host: Whose processors drive the devices.
    """
    return _kepler(host), _h100(host), _nvlink_node(host), _h200_cluster(host)


def _times(transport: str, latency_s: float, bytes_per_s: float, where: str) -> TransportTimes:
    """Return times with one latency and bandwidth for all sizes and 1 µs for each side."""
    ranges = (SizeRange(None, latency_s, 1 / bytes_per_s),)
    return TransportTimes(transport, where == "inside", 1 * _US, 0.0, ranges)


def _kepler(host: Machine) -> Machine:
    device = Device(
        name="Tesla K40m",
        per_node=2,
        bytes_per_s=169.3 * _GB,
        start_s=5 * _US,
        enqueue_s=5 * _US,
        float32_per_s=4.29e12,
        float64_per_s=1.43e12,
        host_copies=HostCopies(10 * _US, 10.0 * _GB),
        box_copies=BoxCopies(10 * _US, 120e-9, 1.586 * _GB),
    )
    return replace(
        host,
        name="kepler-001",
        description="C3HPC of the Federal University of Paraná, 2017: 2 nodes with 2 Tesla K40m "
        "(ECC on) and 4 Intel Xeon E5-4627 v2 each, PCIe 3, ConnectX-3; paper 001",
        cores=32,
        transports=(
            _times("two-sided", 1 * _US, 5 * _GB, "inside"),
            _times("two-sided", 1.3 * _US, 6 * _GB, "between"),
            _times("from-device", 10 * _US, 0.339 * _GB, "inside"),
            _times("from-device", 10 * _US, 0.339 * _GB, "between"),
        ),
        node_link_bytes_per_s=6 * _GB,
        device=device,
        sources=(
            "devices, nodes, cores: paper 001, section 5.1 and table 5.1",
            "memory of a device: fitted to 550 MLUP/s on one of them with 320³ cells, section "
            "6.2.1; 203 GB/s in plain copies (Microway's page on the K40, bandwidthTest), and 173 "
            "in another lattice Boltzmann code (FluidX3D's table: 1131 MLUP/s of 153 bytes)",
            "copies to pinned memory: 10.0 GB/s either way (Microway, as above)",
            "copies of boxes: bytes/s fitted to the 760 MLUP/s of GPUPackInfo, section 6.2.1; time "
            "a row fitted to its 100 MLUP/s cut across x, section 6.2.3",
            "messages from device memory: bytes/s fitted to the 748 MLUP/s of GPUBufferedScheme "
            "with Open MPI 1.10, section 6.2.1",
            "network: 6 GB/s, as FDR gives; the paper names the cards only, so FDR is assumed, as "
            "are 1.3 µs, MPI inside a node and the latencies of copies",
            "start and enqueueing of a kernel, 5 µs: assumed",
            "arithmetic: data sheet",
            _HOST_SOURCE,
        ),
    )


def _hopper(name: str, per_node: int, bytes_per_s: float) -> Device:
    return Device(
        name=name,
        per_node=per_node,
        bytes_per_s=bytes_per_s,
        start_s=2.9 * _US,
        enqueue_s=2.5 * _US,
        float32_per_s=67e12,
        float64_per_s=34e12,
        host_copies=HostCopies(8 * _US, 57 * _GB),
    )


def _h100(host: Machine) -> Machine:
    return replace(
        host,
        name="h100",
        description="one NVIDIA H100 SXM with 80 GB; nothing of it was measured by us",
        transports=(),
        node_link_bytes_per_s=None,
        device=_hopper("NVIDIA H100 SXM", 1, 2.96e12),
        sources=(
            "memory: 2.96 TB/s in copies of p2pBandwidthLatencyTest (NVIDIA/cuda-samples, issue "
            "392), of 3.35 on the data sheet; FluidX3D's table has 17,602 MLUP/s of 153 bytes, "
            "2.69 TB/s",
            *_HOPPER_SOURCES,
            _HOST_SOURCE,
        ),
    )


_NVLINK = (
    _times("two-sided", 1 * _US, 10 * _GB, "inside"),
    _times("from-device", 5 * _US, 350 * _GB, "inside"),
    _times("peer", 2 * _US, 376 * _GB, "inside"),
)
_NVLINK_SOURCES = (
    "memory: 4.3 TB/s, what copies are reported to reach of 4.8 on the data sheet; FluidX3D's "
    "table has 23,056 MLUP/s of 153 bytes, 3.53 TB/s",
    "peer copies: 376 GB/s between two H100 with the same NVLink, of 450 on the data sheet "
    "(NVIDIA/nccl, issue 1264); 1.8 to 2.3 µs (NVIDIA/cuda-samples, issue 230)",
    "messages from device memory inside a node: 5 µs, 350 GB/s assumed",
    "messages of the hosts inside a node: 1 µs, 10 GB/s assumed",
    *_HOPPER_SOURCES,
    _HOST_SOURCE,
)


def _nvlink_node(host: Machine) -> Machine:
    device = _hopper("NVIDIA H200 SXM", 8, 4.3e12)
    return replace(
        host,
        name="nvlink-8",
        description="a node with 8 NVIDIA H200 SXM and NVLink 4 between all of them; nothing of it "
        "was measured by us",
        transports=_NVLINK,
        node_link_bytes_per_s=None,
        device=replace(device, messages="peer"),
        sources=_NVLINK_SOURCES,
    )


def _h200_cluster(host: Machine) -> Machine:
    return replace(
        _nvlink_node(host),
        name="h200-cluster",
        description="nodes as 'nvlink-8', each device with its own 400 Gbit/s of NDR InfiniBand; "
        "nothing of it was measured by us",
        transports=(
            *_NVLINK,
            _times("two-sided", 2 * _US, 48 * _GB, "between"),
            _times("from-device", 3.5 * _US, 45 * _GB, "between"),
        ),
        node_link_bytes_per_s=8 * 50 * _GB,
        sources=(
            *_NVLINK_SOURCES,
            "network: data sheet, 50 GB/s a device; of that 48 from hosts and 45 from devices, 2 "
            "and 3.5 µs: assumed; no switch is ever in the way",
        ),
    )
