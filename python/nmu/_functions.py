"""The functions: arrays in, arrays out."""

from __future__ import annotations

import html
import json
import operator
import os
import sys
import textwrap
import threading
import warnings
from ctypes import addressof, c_double, c_int64, create_string_buffer
from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _library, _options, _plots, _results, _structs
from ._library import CSR, FLOATS, INTEGERS, OPTION, SHAPE, ConvergenceWarning, Error, Matrix, Options, call, interruptible, texts
from ._results import Biclique, Block, ConsensusPoint, Estimate, Measures, RankPoint
from ._tables import Names, aligned, counts, framed, is_annotated, is_sparse_table, is_table, names_of, objects, values

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import BicliqueSettings, ConsensusSettings, FactorSettings, ImproveSettings, InspectSettings, RankSettings, TransformSettings


class Weights(_results.Weights):
    """Weights W (r x n) for new columns, and how they came about."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Says what it is in one line, without the numbers of W."""
        r, n = self.W.shape
        return (f"Weights(W {r} x {n}, relative error {self.relative_error:.4g}, "
                f"{self.iterations_done} sweeps, stop {self.stop!r})")


class RankSurvey(_results.RankSurvey, _plots.Ranks):
    """A comparison of ranks, and the rank that it advises."""

    __slots__ = ()
    _lines = (("held_out_error", "o-"), ("training_error", ".-"), ("stability", ".:"))


class Consensus(_results.Consensus, _plots.Ranks):
    """A comparison of many runs, and the largest rank whose parts recur."""

    __slots__ = ()
    _lines = (("stability", "o-"), ("error", ".-"), ("run_error", ".:"))


class Topics(NamedTuple):
    """V and W scaled to topics, and the mixtures of the columns of M."""

    V: NDArray[Any]  #: columns that add up to 1
    W: NDArray[Any]
    mixtures: NDArray[Any]  #: W with columns that add up to 1


# Calls of fewer multiplications than these end in some milliseconds, and need no thread
# of their own to be interrupted.
_SHORT = 1_000_000


@_options.documented(
    "factor", methods=", ".join(f'"{m["name"]}"' for m in _options.methods()), options=textwrap.indent(_options.listed(_options.methods()), " " * 8),
)
def factor(
    M: Any,
    rank: int,
    method: str = "nmf",
    *,
    init: str | tuple[Any, Any] = "random",
    continue_: Factorization | None = None,
    progress: bool | Callable[[dict[str, float]], None] | None = None,
    dtype: Any = np.float64,
    layer: str | None = None,
    key_added: str | None = None,
    **options: Unpack[FactorSettings],
) -> Factorization:
    """Factors a nonnegative matrix M (m x n) into V (m x rank) and W (rank x n).

    Parameters
    ----------
    M : array, DataFrame, scipy.sparse matrix or AnnData of shape (m, n), or a path
        float32 and float64 are factored in their own precision, without a copy and in any
        memory order. Integers, bools and other numbers become float64, pandas.NA NaN. A sparse
        matrix, or a DataFrame of sparse columns, is never made dense. DataFrames for init, mask
        and weights are matched with M by the names of rows and columns.
        The rows of an AnnData are its observations: of X, or of a layer. A path names a file in any
        format that the command reads.
    rank : int
        The number of factors, at least 1. It may be larger than m and n.
    method : str
        {methods}.
    init : "random", "nested", "svd", "spa", "snpa", or (V, W)
        The start.
    continue_ : Factorization
        A result of smaller rank, to which a recursion adds factors. The result has the bits of
        one run. Both have init="nested" and restarts=1, or init="svd", "spa" or "snpa".
    layer : str
        Of an AnnData, which is factored in place of X.
    key_added : str
        Of an AnnData: V is written to obsm["X_" + key_added], Wᵀ to varm[key_added], and how
        they came about to uns[key_added]. By default nothing is written.
    {settings}
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

    Examples
    --------
    >>> M = np.outer([1, 2, 0, 3], [1.0, 0, 2, 1, 0]) + np.outer([0, 1, 2, 1], [0, 1.0, 1, 3, 2])
    >>> res = nmu.factor(M, 2)
    >>> res
    Factorization(V 4 x 2, W 2 x 5, ...)
    >>> res.V.shape, res.W.shape
    ((4, 2), (2, 5))
    >>> nmu.factor(M, 2, "gnmu", feasible="final").max_violation
    0.0
    """
    annotated = M if is_annotated(M) else None
    if annotated is None and (layer is not None or key_added is not None):
        raise TypeError(f"layer and key_added are for an AnnData, and M is a {type(M).__name__}")
    call_ = _Call("factor", M, options, method, ("init", "continue_", "progress", "dtype", "layer", "key_added"), dtype, layer)
    names, settings = call_.names, call_.settings
    rank = _whole(rank, "rank", 1, _most_factors(call_.shape))
    rows, cols = call_.shape
    v, w = np.empty((rows, rank), call_.dtype), np.empty((rank, cols), call_.dtype)
    known: list[Block] = []
    if continue_ is not None:
        V, W = (np.asarray(_same(aligned(a, "continue_", **along), "continue_", call_.dtype)) for a, along in
                ((continue_.V, {"index": names.index}), (continue_.W, {"columns": names.columns})))
        if V.shape[0] != rows or W.shape[1] != cols or V.shape[1] > rank:
            raise Error(f"continue_ has V {V.shape} and W {W.shape}, for a matrix {call_.shape} and rank {rank}", SHAPE)
        v[:], w[:], v[:, : V.shape[1]], w[: V.shape[1]] = 0, 0, V, W
        known, settings["continue"] = continue_.blocks, True
    if isinstance(init, str):
        settings["init"] = init
    else:
        settings["init"] = "given"
        v = _start(aligned(init[0], "V", names.index), "V", call_.dtype)
        w = _start(aligned(init[1], "W", None, names.columns), "W", call_.dtype)
    work = rows * cols * rank * (settings.get("iterations") or 100) * (settings.get("restarts") or 10)
    res = call_.factored("nmu_factor", v, w, known, work, progress)
    if annotated is not None and key_added is not None:
        annotated.obsm["X_" + key_added], annotated.varm[key_added] = np.asarray(res.V), np.asarray(res.W).T
        annotated.uns[key_added] = {
            "method": method, "rank": res.W.shape[0], "layer": layer or "X", "seed": res.best_seed,
            "relative_error": res.relative_error, "max_violation": res.max_violation, "stop": res.stop,
        }
    return res


