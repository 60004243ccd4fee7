"""The functions: arrays in, arrays out."""

from __future__ import annotations

import operator
import textwrap
from ctypes import addressof, c_int64
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _library, _options
from ._library import OPTION, SHAPE, Error, call, give_frame, interruptible, on_main_thread, take_frame
from ._tables import Names, aligned, is_annotated, is_sparse_table, is_table, names_of, objects, values


class Block(NamedTuple):
    """A block: factors that are computed together."""

    rank: int  #: the number of factors including this block
    iterations: int
    relative_error: float  #: with these factors
    relative_l1: float  #: the same in the norm l1, with norm="l1"


class Factorization(NamedTuple):
    """V (m x r) and W (r x n) with M ≈ V W, and how they came about.

    If M was a DataFrame or an AnnData, V and W are DataFrames: V has the names of the rows of
    M, and W those of its columns.
    """

    V: NDArray[Any]
    W: NDArray[Any]
    relative_error: float  #: ||M - V W|| / ||M||, in the Frobenius norm
    relative_l1: float  #: sum |M - V W| / sum |M|, with norm="l1"
    max_violation: float  #: the largest entry of V W - M, or 0 if none is positive
    violation_bound: bool  #: whether max_violation is an upper bound only (large sparse M)
    largest_entry: float  #: of M
    iterations: int  #: of all blocks
    blocks: list[Block]
    stop: str  #: why it ended
    seed: int  #: of the winning run
    best_restart: int
    restarts_begun: int
    restarts_finished: int
    revived: int  #: factors that vanished and were re-initialised
    relative_divergence: float  #: D(M | V W) over that of M from its mean, with method="kl"
    method: str  #: by which V and W were computed

    def __repr__(self) -> str:
        """Says what it is in one line, without the numbers of V and W."""
        (m, r), n = self.V.shape, self.W.shape[1]
        violation = ""
        if any(known["underapproximates"] for known in _options.methods([self.method])):
            violation = f"largest violation {self.max_violation:.4g}, "
        return (f"Factorization(V {m} x {r}, W {r} x {n}, relative error {self.relative_error:.4g}, "
                f"{violation}{self.iterations} iterations, stop {self.stop!r})")


class Weights(NamedTuple):
    """Weights W (r x n) for new columns, and how they came about."""

    W: NDArray[Any]
    relative_error: float
    max_violation: float
    iterations: int  #: the most sweeps that a column took
    kkt: float  #: the largest KKT residual of a column
    stop: str
    violation_bound: bool  #: whether max_violation is an upper bound only (large sparse M)
    relative_divergence: float  #: D(M | V W) over that of M from its mean, with divergence

    def __repr__(self) -> str:
        """Says what it is in one line, without the numbers of W."""
        r, n = self.W.shape
        return (f"Weights(W {r} x {n}, relative error {self.relative_error:.4g}, "
                f"{self.iterations} sweeps, stop {self.stop!r})")


class Measures(NamedTuple):
    """The numbers by which the paper's tables compare factorizations."""

    relative_error: float
    max_violation: float
    scale: float  #: the best factor on V W,
    scaled_error: float  #: and the relative error with it
    basis_zeros: float  #: s(V), the part of zeros, from 0 to 1
    weight_zeros: float  #: s(W)
    basis_hoyer: float  #: sh(V), Hoyer's measure of the columns
    weight_hoyer: float  #: sh(W), of the rows


class Biclique(NamedTuple):
    """A biclique: each of its rows is joined to each of its columns."""

    rows: NDArray[np.int_]
    cols: NDArray[np.int_]
    edges: int
    bound: int  #: no biclique has more edges
    start: int  #: that found it, from 1


# Calls of fewer multiplications than these end in some milliseconds, and need no thread
# of their own to be interrupted.
_SHORT = 1_000_000


