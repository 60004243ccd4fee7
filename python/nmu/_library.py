"""The C library, and how it is called."""

from __future__ import annotations

import ctypes
import json
import threading
from ctypes import Array, Structure, addressof, c_double, c_int32, c_void_p
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _structs

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


class ConvergenceWarning(UserWarning):
    """A run ended at its limit of iterations while its error still fell."""


class ForkError(RuntimeError):
    """A call in a child process forked after the library was loaded. The child lacks its threads."""


class InternalError(RuntimeError):
    """An error of the library itself."""


class Matrix(_structs.Matrix):
    """A dense matrix."""

    def set(self, a: NDArray[Any]) -> Matrix:
        """Describes a two-dimensional array, holds it, and returns the matrix."""
        self.array: Any = a
        item = a.itemsize
        down, across = a.strides
        self.type = _ELEMENTS[a.dtype]
        self.rows, self.cols = a.shape
        self.row_stride, self.col_stride = down // item, across // item
        self.data = a.ctypes.data
        return self


class CSR(_structs.Csr):
    """A sparse matrix by rows."""

    def set(self, a: Any) -> None:
        """Describes a csr_matrix whose arrays agree, and holds them, or copies that lie side by side."""
        self.array: Any = [np.require(x, requirements=["C", "A"]) for x in (a.indptr, a.indices, a.data)]
        pointers, indices, values = self.array
        self.type = _FLOATS[values.dtype]
        self.pointer_type, self.index_type = _INTEGERS[pointers.dtype], _INTEGERS[indices.dtype]
        self.rows, self.cols = a.shape
        self.entries = pointers[-1]
        self.pointers, self.indices, self.values = pointers.ctypes.data, indices.ctypes.data, values.ctypes.data


_library = ctypes.CDLL(str(_structs.LIBRARY))


def call(name: str, *arguments: Any, error: Any = None) -> int:
    """Calls a function of the library with what ctypes has made, numbers and None, and raises its errors.
    NMU_CANCELLED is no error."""
    error = error or _structs.Error()
    values = [addressof(a) if isinstance(a, (Structure, Array)) else a for a in (*arguments, error)]
    code = getattr(_library, name)(*map(c_void_p, values))
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
    info = _structs.Info()
    call("nmu_about", info)
    return {
        "version": info.version.decode(), "level": info.level.decode(), "threads": info.threads,
        "methods": json.loads(info.methods), "settings": json.loads(info.settings), "results": json.loads(info.results),
    }


def values(struct: Any) -> dict[str, Any]:
    """Returns the fields of a struct for results."""
    return {field: read(getattr(struct, field)) if read else getattr(struct, field) for field, read in _READ[type(struct).__name__]}


# The fields of each struct, and what makes Python's value of one that is not a number.
_READ: dict[str, list[tuple[str, Any]]] = {
    name[len("nmu") :].title().replace("_", ""): [(f["name"], {"word": bytes.decode, "text": bytes.decode, "lines": lambda text: text.decode().splitlines(), "yes or no": bool}.get(f["type"])) for f in fields]
    for name, fields in about()["results"].items()
}

# The settings that are matrices.
_MATRICES: set[str] = {s["name"] for s in about()["settings"] if s["type"] == "matrix"}


class Frame:
    """The structs of a call. They are made once, since to make them takes longer than a call."""

    def __init__(self) -> None:
        self.m, self.v, self.w, self.csr = Matrix(), Matrix(), Matrix(), CSR()
        self.further = {name: Matrix() for name in _MATRICES}
        self.inputs = (_structs.Input * len(self.further))()
        self.options, self.result, self.blocks = _structs.Options(version=_VERSION), _structs.Result(), (_structs.Block * 1)()
        self.history = (c_double * 0)()
        self.transformed = _structs.TransformResult()
        self.error, self.cancel, self.progress = _structs.Error(), c_int32(), _structs.Progress()

    def room(self, rank: int, errors: int, known: list[Any]) -> None:
        """Reserves results for as many blocks as the rank allows, and for so many errors. Known
        are the blocks to go on from."""
        if len(self.blocks) < rank:
            self.blocks = (_structs.Block * rank)()
        if len(self.history) != errors:
            self.history = (c_double * errors)()
        r = self.result
        r.block, r.block_capacity, r.history, r.history_capacity = addressof(self.blocks), len(self.blocks), addressof(self.history), errors
        r.blocks = len(known)
        for to, block in zip(self.blocks, known):
            for name, _ in _structs.Block._fields_:
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
        o.inputs, o.input_count = addressof(self.inputs), len(given)
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
                progress({f: getattr(frame.progress, f) for f, _ in _structs.Progress._fields_[2:]})
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