@_options.documented("factor")
def estimate(
    M: Any, rank: int, method: str = "nmf", *, init: Any = "random", dtype: Any = np.float64, layer: str | None = None,
    **options: Unpack[FactorSettings],
) -> Estimate:
    """Estimates what `factor` takes, without its work.

    Parameters
    ----------
    M : as of `factor`, or (m, n)
        The memory for a path includes M, unless its file is mapped or scratch leaves it there.
    rank, method, init, layer : as of `factor`
    {settings}
    **options
        Of the method, as of `factor`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> nmu.estimate((1000, 500), 10).memory > 0
    True
    """
    sizes = isinstance(M, tuple)
    if sizes:
        M = np.broadcast_to(np.zeros((), dtype), tuple(_whole(x, "a size of M", 1, 2**48) for x in M))
    call_ = _Call("factor", M, options, method, ("init", "dtype", "layer"), dtype, layer)
    if sizes:
        call_.given.data = None
    call_.settings["init"], r = init if isinstance(init, str) else "given", _structs.EstimateResult(type=1 + FLOATS.index(call_.dtype))
    return Estimate(**call_.make("nmu_estimate", call_.given, call_.options(), _whole(rank, "rank", 1, 2**31 - 1), r, work=0))


@_options.documented("improve")
def improve(M: Any, V: Any, W: Any = None, *, dtype: Any = np.float64, **options: Unpack[ImproveSettings]) -> Factorization:
    """Rounds V and W, keeps their zeros, and makes HALS iterations on the other entries, 100 by default.

    Parameters
    ----------
    M : as of `factor`
    V, W : arrays of shape (m, r) and (r, n), of the precision of M, or a Factorization alone
    {settings}
    **options
        solver and sweeps, as of the method nmf.

    Returns
    -------
    Factorization

    Examples
    --------
    >>> M = np.outer([1, 2, 0, 3], [1.0, 0, 2, 1, 0]) + np.outer([0, 1, 2, 1], [0, 1.0, 1, 3, 2])
    >>> res = nmu.factor(M, 2, "rnmu", iterations=20)
    >>> nmu.improve(M, res).relative_error <= res.relative_error
    True
    """
    V, W = _factors(V, W)
    call_ = _Call("improve", M, options, "nmf", ("dtype",), dtype)
    v = _start(aligned(V, "V", call_.names.index), "V", call_.dtype)
    w = _start(aligned(W, "W", None, call_.names.columns), "W", call_.dtype)
    return call_.factored("nmu_improve", v, w, [])


@_options.documented("transform")
def transform(
    V: Any, M: Any, *, init: Any = None, dtype: Any = np.float64, **options: Unpack[TransformSettings]
) -> Weights:
    """Finds weights W (r x n) >= 0 for the columns of M (m x n) in the basis V (m x r).

    The weights of a column do not depend on the other columns.

    Parameters
    ----------
    V : array or DataFrame of shape (m, r), Factorization, Update, Model or the path of a model
        The rows of a DataFrame are matched with those of M by their names. A Factorization or Model also says how:
        with divergence for kl, with sum_to_one for nmf with that option, unless settings say so.
    M : array, DataFrame or scipy.sparse matrix of shape (m, n), of the precision of V, or a path
        A sparse matrix is never made dense, and has neither mask nor weights.
    init : array of shape (r, n)
        A start; by default 0, with divergence equal parts.
    {settings}

    Returns
    -------
    Weights
        A column of which nothing is missing keeps its weights.

    Examples
    --------
    >>> M = np.outer([1, 2, 0, 3], [1.0, 0, 2, 1, 0]) + np.outer([0, 1, 2, 1], [0, 1.0, 1, 3, 2])
    >>> res = nmu.factor(M, 2)
    >>> nmu.transform(res, 2 * M[:, :3])
    Weights(W 2 x 3, ...)
    """
    if isinstance(V, (str, bytes, os.PathLike)):
        V = load(V)
    elif isinstance(V, Factorization):
        V = Model(V.V, V.method, V.options, None, False)
    elif isinstance(V, Update):
        V = V.V
    call_ = _Call("transform", M, options, None, ("init", "dtype"), dtype)
    names, settings = call_.names, call_.settings
    if isinstance(V, Model):
        if settings.get({"kl": "divergence", "nmf": "sum_to_one"}.get(V.method, "")) is not False:
            call_.method, call_.by = V.method, V.options
        known = {} if names.index is None else {str(name): name for name in names.index}  # which may be numbers
        V = V.V if V.row_names is None or not known else _frame(V.V, [known.get(name, name) for name in V.row_names], None)
    v = _same(aligned(V, "V", names.index), "V", call_.dtype)
    rank, (rows, cols) = v.shape[1], call_.shape
    if rank > rows:
        warnings.warn(f"V has {rank} columns and M has {rows} rows: the weights are not determined, and other ones fit as well", stacklevel=2)
    if init is None:
        w = np.empty((rank, cols), call_.dtype)
    else:
        w, settings["init"] = _start(aligned(init, "W", None, names.columns), "W", call_.dtype), "given"
    found = call_.make("nmu_transform", Matrix(v), call_.given, call_.options(), Matrix(w), _structs.TransformResult(), work=rows * cols * max(1, rank) * 20)
    return Weights(W=_named(w, "W", names), **found)


