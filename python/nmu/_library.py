"""The C library: its structs (see nmu.h), and how it is called."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from ctypes import POINTER, Structure, addressof, c_char, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p, sizeof
from pathlib import Path
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

OK, CANCELLED, SHAPE, OPTION = 0, 1, -1, -2
_FLOATS: dict[Any, int] = {np.dtype(np.float32): 1, np.dtype(np.float64): 2}
_ELEMENTS: dict[Any, int] = {**_FLOATS, np.dtype(np.uint8): 5}
_INTEGERS = {np.dtype(np.int32): 3, np.dtype(np.int64): 4}


class Error(ValueError):
    """An argument that the library refuses.

    Attributes
    ----------
    code : int
        As in nmu.h.
    matrix : str
        The matrix with the bad entry: "M", "V", "W" or "the weights"; else empty.
    row, col : int
        The position of the bad entry, from 0 (the message counts from 1); else -1.
    value : float
        The bad entry.
    """

    def __init__(self, message: str, code: int = 0, matrix: str = "", row: int = -1, col: int = -1, value: float = 0.0):
        super().__init__(message)
        self.code, self.matrix, self.row, self.col, self.value = code, matrix, row, col, value


class ForkError(RuntimeError):
    """A call in a child process forked after the library was loaded. The child lacks its threads."""


class InternalError(RuntimeError):
    """An error of the library itself."""


class _Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields: Any):
        super().__init__(size=sizeof(self), **fields)


class _Matrix(_Sized):
    _fields_ = [("size", c_size_t), ("type", c_int64), ("rows", c_int64), ("cols", c_int64),
                ("row_stride", c_int64), ("col_stride", c_int64), ("data", c_void_p)]

    def set(self, a: NDArray[Any]) -> None:
        """Describes a two-dimensional array, and holds it."""
        self.array: Any = a
        item = a.itemsize
        down, across = a.strides
        self.type = _ELEMENTS[a.dtype]
        self.rows, self.cols = a.shape
        self.row_stride, self.col_stride = down // item, across // item
        self.data = a.ctypes.data


class _CSR(_Sized):
    _fields_ = [("size", c_size_t), ("type", c_int64), ("pointer_type", c_int64), ("index_type", c_int64),
                ("rows", c_int64), ("cols", c_int64), ("entries", c_int64),
                ("pointers", c_void_p), ("indices", c_void_p), ("values", c_void_p)]

    def set(self, a: Any) -> None:
        """Describes a csr_matrix whose arrays agree, and holds them, or copies that lie side by side."""
        self.array: Any = [np.require(x, requirements=["C", "A"]) for x in (a.indptr, a.indices, a.data)]
        pointers, indices, values = self.array
        self.type = _FLOATS[values.dtype]
        self.pointer_type, self.index_type = _INTEGERS[pointers.dtype], _INTEGERS[indices.dtype]
        self.rows, self.cols = a.shape
        self.entries = pointers[-1]
        self.pointers, self.indices, self.values = pointers.ctypes.data, indices.ctypes.data, values.ctypes.data


class _Error(_Sized):
    _fields_ = [("size", c_size_t), ("code", c_int64), ("row", c_int64), ("col", c_int64), ("value", c_double),
                ("matrix", c_char * 16), ("message", c_char * 456)]


class _Progress(_Sized):
    _fields_ = [("size", c_size_t), ("updates", c_int64), ("restart", c_int64), ("restarts", c_int64),
                ("factor", c_int64), ("rank", c_int64), ("iteration", c_int64), ("iterations", c_int64),
                ("relative_error", c_double), ("elapsed", c_double), ("remaining", c_double)]


class _Options(_Sized):
    _fields_ = [("size", c_size_t), ("method", c_char_p), ("method_options", c_char_p), ("init", c_char_p),
                ("seed", c_uint64), ("iterations", c_int64), ("restarts", c_int64), ("threads", c_int64),
                ("check_every", c_int64), ("tolerance", c_double), ("target_error", c_double),
                ("time_limit", c_double), ("overwrite", c_int64), ("cancel", c_void_p), ("progress", c_void_p),
                ("callback", c_void_p), ("user", c_void_p), ("mask", c_void_p), ("weights", c_void_p),
                ("nan_missing", c_int64), ("sparse_missing", c_int64), ("missing_solver", c_char_p)]


class _Block(Structure):
    _fields_ = [("rank", c_int64), ("iterations", c_int64), ("relative_error", c_double), ("relative_l1", c_double)]


class _Result(_Sized):
    _fields_ = [("size", c_size_t), ("rank", c_int64), ("iterations", c_int64), ("relative_error", c_double),
                ("relative_l1", c_double), ("max_violation", c_double), ("largest_entry", c_double),
                ("violation_bound", c_int64), ("stop", c_char * 24), ("seed", c_uint64), ("best_restart", c_int64),
                ("restarts_begun", c_int64), ("restarts_finished", c_int64), ("revived", c_int64),
                ("block", POINTER(_Block)), ("block_capacity", c_int64), ("blocks", c_int64), ("relative_divergence", c_double)]


class _TransformOptions(_Sized):
    _fields_ = [("size", c_size_t), ("feasible", c_int64), ("given", c_int64), ("iterations", c_int64),
                ("tolerance", c_double), ("threads", c_int64), ("cancel", c_void_p), ("mask", c_void_p),
                ("weights", c_void_p), ("nan_missing", c_int64), ("sum_to_one", c_int64), ("divergence", c_int64)]


class _TransformResult(_Sized):
    _fields_ = [("size", c_size_t), ("relative_error", c_double), ("max_violation", c_double), ("iterations", c_int64),
                ("kkt", c_double), ("stop", c_char * 24), ("finished", c_int64), ("violation_bound", c_int64),
                ("relative_divergence", c_double)]


class _Measures(_Sized):
    _fields_ = [("size", c_size_t), ("relative_error", c_double), ("max_violation", c_double), ("scale", c_double),
                ("scaled_error", c_double), ("basis_zeros", c_double), ("weight_zeros", c_double),
                ("basis_hoyer", c_double), ("weight_hoyer", c_double)]


class _BicliqueOptions(_Sized):
    _fields_ = [("size", c_size_t), ("seed", c_uint64), ("starts", c_int64), ("iterations", c_int64),
                ("threads", c_int64), ("cancel", c_void_p)]


class _BicliqueResult(_Sized):
    _fields_ = [("size", c_size_t), ("rows", c_int64), ("cols", c_int64), ("edges", c_int64), ("bound", c_int64),
                ("start", c_int64)]


class _Info(_Sized):
    _fields_ = [("size", c_size_t), ("version", c_char * 48), ("level", c_char * 16), ("threads", c_int64),
                ("methods", c_char_p)]


def _load() -> ctypes.CDLL:
    here = Path(__file__).parent
    names = [os.environ["NMU_LIBRARY"]] if os.environ.get("NMU_LIBRARY") else [
        str(here / name) for name in ("libnmu.so", "libnmu.dylib", "nmu.dll")]
    for name in names:
        if os.path.exists(name):
            return ctypes.CDLL(name)
    raise ImportError(f"the library is not at {' or '.join(names)}; `bash python/build DIR` makes a wheel that holds it")


_library = _load()


class Frame:
    """The structs of a call. They are made once, since to make them takes longer than a call."""

    def __init__(self) -> None:
        self.m, self.v, self.w, self.csr = _Matrix(), _Matrix(), _Matrix(), _CSR()
        self.mask, self.weights = _Matrix(), _Matrix()
        self.options, self.result, self.blocks = _Options(), _Result(), (_Block * 1)()
        self.transform, self.transformed = _TransformOptions(), _TransformResult()
        self.error, self.cancel, self.progress = _Error(), c_int32(), _Progress()

    def room(self, rank: int) -> None:
        """Reserves results for as many blocks as the rank allows."""
        if len(self.blocks) < rank:
            self.blocks = (_Block * rank)()
        self.result.block, self.result.block_capacity = self.blocks, len(self.blocks)


_frames: list[Frame] = []


def take_frame() -> Frame:
    """Returns a frame that no other call uses until give_frame. After an exception a frame is
    not given back, and Python frees it."""
    try:
        return _frames.pop()
    except IndexError:
        return Frame()


def give_frame(frame: Frame) -> None:
    frame.m.array = frame.v.array = frame.w.array = frame.csr.array = frame.mask.array = frame.weights.array = None
    _frames.append(frame)


def call(name: str, error: _Error, *arguments: int | None) -> int:
    """Calls a function of the library, and raises its errors. NMU_CANCELLED is no error."""
    code = getattr(_library, name)(*[c_void_p(a) for a in arguments], c_void_p(addressof(error)))
    if code >= 0:
        return code
    message = error.message.decode(errors="replace")
    if code == -5:
        raise ForkError(message)
    if code == -6:
        raise InternalError(message)
    raise Error(message, code, error.matrix.decode(), error.row, error.col, error.value)


def interruptible(frame: Frame, work: Callable[[], int], progress: Callable[[dict[str, float]], None] | None) -> int:
    """Runs work on another thread, while this one handles signals. A KeyboardInterrupt, or an
    exception of progress, cancels the work and is then raised."""
    outcome: list[Any] = []
    busy = threading.Lock()
    busy.acquire()

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as e:
            outcome.append(e)
        finally:
            busy.release()

    seen = frame.progress.updates = 0
    thread = threading.Thread(target=run, name="nmu", daemon=True)
    # thread.join would not do: interrupted, it takes the thread for one that has ended.
    try:
        thread.start()
        while not busy.acquire(timeout=0.1 if progress else 1.0):
            if progress and frame.progress.updates != seen:
                seen = frame.progress.updates
                progress({f: getattr(frame.progress, f) for f, _ in _Progress._fields_[2:]})
    except BaseException:
        frame.cancel.value = 1
        while thread.ident is not None and not outcome:
            try:
                busy.acquire(timeout=0.01)
            except BaseException:  # another one does not make it end sooner
                pass
        raise
    finally:
        if outcome:
            thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def about() -> dict[str, Any]:
    """Describes the library and this machine.

    Returns
    -------
    dict
        "version"; "level", the kernel level; "threads", the default number; "methods", a list
        with the "name", the "options" and more for each method.
    """
    info = _Info()
    call("nmu_about", _Error(), addressof(info))
    return {
        "version": info.version.decode(), "level": info.level.decode(), "threads": info.threads,
        "methods": json.loads(info.methods),
    }