def factor(
    M: Any,
    rank: int,
    method: str = "rnmu",
    *,
    init: str | tuple[Any, Any] = "random",
    seed: int = 0,
    iterations: int | None = None,
    restarts: int | None = None,
    threads: int | None = None,
    tolerance: float = 0.0,
    check_every: int | None = None,
    target_error: float = 0.0,
    time_limit: float | None = None,
    progress: Callable[[dict[str, float]], None] | None = None,
    mask: Any = None,
    weights: Any = None,
    missing: str = "error",
    missing_solver: str | None = None,
    sparse_missing: bool = False,
    layer: str | None = None,
    key_added: str | None = None,
    **options: Any,
) -> Factorization:
    """Factors a nonnegative matrix M (m x n) into V (m x rank) and W (rank x n).

    Parameters
    ----------
    M : array, DataFrame, scipy.sparse matrix or AnnData of shape (m, n)
        float32 and float64 are factored in their own precision, without a copy and in any
        memory order. Integers, bools and other numbers become float64, pandas.NA NaN. A sparse
        matrix, or a DataFrame of sparse columns, is never made dense. DataFrames for init, mask
        and weights are matched with M by the names of rows and columns.
        The rows of an AnnData are its observations: of X, or of a layer.
    rank : int
        The number of factors, at least 1.
    method : str
        {methods}.
    init : "random", "svd", "spa", "snpa", or (V, W)
        The start.
    seed : int
        The seed of the first random start; the others have seed + 1, seed + 2, ...
    iterations : int
        The iterations, in a recursion those of each block. The default is the paper's number.
    restarts : int
        The number of runs; the best one is returned. Default 10 from random starts, else 1.
    threads : int
        The number of threads, by default that of the processors. It does not change the result.
    tolerance : float
        Stop when the error changes by no more, relatively, in check_every (10) iterations.
    target_error : float
        Of a recursion: stop adding factors at this relative error.
    time_limit : float
        Seconds after which the run stops with the factors computed so far.
    progress : callable
        Called a few times per second with a dict. An exception that it raises ends the run.
    mask : array of shape (m, n), of bool or integers
        True or nonzero where M is observed. Other entries of M change no result. Errors,
        violations and V W <= M refer to the observed entries.
    weights : array of shape (m, n)
        The weights >= 0 of the squares of M - V W; weight 0 means missing. For one weight per
        row use `np.broadcast_to(x[:, None], M.shape)`, which takes no memory.
    missing : "error" or "allow"
        "allow" treats NaN, and the masked entries of a masked array, as missing.
    missing_solver : "majorize" or "exact"
        The algorithm for missing entries and weights. The default is "exact" for weights that
        differ by more than a factor of 10, and for gnmu and rnmu with weights, else "majorize".
    sparse_missing : bool
        True if entries that a sparse M does not store are missing, not zero.
    layer : str
        Of an AnnData, which is factored in place of X.
    key_added : str
        Of an AnnData: V is written to obsm["X_" + key_added], Wᵀ to varm[key_added], and how
        they came about to uns[key_added]. By default nothing is written.
    **options
        Of the method:

{options}

    Returns
    -------
    Factorization
        V and W have the precision of M.

    Raises
    ------
    nmu.Error
        A ValueError about an argument. For a bad entry it has row and col.
    """
    annotated = M if is_annotated(M) else None
    if annotated is None and (layer is not None or key_added is not None):
        raise TypeError(f"layer and key_added are for an AnnData, and M is a {type(M).__name__}")
    names = names_of(M)
    mask, weights = aligned(mask, "the mask", *names), aligned(weights, "the matrix of weights", *names)
    M, mask = _observed(M, mask, missing)
    m = _matrix(M, layer=layer)
    rank = _whole(rank, "rank", 1, 2**31 - 1)
    f = take_frame()
    name, given = ("nmu_factor", f.m) if isinstance(m, np.ndarray) else ("nmu_factor_csr", f.csr)
    given.set(m)
    rows, cols = m.shape
    o = f.options
    if isinstance(init, str):
        o.init = init.encode()
        v, w = np.empty((rows, rank), m.dtype), np.empty((rank, cols), m.dtype)
    else:
        o.init = b"given"
        v, w = aligned(init[0], "V", names.index), aligned(init[1], "W", None, names.columns)
        v, w = _start(v, "V", m.dtype), _start(w, "W", m.dtype)
    f.v.set(v)
    f.w.set(w)
    f.room(v.shape[1])
    o.method, o.method_options = method.encode(), _options.text(options)
    o.seed, o.threads = _whole(seed, "seed", 0, 2**64 - 1), _count(threads, "threads")
    o.iterations, o.restarts = _count(iterations, "iterations"), _count(restarts, "restarts")
    o.check_every, o.tolerance, o.target_error = _count(check_every, "check_every"), tolerance, target_error
    o.time_limit = time_limit or 0
    _incomplete(f, o, mask, weights, missing)
    o.sparse_missing, o.missing_solver = bool(sparse_missing), missing_solver.encode() if missing_solver else None
    long = progress or on_main_thread() and rows * cols * rank * (iterations or 600) * (restarts or 10) > _SHORT
    o.cancel, o.progress = (addressof(f.cancel), addressof(f.progress)) if long else (None, None)
    arguments = addressof(given), addressof(o), addressof(f.v), addressof(f.w), addressof(f.result)
    if long:
        interruptible(f, lambda: call(name, f.error, *arguments), progress)
    else:
        call(name, f.error, *arguments)
    res = _factorization(f, v, w, names, method)
    give_frame(f)
    if annotated is not None and key_added is not None:
        annotated.obsm["X_" + key_added], annotated.varm[key_added] = np.asarray(res.V), np.asarray(res.W).T
        annotated.uns[key_added] = {
            "method": method, "rank": res.W.shape[0], "layer": layer or "X", "seed": res.seed,
            "relative_error": res.relative_error, "max_violation": res.max_violation, "stop": res.stop,
        }
    return res


