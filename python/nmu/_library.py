"""The C library, and how it is called."""

from __future__ import annotations

import ctypes
import json
import re
import threading
from ctypes import Array, Structure, addressof, c_int32, c_void_p, create_string_buffer
from typing import Any, Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from . import _structs

OK, CANCELLED, SHAPE, OPTION = 0, 1, -1, -2
_VERSION = 0x6e6d7502  # NMU_OPTIONS
_TYPES = {np.dtype(t): k for k, t in enumerate((np.float32, np.float64, np.int32, np.int64, np.uint8), 1)}
FLOATS, INTEGERS = list(_TYPES)[:2], list(_TYPES)[2:4]


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
    """A two-dimensional array, which it holds."""

    def __init__(self, a: NDArray[Any]) -> None:
        self.array = a
        down, across = (stride // a.itemsize for stride in a.strides)
        super().__init__(type=_TYPES[a.dtype], rows=a.shape[0], cols=a.shape[1], row_stride=down, col_stride=across, data=a.ctypes.data)


class CSR(_structs.Csr):
    """A csr_matrix whose arrays agree. It holds them, or copies that lie side by side."""

    def __init__(self, a: Any) -> None:
        self.arrays = [np.require(x, requirements=["C", "A"]) for x in (a.indptr, a.indices, a.data)]
        types, at = [_TYPES[x.dtype] for x in self.arrays], [x.ctypes.data for x in self.arrays]
        super().__init__(
            type=types[2], pointer_type=types[0], index_type=types[1], rows=a.shape[0], cols=a.shape[1], entries=a.indptr[-1],
            pointers=at[0], indices=at[1], values=at[2])


_library = ctypes.CDLL(str(_structs.LIBRARY))


def call(name: str, *arguments: Any, error: Any = None) -> int:
    """Calls a function of the library with what ctypes has made, numbers and None, and raises its errors.
    NMU_CANCELLED is no error."""
    error = error or _structs.Error()
    values = [addressof(a) if isinstance(a, (Structure, Array)) else a for a in (*arguments, error)]
    code = getattr(_library, name)(*map(c_void_p, values))
    if code >= 0:
        return code
    message = said(error.message)
    if code == -5:
        raise ForkError(message)
    if code == -6:
        raise InternalError(message)
    raise Error(message, code, error.matrix.decode(), error.row, error.col, error.value)


def said(message: bytes) -> str:
    """Returns a message of the library with the settings and options in it named as arguments."""
    return _DASHED.sub(lambda name: name[0].replace("-", "_"), message.decode(errors="replace"))


def names(text: bytes) -> list[str] | None:
    """Returns names with a zero byte behind each, None if there are none."""
    return text.decode().split("\0")[:-1] or None


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


_ABOUT = about()

# The settings and options whose names have dashes, not within the path of a file.
_DASHED = re.compile(r"(?<![\w/.-])(?:" + "|".join({o["name"] for o in sum((m["options"] for m in _ABOUT["methods"]), _ABOUT["settings"]) if "-" in o["name"]}) + r")(?!\.?[\w/-])")


def values(struct: Any) -> dict[str, Any]:
    """Returns the fields of a struct for results."""
    return {field: read(getattr(struct, field)) if read else getattr(struct, field) for field, read in _READ[type(struct).__name__]}


# The fields of each struct, and what makes Python's value of one that is not a number.
_READ: dict[str, list[tuple[str, Any]]] = {
    name[len("nmu") :].title().replace("_", ""): [(f["name"], {"word": bytes.decode, "text": bytes.decode, "lines": lambda text: said(text).splitlines(), "yes or no": bool}.get(f["type"])) for f in fields]
    for name, fields in _ABOUT["results"].items()
}


class Options(_structs.Options):
    """The options of a call, with what they point to. Matrices are named as their settings, with _ for -."""

    def __init__(self, method: str | None, options: bytes | None, settings: bytes | None, **matrices: NDArray[Any]) -> None:
        self.cancelled, self.state = c_int32(), _structs.Progress()
        self.matrices = {name.replace("_", "-").encode(): Matrix(a) for name, a in matrices.items()}
        self.entries = (_structs.Input * len(matrices))(*((name, addressof(m)) for name, m in self.matrices.items()))
        super().__init__(
            version=_VERSION, method=method.encode() if method else None, method_options=options, settings=settings,
            inputs=addressof(self.entries), input_count=len(matrices))


def texts(struct: Structure, fields: Iterable[str], call: Callable[[], Any], room: int = 1 << 16) -> list[bytes]:
    """Makes a call that writes texts to fields of a struct, again with more room where one is longer, and returns these."""
    while True:
        buffers = {field: create_string_buffer(room) for field in fields}
        for field, buffer in buffers.items():
            setattr(struct, field, addressof(buffer))
            setattr(struct, field + "_capacity", room)
        call()
        lengths = {field: getattr(struct, field + "_length") for field in buffers}
        if max(lengths.values()) <= room:
            return [buffer.raw[: lengths[field]] for field, buffer in buffers.items()]
        room = max(lengths.values())


def interruptible(options: Options, work: Callable[[], int], progress: Callable[[dict[str, float]], None] | None) -> int:
    """Runs work with the options on another thread, while this one handles signals. A KeyboardInterrupt, or an
    exception of progress, cancels the work and is then raised."""
    options.cancel, options.progress = addressof(options.cancelled), addressof(options.state)
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

    seen = 0
    thread = threading.Thread(target=run, name="nmu", daemon=True)
    # thread.join would not do: interrupted, it takes the thread for one that has ended.
    try:
        thread.start()
        while not busy.acquire(timeout=0.1 if progress else 1.0):
            if progress and options.state.updates != seen:
                seen = options.state.updates
                progress({f: getattr(options.state, f) for f, _ in _structs.Progress._fields_[2:]})
    except BaseException:
        options.cancelled.value = 1
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
