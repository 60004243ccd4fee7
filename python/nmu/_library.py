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
_VERSION = 0x6e6d7502  # NMU_OPTIONS
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


class _Input(Structure):
    _fields_ = [("name", c_char_p), ("matrix", c_void_p)]


class _Options(_Sized):
    _fields_ = [("size", c_size_t), ("version", c_int64), ("method", c_char_p), ("method_options", c_char_p), ("settings", c_char_p),
                ("inputs", POINTER(_Input)), ("input_count", c_int64), ("cancel", c_void_p), ("progress", c_void_p),
                ("callback", c_void_p), ("user", c_void_p)]


class _Measures(_Sized):
    _fields_ = [("size", c_size_t), ("relative_error", c_double), ("max_violation", c_double), ("scale", c_double),
                ("scaled_error", c_double), ("basis_zeros", c_double), ("weight_zeros", c_double),
                ("basis_hoyer", c_double), ("weight_hoyer", c_double)]


class _BicliqueResult(_Sized):
    _fields_ = [("size", c_size_t), ("rows", c_int64), ("cols", c_int64), ("edges", c_int64), ("bound", c_int64),
                ("start", c_int64)]


class _Model(_Sized):
    _fields_ = [("size", c_size_t), ("method", c_char * 24), ("method_options", c_char * 1000), ("topics", c_int64),
                ("type", c_int64), ("rows", c_int64), ("rank", c_int64),
                ("names", c_void_p), ("names_capacity", c_int64), ("names_length", c_int64)]


class _File(_Sized):
    _fields_ = [("size", c_size_t), ("rows", c_int64), ("cols", c_int64), ("entries", c_int64),
                ("row_names", c_void_p), ("row_names_capacity", c_int64), ("row_names_length", c_int64),
                ("col_names", c_void_p), ("col_names_capacity", c_int64), ("col_names_length", c_int64)]


class _Info(_Sized):
    _fields_ = [("size", c_size_t), ("version", c_char * 48), ("level", c_char * 16), ("threads", c_int64),
                ("methods", c_char_p), ("settings", c_char_p), ("results", c_char_p)]


def _load() -> ctypes.CDLL:
    here = Path(__file__).parent
    names = [os.environ["NMU_LIBRARY"]] if os.environ.get("NMU_LIBRARY") else [
        str(here / name) for name in ("libnmu.so", "libnmu.dylib", "nmu.dll")]
    for name in names:
        if os.path.exists(name):
            return ctypes.CDLL(name)
    raise ImportError(f"the library is not at {' or '.join(names)}; `bash python/build DIR` makes a wheel that holds it")


_library = _load()


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


def names_in(struct: Structure, field: str, buffer: Any) -> list[str] | None:
    """Returns the names that a call has written to a buffer, None if there are none."""
    length = getattr(struct, field + "_length")
    return buffer.raw[:length].decode().split("\0")[:-1] if length else None


def about() -> dict[str, Any]:
    """Describes the library and this machine.

    Returns
    -------
    dict
        "version"; "level", the kernel level; "threads", the default number; "methods", a list
        with the "name", the "options" and more for each method; "settings", a list of what all
        methods share; "results", the fields of results by the structs of nmu.h.
    """
    info = _Info()
    call("nmu_about", _Error(), addressof(info))
    return {
        "version": info.version.decode(), "level": info.level.decode(), "threads": info.threads,
        "methods": json.loads(info.methods), "settings": json.loads(info.settings), "results": json.loads(info.results),
    }


_TYPES: dict[str, Any] = {"whole number": c_int64, "number": c_double, "yes or no": c_int64, "word": c_char * 24, "text": c_char * 512}
_RESULTS: dict[str, list[dict[str, str]]] = about()["results"]


def _fields(name: str) -> list[tuple[str, Any]]:
    """Returns the fields of a struct for results, as the library describes them."""
    return [(f["name"], c_uint64 if f["name"] == "seed" else _TYPES[f["type"]]) for f in _RESULTS[name]]


class _Block(Structure):
    _fields_ = _fields("nmu_block")


class _Result(_Sized):
    _fields_ = [("size", c_size_t), *_fields("nmu_result"), ("block", POINTER(_Block)), ("block_capacity", c_int64),
                ("blocks", c_int64), ("history", POINTER(c_double)), ("history_capacity", c_int64), ("history_length", c_int64)]