if factor.__doc__:  # None with python -OO
    factor.__doc__ = factor.__doc__.format(
        methods=", ".join(f'"{m["name"]}"' for m in _options.methods()),
        options=textwrap.indent(_options.listed(_options.methods()), " " * 8),
    )


def improve(
    M: Any, V: Any, W: Any, *, iterations: int | None = None, threads: int | None = None
) -> Factorization:
    """Rounds V and W, keeps their zeros, and makes HALS iterations on the other entries.

    Parameters
    ----------
    M : array or DataFrame of shape (m, n)
    V, W : arrays of shape (m, r) and (r, n), of the precision of M
    iterations : int
        By default 100.

    Returns
    -------
    Factorization
    """
    names = names_of(M)
    V, W = aligned(V, "V", names.index), aligned(W, "W", None, names.columns)
    m = _matrix(M, sparse=False)
    f = take_frame()
    v, w = _start(V, "V", m.dtype), _start(W, "W", m.dtype)
    f.m.set(m)
    f.v.set(v)
    f.w.set(w)
    f.room(v.shape[1])
    o = _library._Options(iterations=_count(iterations, "iterations"), threads=_count(threads, "threads"), cancel=addressof(f.cancel))
    interruptible(f, lambda: call("nmu_improve", f.error, addressof(f.m), addressof(o), addressof(f.v), addressof(f.w),
                                  addressof(f.result)), None)
    res = _factorization(f, v, w, names, "nmf")
    give_frame(f)
    return res


def transform(
    V: Any,
    M: Any,
    *,
    feasible: bool = False,
    sum_to_one: bool = False,
    divergence: bool = False,
    init: Any = None,
    iterations: int | None = None,
    tolerance: float | None = None,
    threads: int | None = None,
    mask: Any = None,
    weights: Any = None,
    missing: str = "error",
) -> Weights:
    """Finds weights W (r x n) >= 0 for the columns of M (m x n) in the basis V (m x r).

    The weights of a column do not depend on the other columns.

    Parameters
    ----------
    V : array or DataFrame of shape (m, r)
        The rows of a DataFrame are matched with those of M by their names.
    M : array, DataFrame or scipy.sparse matrix of shape (m, n), of the precision of V
        A sparse matrix is never made dense, and has neither mask nor weights.
    feasible : bool
        Whether V W <= M has to hold, exactly in floating point.
    sum_to_one : bool
        Whether the entries of each column of W have to add up to 1.
    divergence : bool
        Whether to minimise the Kullback-Leibler divergence, as method="kl" does. It does not go
        with feasible or sum_to_one.
    init : array of shape (r, n)
        A start; by default 0, with divergence equal parts.
    iterations : int
        The most sweeps over a column; by default 1000.
    tolerance : float
        Of the KKT residual of a column; by default 1e-6, or 1e-4 for float32 or divergence.
    mask, weights, missing
        As of `factor`. A column of which nothing is missing keeps its weights.

    Returns
    -------
    Weights
    """
    names = names_of(M)
    V, init = aligned(V, "V", names.index), aligned(init, "W", None, names.columns)
    mask, weights = aligned(mask, "the mask", *names), aligned(weights, "the matrix of weights", *names)
    M, mask = _observed(M, mask, missing)
    m = _matrix(M)
    v = _same(V, "V", m.dtype)
    f = take_frame()
    name, given = ("nmu_transform", f.m) if isinstance(m, np.ndarray) else ("nmu_transform_csr", f.csr)
    w = np.empty((v.shape[1], m.shape[1]), m.dtype) if init is None else _start(init, "W", m.dtype)
    f.v.set(v)
    given.set(m)
    f.w.set(w)
    o = f.transform
    o.feasible, o.given, o.iterations = bool(feasible), init is not None, _count(iterations, "iterations")
    o.tolerance, o.threads, o.sum_to_one = tolerance or 0, _count(threads, "threads"), bool(sum_to_one)
    o.divergence = bool(divergence)
    _incomplete(f, o, mask, weights, missing)
    long = on_main_thread() and m.shape[0] * m.shape[1] * max(1, v.shape[1]) * 20 > _SHORT
    o.cancel = addressof(f.cancel) if long else None
    arguments = addressof(f.v), addressof(given), addressof(o), addressof(f.w), addressof(f.transformed)
    if long:
        interruptible(f, lambda: call(name, f.error, *arguments), None)
    else:
        call(name, f.error, *arguments)
    r = f.transformed
    if names.columns is not None:
        w = _frame(w, None, names.columns)
    res = Weights(w, r.relative_error, r.max_violation, r.iterations, r.kkt, r.stop.decode(), bool(r.violation_bound),
                  r.relative_divergence)
    give_frame(f)
    return res