class Update(NamedTuple):
    """A basis after new columns, with the sums of products over all columns so far."""

    V: NDArray[Any]  #: (m x r)
    WW: NDArray[Any]  #: (r x r) the sum of W Wᵀ
    MW: NDArray[Any]  #: (m x r) the sum of M Wᵀ
    weights: Weights  #: of the new columns, as they entered the sums, in the basis before its last step; iterations and stop are those of the turns


def update(
    V: Any, M: Any, WW: Any = None, MW: Any = None, *, iterations: int | None = None, tolerance: float | None = None, threads: int | None = None
) -> Update:
    """Continues a factorization M ≈ V W of the method nmf by new columns, without the earlier ones.

    A turn finds the weights W of the new columns as `transform` does, adds W Wᵀ and M Wᵀ to the sums, and renews V by
    HALS steps, which decrease the squared error of all columns. The earlier columns count with the weights that they
    had when they were new. A column of V that no column uses stays as it is.

    To begin, factor the first columns by nmf, and update that V by the same columns without sums::

        x = nmu.factor(first, 5, "nmf")
        x = nmu.update(x, first)
        x = nmu.update(x, second)

    Parameters
    ----------
    V : array or DataFrame of shape (m, r), Factorization, Model or Update
        The basis of the earlier columns. An Update has their sums, too. The rows of a DataFrame are matched with
        those of M by their names.
    M : array, DataFrame or scipy.sparse matrix of shape (m, n), of the precision of V
        The new columns. A sparse matrix is never made dense. M has neither missing entries nor weights.
    WW : array of shape (r, r)
        The sum of W Wᵀ over the earlier columns; None before the first ones.
    MW : array or DataFrame of shape (m, r)
        The sum of M Wᵀ over the earlier columns; None before the first ones.
    iterations : int
        The most turns, by default 10.
    tolerance : float
        The turns end when one changes the relative error of the new columns by no more than this times itself, by
        default 1e-4.
    threads : int
        By default all processors; the result does not depend on it.

    Returns
    -------
    Update

    Examples
    --------
    >>> M = np.outer([1, 2, 0, 3], [1.0, 0, 2, 1, 0]) + np.outer([0, 1, 2, 1], [0, 1.0, 1, 3, 2])
    >>> x = nmu.factor(M[:, :3], 2, "nmf").update(M[:, :3])
    >>> x = nmu.update(x, M[:, 3:])
    >>> x.WW.shape, x.MW.shape
    ((2, 2), (4, 2))
    """
    if isinstance(V, Update):
        if WW is not None or MW is not None:
            raise Error("V is an Update, which has sums of its own; leave WW and MW out", OPTION)
        V, WW, MW = V.V, V.WW, V.MW
    if (WW is None) != (MW is None):
        raise Error("one of WW and MW is missing; give both sums, or none before the first columns", OPTION)
    call_ = _Call("transform", M, {"iterations": iterations, "tolerance": tolerance, "threads": threads})
    if isinstance(V, (Factorization, Model)):
        call_.method, call_.by, V = V.method, V.options, V.V
    names = call_.names
    v = _start(aligned(V, "V", names.index), "V", call_.dtype)
    rank = v.shape[1]
    ww = np.zeros((rank, rank), call_.dtype) if WW is None else _start(WW, "WW", call_.dtype)
    mw = np.zeros(v.shape, call_.dtype) if MW is None else _start(aligned(MW, "MW", names.index), "MW", call_.dtype)
    w = np.empty((rank, call_.shape[1]), call_.dtype)
    found = call_.make("nmu_update", Matrix(v), call_.given, call_.options(), *map(Matrix, (ww, mw, w)), _structs.TransformResult())
    return Update(_named(v, "V", names), ww, _named(mw, "V", names), Weights(W=_named(w, "W", names), **found))