class _TransformResult(_Sized):
    _fields_ = [("size", c_size_t), *_fields("nmu_transform_result")]


class _RankPoint(Structure):
    _fields_ = _fields("nmu_rank_point")


class _RankResult(_Sized):
    _fields_ = [("size", c_size_t), *_fields("nmu_rank_result"), ("point", POINTER(_RankPoint)), ("point_capacity", c_int64),
                ("points", c_int64), ("consensus", POINTER(c_double)), ("consensus_capacity", c_int64), ("consensus_columns", c_int64)]


class _ConsensusPoint(Structure):
    _fields_ = _fields("nmu_consensus_point")


class _Part(Structure):
    _fields_ = _fields("nmu_part")


class _ConsensusResult(_Sized):
    _fields_ = [("size", c_size_t), *_fields("nmu_consensus_result"), ("point", POINTER(_ConsensusPoint)), ("point_capacity", c_int64),
                ("points", c_int64), ("part", POINTER(_Part)), ("part_capacity", c_int64), ("parts", c_int64),
                *[(name, POINTER(_Matrix)) for name in ("v", "v_low", "v_high", "w", "w_low", "w_high")],
                ("map", POINTER(c_double)), ("map_capacity", c_int64), ("map_columns", c_int64)]


class _EstimateResult(_Sized):
    _fields_ = [("size", c_size_t), *_fields("nmu_estimate_result"), ("type", c_int64)]


def values(name: str, struct: Any) -> dict[str, Any]:
    """Returns the fields of a struct for results."""
    return {field: read(getattr(struct, field)) if read else getattr(struct, field) for field, read in _READ[name]}


# The fields of each struct, and what makes Python's value of one that is not a number.
_READ: dict[str, list[tuple[str, Any]]] = {
    name: [(f["name"], {"word": bytes.decode, "text": bytes.decode, "yes or no": bool}.get(f["type"])) for f in fields]
    for name, fields in _RESULTS.items()
}


class Frame:
    """The structs of a call. They are made once, since to make them takes longer than a call."""

    def __init__(self) -> None:
        self.m, self.v, self.w, self.csr = _Matrix(), _Matrix(), _Matrix(), _CSR()
        self.further = {name: _Matrix() for name in ("mask", "weights", "fix-v", "fix-w")}
        self.inputs = (_Input * len(self.further))()
        self.options, self.result, self.blocks = _Options(version=_VERSION), _Result(), (_Block * 1)()
        self.history = (c_double * 0)()
        self.transformed = _TransformResult()
        self.error, self.cancel, self.progress = _Error(), c_int32(), _Progress()

    def room(self, rank: int, errors: int, known: list[Any]) -> None:
        """Reserves results for as many blocks as the rank allows, and for so many errors. Known
        are the blocks to go on from."""
        if len(self.blocks) < rank:
            self.blocks = (_Block * rank)()
        if len(self.history) != errors:
            self.history = (c_double * errors)()
        r = self.result
        r.block, r.block_capacity, r.history, r.history_capacity = self.blocks, len(self.blocks), self.history, errors
        r.blocks = len(known)
        for to, block in zip(self.blocks, known):
            for name, _ in _Block._fields_:
                value = len(block.history) if name == "history_length" else getattr(block, name)
                setattr(to, name, value.encode() if isinstance(value, str) else value)

    def choose(self, method: str | None, options: bytes | None, settings: bytes | None, **matrices: NDArray[Any] | None) -> None:
        """Sets the options of a call. Matrices are named as their settings, with _ for -."""
        o = self.options
        o.method, o.method_options, o.settings = method.encode() if method else None, options, settings
        given = {name.replace("_", "-"): a for name, a in matrices.items() if a is not None}
        for entry, (name, a) in zip(self.inputs, given.items()):
            self.further[name].set(a)
            entry.name, entry.matrix = name.encode(), addressof(self.further[name])
        o.inputs, o.input_count = self.inputs, len(given)
        o.cancel = o.progress = None


_frames: list[Frame] = []


def take_frame() -> Frame:
    """Returns a frame that no other call uses until give_frame. After an exception a frame is
    not given back, and Python frees it."""
    try:
        return _frames.pop()
    except IndexError:
        return Frame()


def give_frame(frame: Frame) -> None:
    for struct in (frame.m, frame.v, frame.w, frame.csr, *frame.further.values()):
        struct.array = None
    _frames.append(frame)


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