def metrics(M: Any, V: Any, W: Any) -> Measures:
    """Measures a factorization, of whatever origin.

    Parameters
    ----------
    M : array or DataFrame of shape (m, n)
    V, W : arrays of shape (m, r) and (r, n), of the precision of M

    Returns
    -------
    Measures
    """
    names = names_of(M)
    V, W = aligned(V, "V", names.index), aligned(W, "W", None, names.columns)
    m = _matrix(M, sparse=False)
    v, w = _same(V, "V", m.dtype), _same(W, "W", m.dtype)
    f, measures = take_frame(), _library._Measures()
    f.m.set(m)
    f.v.set(v)
    f.w.set(w)
    call("nmu_metrics", f.error, addressof(f.m), addressof(f.v), addressof(f.w), addressof(measures))
    res = Measures(*(getattr(measures, name) for name in Measures._fields))
    give_frame(f)
    return res


def biclique(
    M: Any, *, starts: int | None = None, iterations: int | None = None, seed: int = 0, threads: int | None = None
) -> Biclique:
    """Looks for a biclique with many edges in the bipartite graph of a 0/1 matrix.

    Parameters
    ----------
    M : array, DataFrame or scipy.sparse matrix of shape (m, n), with entries 0 and 1
    starts, iterations : int
        By default 20, and 40 from each.

    Returns
    -------
    Biclique
        Its rows and cols are arrays of indices, from 0, in increasing order.
    """
    m = _matrix(M)
    f = take_frame()
    name, given = ("nmu_biclique", f.m) if isinstance(m, np.ndarray) else ("nmu_biclique_csr", f.csr)
    given.set(m)
    rows, cols = (c_int64 * m.shape[0])(), (c_int64 * m.shape[1])()
    o = _library._BicliqueOptions(
        seed=_whole(seed, "seed", 0, 2**64 - 1), starts=_count(starts, "starts"), iterations=_count(iterations, "iterations"),
        threads=_count(threads, "threads"), cancel=addressof(f.cancel))
    r = _library._BicliqueResult()
    interruptible(f, lambda: call(name, f.error, addressof(given), addressof(o), addressof(rows), addressof(cols), addressof(r)), None)
    res = Biclique(np.array(rows[: r.rows], int), np.array(cols[: r.cols], int), r.edges, r.bound, r.start)
    give_frame(f)
    return res


