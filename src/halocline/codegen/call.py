"""The structures of 'kernel_abi.h' as ctypes sees them."""

from __future__ import annotations

import ctypes


class FieldArgument(ctypes.Structure):
    """One field on one block: 'halocline_field'."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("component", ctypes.c_int64),
        ("x", ctypes.c_int64),
        ("y", ctypes.c_int64),
        ("z", ctypes.c_int64),
    )


class ActiveRun(ctypes.Structure):
    """Neighbouring cells of one row: 'halocline_active_run'."""

    _fields_ = tuple((name, ctypes.c_int64) for name in ("lower", "upper", "y", "z", "before"))


class Layer(ctypes.Structure):
    """The cells where an inlined kernel runs: 'halocline_layer'."""

    _fields_ = (("lower", ctypes.c_int64 * 3), ("upper", ctypes.c_int64 * 3))


class ReductionSink(ctypes.Structure):
    """What takes values that are not stored: 'halocline_sink'."""

    _fields_ = (
        ("take", ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, ctypes.c_int64, ctypes.c_void_p)),
        ("into", ctypes.c_void_p),
        ("high", ctypes.c_double),
        ("low", ctypes.c_double),
    )


class Call(ctypes.Structure):
    """The argument of every generated kernel: 'halocline_call'."""

    _fields_ = (
        ("fields", ctypes.POINTER(FieldArgument)),
        ("scalars", ctypes.POINTER(ctypes.c_double)),
        ("lower", ctypes.c_int64 * 3),
        ("upper", ctypes.c_int64 * 3),
        ("origin", ctypes.c_int64 * 3),
        ("period", ctypes.c_int64 * 3),
        ("wrap", ctypes.c_int64),
        ("tile", ctypes.c_int64 * 2),
        ("threads", ctypes.c_int32),
        ("stream", ctypes.c_int32),
        ("fetch", ctypes.c_int32),
        ("active_runs", ctypes.POINTER(ActiveRun)),
        ("active_run_count", ctypes.c_int64),
        ("layers", ctypes.POINTER(Layer)),
        ("sinks", ctypes.POINTER(ReductionSink)),
    )


KernelFunction = ctypes.CFUNCTYPE(None, ctypes.POINTER(Call))