class Model(NamedTuple):
    """A basis with what the weights of new columns need, which `Factorization.save` keeps in a file."""

    V: NDArray[Any]
    method: str  #: by which V was found
    options: dict[str, Any]  #: of the method, by their names as arguments
    row_names: list[str] | None  #: of the rows of V; None if they have none
    topics: bool  #: whether the columns of V add up to 1, as `topics` scales them

    transform = transform  # with the model as V

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a .npz file, with the names of the rows of V if it is a DataFrame."""
        index, names, about = names_of(self.V).index, self.row_names, _structs.Model()
        if index is not None and not counts(list(index)):
            names = [str(name) for name in index]
        if names is not None:
            for name in names:
                if "\0" in name:
                    raise Error(f"the name {name!r} of a row holds a zero character, which files of models do not keep; rename it", OPTION)
            text = create_string_buffer("".join(name + "\0" for name in names).encode())
            about.names, about.names_length = addressof(text), len(text) - 1  # which ends with one more
        about.method, about.method_options, about.topics = self.method.encode(), _options.text(self.options) or b"", self.topics
        call("nmu_model_save", create_string_buffer(os.fsencode(path)), Matrix(_dense(self.V, "V")), about)

    def __repr__(self) -> str:
        """Says what it is in one line, without the numbers of V."""
        m, r = self.V.shape
        return f"Model(V {m} x {r}, method {self.method!r}, {'no ' if self.row_names is None else ''}names of rows)"


def load(path: str | bytes | os.PathLike[str], max_memory: int | None = None) -> Model:
    """Reads a model.

    Parameters
    ----------
    path : str or path
        A file that `Factorization.save`, R or Go has written, or the folder of a run of nmu factor.
    max_memory : int, default=None
        The memory in bytes that reading may take; None: the free memory. A file that needs more is refused.

    Returns
    -------
    Model
        Its method transform finds weights of new columns: ``nmu.load(path).transform(M).W``.

    Examples
    --------
    >>> M = np.outer([1, 2, 0, 3], [1.0, 0, 2, 1, 0]) + np.outer([0, 1, 2, 1], [0, 1.0, 1, 3, 2])
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nmu.factor(M, 2).save(os.path.join(folder, "parts.npz"))
    ...     model = nmu.load(os.path.join(folder, "parts.npz"))
    >>> model.transform(M).W.shape
    (2, 5)
    """
    about, where = _structs.Model(), create_string_buffer(os.fsencode(path))
    if max_memory is not None:
        if max_memory < 1:
            raise Error(f"max_memory is {max_memory}; choose a number of bytes", OPTION)
        about.max_memory = max_memory
    call("nmu_model_load", where, None, about)
    v = np.empty((about.rows, about.rank), FLOATS[about.type - 1])
    (names,) = texts(about, ["names"], lambda: call("nmu_model_load", where, Matrix(v), about), about.names_length)
    options = dict(option.split("=", 1) for option in about.method_options.decode().split(",") if option)
    return Model(
        V=v, method=about.method.decode(), options={_options.argument(name): x for name, x in options.items()},
        row_names=_library.names(names), topics=bool(about.topics))


@_options.documented("inspect")
def look(path: str | os.PathLike[str], **options: Unpack[InspectSettings]) -> dict[str, Any]:
    """Shows how a file is read, and what its matrix holds. Nothing is factored.

    Parameters
    ----------
    path : str or path
        A file with a matrix.
    {settings}

    Returns
    -------
    dict
        What ``nmu look --json`` prints: how the file is read ("reading"), the size, the first rows and columns ("corner"), the range
        of the entries, how many are zero, missing, infinite and negative, whether they are counts, and the command that is advised.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "table.csv")
    ...     np.savetxt(path, [[1, 2, 3], [3, 0, 1.5]], delimiter=",")
    ...     nmu.look(path)["reading"]
    'table, 2 x 3; rows without names; columns without names'
    """
    given, _ = _options.split("inspect", options, None)  # type: ignore[arg-type]
    text, chosen = _structs.Text(), Options(None, None, _options.text({"input": path, **given}))
    found: dict[str, Any] = json.loads(*texts(text, ["text"], lambda: call("nmu_look", chosen, text)))
    return found


def metrics(M: Any, V: Any, W: Any = None) -> Measures:
    """Measures a factorization, of whatever origin.

    Parameters
    ----------
    M : array or DataFrame of shape (m, n)
    V, W : arrays of shape (m, r) and (r, n), of the precision of M, or a Factorization alone

    Returns
    -------
    Measures

    Examples
    --------
    >>> M = np.outer([1, 2, 0, 3], [1.0, 0, 2, 1, 0]) + np.outer([0, 1, 2, 1], [0, 1.0, 1, 3, 2])
    >>> measures = nmu.metrics(M, nmu.factor(M, 2))
    >>> round(measures.relative_error, 2), round(measures.basis_zeros, 2)
    (0.0, 0.25)
    """
    M, (V, W) = framed(M), _factors(V, W)
    names = names_of(M)
    V, W = aligned(V, "V", names.index), aligned(W, "W", None, names.columns)
    m = _matrix(M, sparse=False)
    measures = _structs.Measures()
    call("nmu_metrics", *map(Matrix, (m, _same(V, "V", m.dtype), _same(W, "W", m.dtype))), measures)
    return Measures(**_library.values(measures))


@_options.documented("biclique")
def biclique(M: Any, **options: Unpack[BicliqueSettings]) -> Biclique:
    """Looks for a biclique with many edges in the bipartite graph of a 0/1 matrix.

    Parameters
    ----------
    M : array, DataFrame or scipy.sparse matrix of shape (m, n), with entries 0 and 1, or a path
    {settings}

    Returns
    -------
    Biclique
        Its rows and cols are arrays of indices, from 0, in increasing order.

    Examples
    --------
    >>> nmu.biclique([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    Biclique(rows=array([0, 1]), cols=array([0, 1]), edges=4, ...)
    """
    call_ = _Call("biclique", M, options)
    rows, cols = (c_int64 * call_.shape[0])(), (c_int64 * call_.shape[1])()
    found = call_.make("nmu_biclique", call_.given, call_.options(), rows, cols, _structs.BicliqueResult())
    return Biclique(np.array(rows[: found.pop("rows")], int), np.array(cols[: found.pop("cols")], int), **found)


@_options.documented("rank")
def rank_survey(
    M: Any, ranks: Any, method: str = "nmf", *, init: str = "random", progress: bool | Callable[[dict[str, float]], None] | None = None,
    dtype: Any = np.float64, **options: Unpack[RankSettings],
) -> RankSurvey:
    """Compares ranks by held-out error and stability, and advises one.

    Parameters
    ----------
    M : as of `factor`; a sparse matrix is made dense
    ranks : sequence of int, or str
        The ranks to compare, such as range(2, 21), or as text "2:20", "5:50:5" or "2:8,10,12".
    method, init : as of `factor`
    {settings}
    **options
        Of the method, as of `factor`.

    Returns
    -------
    RankSurvey
        It has a method plot.

    Examples
    --------
    >>> M = np.random.default_rng(1).random((30, 2)) @ np.random.default_rng(2).random((2, 20))
    >>> nmu.rank_survey(M, "1:4", iterations=100, restarts=2).rank
    2
    """
    call_ = _Call("rank", M, options, method, ("init", "progress", "dtype", "ranks"), dtype)
    most = len(_ranks(ranks, init, call_))
    columns = min(call_.shape[1], 1000)
    points = (_structs.RankPoint * most)()
    consensus = np.full((most if call_.settings.get("consensus") else 0, columns, columns), np.nan)
    r = _structs.RankResult(point=addressof(points), point_capacity=most, consensus=consensus.ctypes.data, consensus_capacity=consensus.size)
    advice = call_.make("nmu_rank", call_.given, call_.options(), r, progress=progress)
    found = [RankPoint(**_library.values(p)) for p in points[: r.points]]
    return RankSurvey(points=found, consensus={p.rank: c for p, c in zip(found, _maps(consensus, r.consensus_columns)) if p.agreeing_runs}, **advice)


@_options.documented("consensus")
def consensus(
    M: Any, ranks: Any, method: str = "nmf", *, init: str = "random", progress: bool | Callable[[dict[str, float]], None] | None = None,
    dtype: Any = np.float64, **options: Unpack[ConsensusSettings],
) -> Consensus:
    """Makes many runs for each rank and compares them: stable parts, and an interval for each entry.

    The runs differ in their starts. With resample="columns" or "poisson" they also show the noise in M.

    Parameters
    ----------
    M : as of `factor`
    ranks : sequence of int, or str
        The ranks to compare, as of `rank_survey`.
    method : str
        As of `factor`.
    init : str
        "random" or "nested"; with resample also "svd", "spa" or "snpa".
    {settings}
    **options
        Of the method, as of `factor`.

    Returns
    -------
    Consensus
        It has a method plot.

    Examples
    --------
    >>> M = np.random.default_rng(1).random((30, 2)) @ np.random.default_rng(2).random((2, 20))
    >>> sure = nmu.consensus(M, [2], runs=4, iterations=100)
    >>> sure.points[0].V_low.shape
    (30, 2)
    """
    call_ = _Call("consensus", M, options, method, ("init", "progress", "dtype", "ranks"), dtype)
    each = _ranks(ranks, init, call_)
    total, (rows, cols), columns = sum(each), call_.shape, min(call_.shape[1], 1000)
    ranks_found, parts = (_structs.ConsensusPoint * len(each))(), (_structs.Part * total)()
    maps = np.empty((len(each), columns, columns))
    r = _structs.ConsensusResult(point=addressof(ranks_found), point_capacity=len(each), part=addressof(parts), part_capacity=total, map=maps.ctypes.data, map_capacity=maps.size)
    found = {name: np.empty((rows, total) if name[0] == "V" else (total, cols), call_.dtype) for name in ("V", "V_low", "V_high", "W", "W_low", "W_high")}
    described = {name: Matrix(a) for name, a in found.items()} if total else {}
    for name, matrix in described.items():
        setattr(r, name.lower(), addressof(matrix))
    advice = call_.make("nmu_consensus", call_.given, call_.options(), r, progress=progress)
    points, at = [], 0
    for p, a in zip(ranks_found[: r.points], _maps(maps, r.map_columns)):
        of = slice(at, at + p.rank)
        matrices = {name: _named(x[:, of] if name[0] == "V" else x[of], name, call_.names) for name, x in found.items()}
        points.append(ConsensusPoint(
            silhouettes=[x.silhouette for x in parts[of]], kept=[x.kept for x in parts[of]], map=a, **matrices, **_library.values(p)))
        at += p.rank
    return Consensus(points=points, **advice)


def _maps(maps: NDArray[Any], columns: int) -> NDArray[Any]:
    """Returns consensus matrices that have fewer columns than there was room for, since some were left out."""
    return maps.ravel()[: len(maps) * columns * columns].reshape(len(maps), columns, columns)


def topics(V: Any, W: Any = None) -> Topics:
    """Scales V and W so that the columns of V add up to 1, as distributions over the rows of M.

    V W stays the same within rounding.

    Parameters
    ----------
    V, W : arrays or DataFrames of shape (m, r) and (r, n), of one precision, or a Factorization alone

    Returns
    -------
    Topics

    Examples
    --------
    >>> M = np.outer([3, 1, 0], [1.0, 0, 2]) + np.outer([0, 2, 2], [0, 1.0, 1])
    >>> topics = nmu.topics(nmu.factor(M, 2, "kl"))
    >>> topics.V.sum(axis=0).round(6)
    array([1., 1.])
    """
    V, W = _factors(V, W)
    names = Names(names_of(V).index, names_of(W).columns)
    v = np.array(_dense(V, "V"), order="C")
    w = _start(W, "W", v.dtype)
    mixtures = np.empty_like(w)
    call("nmu_topics", *map(Matrix, (v, w, mixtures)))
    return Topics(_named(v, "V", names), _named(w, "W", names), _named(mixtures, "W", names))


def _factors(V: Any, W: Any) -> tuple[Any, Any]:
    """Returns V and W, which may be those of one result."""
    if W is None and not hasattr(V, "W"):
        raise TypeError("W is missing; give V and W, or a result of factor")
    return (V.V, V.W) if W is None else (V, W)


class Factorization(_results.Factorization):
    """V (m x r) and W (r x n) with M ≈ V W, and how they came about.

    If M was a DataFrame or an AnnData, V and W are DataFrames: V has the names of the rows of
    M, and W those of its columns. So they are if the file of M has names and pandas is installed.
    """

    __slots__ = ()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes V, the method, its options and the names of the rows to a .npz file, which `load` reads, and
        so do R, Go and the command. NumPy reads V."""
        Model(self.V, self.method, self.options, None, False).save(path)

    transform, update = transform, update  # with V of this one

    def improve(self, M: Any, **options: Unpack[ImproveSettings]) -> Factorization:
        """Makes HALS iterations that keep the zeros of V and W, as `improve` does."""
        return improve(M, self, **options)

    def metrics(self, M: Any) -> Measures:
        """Measures V W against M, as `metrics` does."""
        return metrics(M, self)

    def topics(self) -> Topics:
        """Scales V and W to proportions, as `topics` does."""
        return topics(self)

    plot = _plots.factors

    def _repr_html_(self) -> str:
        """Returns a table for a notebook."""
        facts = {"V, basis": "{} x {}".format(*self.V.shape), "W, weights": "{} x {}".format(*self.W.shape), "method": self.method, **self._facts()}
        facts.update(("note", note) for note in self.notes)
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in facts.items())
        return f"<table>{rows}</table>"

    def _facts(self) -> dict[str, str]:
        """Returns the numbers that a reader looks for first, as text."""
        facts = {"relative error": f"{self.relative_error:.4g}"}
        if self.method == "kl":
            facts["deviance explained"] = f"{1 - self.relative_divergence:.4g}"
        if any(known["underapproximates"] for known in _options.methods([self.method])):
            facts["largest violation"] = f"{self.max_violation:.4g}"
        return {**facts, "iterations": str(self.iterations_done), "stop": repr(self.stop)}

    def __repr__(self) -> str:
        """Says what it is in one line, without the numbers of V and W."""
        (m, r), n = self.V.shape, self.W.shape[1]
        return f"Factorization(V {m} x {r}, W {r} x {n}, {', '.join(f'{name} {text}' for name, text in self._facts().items())})"


class _Bar:
    """Shows progress: a bar of tqdm if that is installed, else a line."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.bar: Any = None
        else:
            self.bar = tqdm(total=100, bar_format="{percentage:3.0f}% |{bar}| {elapsed}<{remaining} {desc}")
        self.done = 0.0

    def __call__(self, now: dict[str, float]) -> None:
        done = min(100.0, 100 * now["elapsed"] / max(now["elapsed"] + now["remaining"], 1e-9))
        text = f"run {now['restart']} of {now['restarts']}, iteration {now['iteration']}, error {now['relative_error']:.4g}"
        if self.bar is None:
            sys.stderr.write(f"\r{done:3.0f} %  {text} ")
            sys.stderr.flush()
        else:
            self.bar.set_description_str(text, refresh=False)
            self.bar.update(done - self.done)
        self.done = done

    def close(self, whole: bool) -> None:
        """Ends the bar or the line."""
        if self.bar is not None:
            self.bar.update(100 - self.done if whole else 0)
            self.bar.close()
        elif self.done:
            sys.stderr.write("\n")


class _Call:
    """A call of the library: M, and what its settings say."""

    def __init__(self, kind: str, M: Any, options: Any, method: str | None = None, others: Iterable[str] = (), dtype: Any = np.float64, layer: str | None = None) -> None:
        M = framed(M)
        settings, self.by = _options.split(kind, options, method, others)
        self.settings, self.method, path = settings, method, isinstance(M, (str, bytes, os.PathLike))
        if path:
            settings["input"] = os.fsdecode(M)
            self.shape, self.names = _in_file(settings)
            self.dtype = np.dtype(dtype)
        else:
            self.names = names_of(M)
        names = self.names
        self.matrices: dict[str, NDArray[Any]] = {}
        self.given: Any = None
        self.sparse = False
        known = _options.settings(kind)
        for name, x in list(settings.items()):
            if name not in known:
                continue
            if known[name]["type"] == "whole number" and x is not None:
                settings[name] = _whole(x, name, 0, 2**64 - 1 if name == "seed" else 2**63 - 1)
            elif known[name]["type"] == "matrix" and not isinstance(x, (str, os.PathLike, type(None))):
                index, columns = None if name == "fix_w" else names.index, None if name == "fix_v" else names.columns
                if name.startswith("skip_"):
                    self.matrices[name] = _dense(np.reshape(settings.pop(name), (-1, 1)), name).astype(np.float64, copy=False)
                    continue
                own = _NAMES.get(name, name)
                x = aligned(settings.pop(name), own, index, columns, depth=4)
                self.matrices[name] = _mask(x) if name == "mask" else _dense(x, own).astype(np.float64, copy=False)
        M, mask = _observed(M, self.matrices.get("mask"), settings.get("missing"))
        if mask is not None:
            self.matrices["mask"] = mask.view(np.uint8)
        if not path:
            m = _matrix(M, layer=layer)
            self.sparse = not isinstance(m, np.ndarray)
            self.given, self.shape, self.dtype = (CSR if self.sparse else Matrix)(m), m.shape, m.dtype

    def options(self) -> Options:
        """Returns what is asked for, for one call."""
        self.asked = Options(self.method, _options.text(self.by), _options.text(self.settings), **self.matrices)
        return self.asked

    def make(self, function: str, *arguments: Any, work: float = np.inf,
             progress: bool | Callable[[dict[str, float]], None] | None = None, depth: int = 3) -> dict[str, Any]:
        """Calls a function, which can be interrupted if it may take long, and warns of what the library and its
        result note. It returns the fields of the last argument, the result."""
        function += "_csr" if self.sparse else ""
        error, bar = _structs.Error(), _Bar() if progress is True else None
        show: Any = bar or progress or None
        if show or threading.current_thread() is threading.main_thread() and work > _SHORT:
            try:
                interruptible(self.asked, lambda: call(function, *arguments, error=error), show)
            finally:
                if bar is not None:
                    bar.close(sys.exc_info()[0] is None)
        else:
            call(function, *arguments, error=error)
        if error.message:
            warnings.warn(_library.said(error.message), stacklevel=depth)
        found = _library.values(arguments[-1])
        found.pop("finished", None)  # all weights are, unless a call is interrupted
        for text in found.get("notes", ()):
            category = ConvergenceWarning if "before the error was at rest" in text else UserWarning
            warnings.warn(text, category, stacklevel=depth)
        return found

    def factored(self, function: str, v: NDArray[Any], w: NDArray[Any], known: list[Block], work: float = np.inf,
                 progress: bool | Callable[[dict[str, float]], None] | None = None) -> Factorization:
        """Calls a function that writes V and W. Known are the blocks to go on from, which keep their history."""
        s, errors, at = self.settings, 0, 0
        if s.get("record") or s.get("tolerance") or s.get("target_error") or not s.get("iterations"):
            iterations = s.get("iterations") or max(m["iterations"] for m in _options.methods())
            errors = min(1 << 20, v.shape[1] * (iterations // (s.get("check_every") or 10) + 1))
        room, history = (_structs.Block * max(1, v.shape[1]))(), (c_double * errors)()
        for to, block in zip(room, known):
            for name, _ in to._fields_:
                value = len(block.history) if name == "history_length" else getattr(block, name)
                setattr(to, name, value.encode() if isinstance(value, str) else value)
        r = _structs.Result(block=addressof(room), block_capacity=len(room), blocks=len(known), history=addressof(history), history_capacity=errors)
        found = self.make(function, self.given, self.options(), Matrix(v), Matrix(w), r, work=work, progress=progress, depth=4)
        rank, blocks = found.pop("rank"), []
        if rank < v.shape[1]:
            v, w = v[:, :rank].copy(), w[:rank].copy()
        for i, block in enumerate(map(_library.values, room[: r.blocks])):
            errors = block.pop("history_length")
            again = i < len(known) and known[i].stop not in ("time limit", "cancelled")  # else it was found anew
            blocks.append(Block(**block, history=known[i].history if again else history[at : min(at + errors, len(history))]))
            at += errors
        return Factorization(
            V=_named(v, "V", self.names), W=_named(w, "W", self.names), blocks=blocks, method=self.method or "",
            options={name: x for name, x in self.by.items() if x is not None}, **found)


def _in_file(settings: dict[str, Any]) -> tuple[tuple[int, int], Names]:
    """Returns the shape of the matrix in a file, and the names of its rows and columns if it has some and
    pandas is installed."""
    file, known = _structs.File(), ("input", *_options.settings("inspect"))
    chosen = Options(None, None, _options.text({name: x for name, x in settings.items() if name in known}))
    found = map(_library.names, texts(file, ["row_names", "col_names"], lambda: call("nmu_inspect", chosen, file)))
    try:
        import pandas
    except ImportError:
        return (file.rows, file.cols), Names(None, None)
    return (file.rows, file.cols), Names(*(None if x is None else pandas.Index(x) for x in found))


_NAMES = {"mask": "the mask", "weights": "the matrix of weights", "uncertainties": "the matrix of uncertainties"}


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
    m = _csr(a) if sparse and hasattr(a, "tocsr") else _dense(a, "M")
    if 0 in m.shape:
        raise Error(f"M is empty ({m.shape[0]} x {m.shape[1]})", SHAPE)
    return m


def _observed(M: Any, mask: Any, missing: str | None) -> tuple[Any, Any]:
    """Returns M without what makes it a masked array, which goes into the mask."""
    if missing == "allow" and np.ma.isMaskedArray(M):
        seen = ~np.ma.getmaskarray(M)
        M = np.ma.getdata(M)
        if mask is None:
            mask = seen
        elif mask.shape == seen.shape:  # else the library says what is wrong
            mask = mask & seen
    return M, mask


def _mask(mask: Any) -> NDArray[Any]:
    """Returns the entries of a mask as bools."""
    if is_table(mask):
        for name, dtype in zip(mask.columns, mask.dtypes):
            if getattr(dtype, "kind", "O") not in "biu":
                raise TypeError(f"column {name!r} of the mask is of {dtype}; it must be of bool, True where M is observed")
        if mask.isna().to_numpy().any():
            raise TypeError("the mask has missing entries; it must be of bool, True where M is observed")
        mask = mask.astype(bool).to_numpy()
    mask = _array(mask, "the mask")
    if mask.dtype.kind not in "biu":
        raise TypeError(f"the mask is of {mask.dtype}; it must be of bool, True where M is observed")
    return mask.astype(bool, copy=False)


def _array(a: Any, name: str) -> NDArray[Any]:
    """Returns an array of two dimensions, which is neither sparse nor structured."""
    if hasattr(a, "tocsr"):
        raise TypeError(f"{name} is sparse; pass its toarray(), or sparse.to_dense() of a DataFrame")
    if np.ma.is_masked(a):
        raise ValueError(f'{name} has masked entries; remove or impute them, or, in M, take them for missing with missing="allow"')
    try:
        a = np.asarray(a)
    except ValueError as e:
        raise ValueError(f"{name} is a {type(a).__name__} that makes no array of two dimensions; its rows must be of one length") from e
    if a.dtype.names:
        raise TypeError(f"{name} is a structured array; pass numpy.lib.recfunctions.structured_to_unstructured({name})")
    if a.ndim != 2:
        raise ValueError(f"{name} has {a.ndim} dimensions; it must have 2")
    return a


def _dense(a: Any, name: str) -> NDArray[Any]:
    if is_table(a):
        a = values(a, name)
    a = _array(a, name)
    if a.dtype.kind == "O":
        a = objects(a, name)
    a = a if a.dtype in FLOATS else a.astype(_precision(a.dtype, name))
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
    c = checked(a).tocsr()
    if c.dtype not in FLOATS:
        c = c.astype(_precision(c.dtype, "M"))
    if not c.has_canonical_format:
        c = c.copy()
        c.sum_duplicates()
    return c


_ARRAYS: dict[Any, tuple[str, ...]] = {**dict.fromkeys(("csr", "csc", "bsr"), ("data", "indices", "indptr")), "coo": ("data", "row", "col")}


def checked(a: Any) -> Any:
    """Returns a sparse matrix with the arrays of another one, of which scipy knows nothing yet, or an error unless they
    agree. Anyone may have replaced one, and the library, like scipy, reads and writes where the others say."""
    names = _ARRAYS.get(getattr(a, "format", None))
    if names is None:
        return a
    if len(a.shape) != 2:
        raise Error(f"M has {len(a.shape)} dimensions; it must have 2", SHAPE)
    arrays = [np.asarray(getattr(a, name)) for name in names]
    for x, name in zip(arrays[1:], names[1:]):
        if x.dtype not in INTEGERS:
            raise TypeError(f"M.{name} is of {x.dtype}; it must be of int32 or int64")
    try:
        if a.format != "coo":
            a = type(a)(tuple(arrays), shape=a.shape)
            a.check_format()
            if (np.diff(a.indptr) < 0).any():  # which scipy does not ask where they end at 0 or below
                raise ValueError("pointers decrease")
        elif len({x.shape for x in arrays}) > 1 or not all(_below(x, end) for x, end in zip(arrays[1:], a.shape)):
            raise ValueError("rows, columns or their numbers")
    except (ValueError, IndexError) as e:
        raise Error(f"the arrays of M, a {a.format} matrix of {a.shape[0]} x {a.shape[1]}, do not agree: {e}", SHAPE) from e
    return a


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


def _named(a: NDArray[Any], name: str, names: Names) -> Any:
    """Returns V or W, with the names of the rows or columns of M if it has some."""
    index, columns = (names.index, None) if name[0] == "V" else (None, names.columns)
    return a if index is None and columns is None else _frame(a, index, columns)


def _ranks(ranks: Any, init: str, call_: "_Call") -> list[int]:
    """Returns the different ranks of a comparison in increasing order, and puts them and the start into its settings."""
    most = _most_factors(call_.shape)
    each = _options.ranks_of(ranks, most) if isinstance(ranks, str) else {_whole(r, "rank", 1, most) for r in ranks}
    call_.settings["ranks"] = ranks if isinstance(ranks, str) else " ".join(map(str, sorted(each)))
    call_.settings["init"] = init
    return sorted(each)


def _most_factors(shape: tuple[int, int]) -> int:
    """Returns the limit of the library for a matrix of this shape, so that no memory is taken for more."""
    sides, entries = sum(shape), max(2**24, 8 * shape[0] * shape[1])
    return int(2 * entries / (sides + (sides**2 + 4 * entries) ** 0.5))