def _matrix(a: Any, sparse: bool = True, layer: str | None = None) -> Any:
    """Returns what the library can read of M."""
    if is_annotated(a):
        if layer is not None and layer not in a.layers:
            raise Error(f"there is no layer {layer!r}; choose one of {', '.join(map(repr, a.layers)) or 'none, as there are no layers'}", OPTION)
        a = a.X if layer is None else a.layers[layer]
        if a is None:
            raise Error("X of the AnnData is None; choose a layer", OPTION)
        if hasattr(a, "to_memory"):  # a sparse matrix in a file
            a = a.to_memory()
    if is_sparse_table(a):
        a = a.sparse.to_coo()
    if not hasattr(a, "tocsr"):
        m = _dense(a, "M")
    elif sparse:
        m = _csr(a)
    else:
        raise TypeError("M is sparse; pass M.toarray(), or M.sparse.to_dense() of a DataFrame")
    if 0 in m.shape:
        raise Error(f"M is empty ({m.shape[0]} x {m.shape[1]})", SHAPE)
    return m


def _observed(M: Any, mask: Any, missing: str) -> tuple[Any, Any]:
    """Returns M without what makes it a masked array, which goes into the mask."""
    if missing not in ("error", "allow"):
        raise ValueError(f'missing is {missing!r}; choose "error" or "allow"')
    if mask is not None:
        mask = _flags(mask) if is_table(mask) else np.asarray(_not_sparse(mask, "the mask"))
        if mask.ndim != 2:
            raise ValueError(f"the mask has {mask.ndim} dimensions; it must have 2")
        if mask.dtype.kind not in "biu":
            raise TypeError(f"the mask is of {mask.dtype}; it must be of bool, True where M is observed")
        mask = mask.astype(bool, copy=False)
    if missing == "allow" and np.ma.isMaskedArray(M):
        seen = ~np.ma.getmaskarray(M)
        M = np.ma.getdata(M)
        if mask is None:
            mask = seen
        elif mask.shape == seen.shape:  # else the library says what is wrong
            mask = mask & seen
    return M, mask


def _incomplete(f: Any, o: Any, mask: NDArray[Any] | None, weights: Any, missing: str) -> None:
    """Sets what the options of factor and of transform say of missing entries and weights."""
    o.mask = o.weights = None
    if mask is not None:
        f.mask.set(mask.view(np.uint8))
        o.mask = addressof(f.mask)
    if weights is not None:
        f.weights.set(_dense(weights, "the matrix of weights").astype(np.float64, copy=False))
        o.weights = addressof(f.weights)
    o.nan_missing = missing == "allow"


def _flags(mask: Any) -> NDArray[Any]:
    """Returns the entries of a mask that is a DataFrame."""
    for name, dtype in zip(mask.columns, mask.dtypes):
        if getattr(dtype, "kind", "O") not in "biu":
            raise TypeError(f"column {name!r} of the mask is of {dtype}; it must be of bool, True where M is observed")
    if mask.isna().to_numpy().any():
        raise TypeError("the mask has missing entries; it must be of bool, True where M is observed")
    return np.asarray(mask.astype(bool).to_numpy())


def _not_sparse(a: Any, name: str) -> Any:
    if hasattr(a, "tocsr"):
        raise TypeError(f"{name} is sparse; pass its toarray()")
    return a


def _dense(a: Any, name: str) -> NDArray[Any]:
    if is_table(a):
        a = values(a, name)
    _not_sparse(a, name)
    if np.ma.is_masked(a):
        raise ValueError(f'{name} has masked entries; remove or impute them, or, in M, take them for missing with missing="allow"')
    a = np.asarray(a)
    if a.dtype.names:
        raise TypeError(f"{name} is a structured array; pass numpy.lib.recfunctions.structured_to_unstructured({name})")
    if a.ndim != 2:
        raise ValueError(f"{name} has {a.ndim} dimensions; it must have 2")
    if a.dtype.kind == "O":
        a = objects(a, name)
    a = a if a.dtype in _library._FLOATS else a.astype(_precision(a.dtype, name))
    item = a.itemsize
    if not a.flags.aligned or a.strides[0] % item or a.strides[1] % item:
        a = a.copy()
    return a


def _precision(dtype: np.dtype[Any], name: str) -> np.dtype[Any]:
    """Returns the type in which entries of another type are worked on."""
    if dtype.kind == "f" and dtype.itemsize in (4, 8):  # of the other byte order
        return dtype.newbyteorder("=")
    if dtype.kind in "biu" or dtype == np.float16:
        return np.dtype(np.float64)
    what = {"U": "text", "S": "text", "M": "dates", "m": "times", "c": "complex numbers"}.get(dtype.kind)
    if what:
        raise TypeError(f"{name} is of {what} ({dtype}); it must hold real numbers")
    raise TypeError(f"{name} is of {dtype}; convert it to float64 or float32")


def _csr(a: Any) -> Any:
    check_sparse(a)
    c = a.tocsr()
    check_sparse(c)
    if c.dtype not in _library._FLOATS:
        c = c.astype(_precision(c.dtype, "M"))
    if not c.has_canonical_format:
        c = c.copy()
        c.sum_duplicates()
    return c


_ARRAYS: dict[Any, tuple[str, ...]] = {**dict.fromkeys(("csr", "csc", "bsr"), ("data", "indices", "indptr")), "coo": ("data", "row", "col")}


def check_sparse(a: Any) -> None:
    """Raises an error unless the arrays of a sparse matrix agree. Anyone may have replaced
    one, and the library, like scipy, reads and writes where the others say."""
    names = _ARRAYS.get(getattr(a, "format", None))
    if names is None:
        return
    if len(a.shape) != 2:
        raise Error(f"M has {len(a.shape)} dimensions; it must have 2", SHAPE)
    rows, cols = a.shape
    arrays = [np.asarray(getattr(a, name)) for name in names]
    for x, name in zip(arrays[1:], names[1:]):
        if x.dtype not in _library._INTEGERS:
            raise TypeError(f"M.{name} is of {x.dtype}; it must be of int32 or int64")
    data, indices, pointers = arrays
    if len(data) != len(indices) or [x.ndim for x in arrays] != [3 if a.format == "bsr" else 1, 1, 1]:
        agree = False
    elif a.format == "coo":
        agree = len(data) == len(pointers) and _below(indices, rows) and _below(pointers, cols)
    else:
        down, across = data.shape[1:] or (1, 1)  # of a block
        lines, width = rows // max(1, down), cols // max(1, across)
        if a.format == "csc":
            lines, width = width, lines
        agree = bool(
            len(pointers) == lines + 1 and pointers[0] == 0 and (pointers[1:] >= pointers[:-1]).all()
            and pointers[-1] <= len(data) and _below(indices[: pointers[-1]], width)
        )
    if not agree:
        shapes = ", ".join(f"{name} {x.shape}" for x, name in zip(arrays, names))
        raise Error(f"the arrays of M, a {a.format} matrix of {rows} x {cols}, do not agree: {shapes}", SHAPE)


def _below(x: np.ndarray, end: int) -> bool:
    """Says whether all of x are indices of end things."""
    return x.size == 0 or bool(x.min() >= 0 and x.max() < end)


def _whole(x: Any, name: str, least: int, most: int) -> int:
    """Returns a whole number, of any type but bool."""
    try:
        if isinstance(x, (bool, np.bool_)):
            raise TypeError
        value = operator.index(x)
    except TypeError:
        raise Error(f"{name} {x!r}; choose a whole number", OPTION) from None
    if not least <= value <= most:
        raise Error(f"{name} {value}; choose a whole number from {least} to {most}", OPTION)
    return value


def _count(x: Any, name: str) -> int:
    """Returns a number of things, and 0 for None, which leaves it to the library."""
    return 0 if x is None else _whole(x, name, 0, 2**63 - 1)


def _same(a: Any, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    a = _dense(a, name)
    if a.dtype != dtype:
        raise TypeError(f"{name} is of {a.dtype} and M of {dtype}; convert one of them")
    return a


def _start(a: Any, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Returns a copy into which the result is written."""
    return np.array(_same(a, name, dtype), order="C")


def _frame(a: NDArray[Any], index: Any, columns: Any) -> Any:
    import pandas

    return pandas.DataFrame(a, index=index, columns=columns)


def _factorization(f: Any, v: NDArray[Any], w: NDArray[Any], names: Names, method: str) -> Factorization:
    r = f.result
    if r.rank < v.shape[1]:
        v, w = v[:, : r.rank].copy(), w[: r.rank].copy()
    if names.index is not None:
        v, w = _frame(v, names.index, None), _frame(w, None, names.columns)
    blocks = [Block(b.rank, b.iterations, b.relative_error, b.relative_l1) for b in f.blocks[: r.blocks]]
    return Factorization(
        v, w, r.relative_error, r.relative_l1, r.max_violation, bool(r.violation_bound), r.largest_entry, r.iterations,
        blocks, r.stop.decode(), r.seed, r.best_restart, r.restarts_begun, r.restarts_finished, r.revived,
        r.relative_divergence, method,
    )
